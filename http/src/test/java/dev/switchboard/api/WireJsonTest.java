package dev.switchboard.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush.Preview;
import dev.switchboard.routing.QueueSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is written can be read back, in JSON and CBOR alike, and what can't be taken is named. */
class WireJsonTest {
    private static final Person ALICE = new Person(Role.AGENT, "alice");
    private static final Instant AT = Instant.parse("2026-11-30T09:05:02.007Z");

    /** Writes the inside of a value. */
    private interface Writing {
        void to(JsonGenerator out) throws IOException;
    }

    private static JsonNode written(ObjectMapper mapper, Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = mapper.getFactory().createGenerator(bytes)) {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            return mapper.readTree(bytes.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonFields fields(String json) {
        try {
            return JsonFields.of(WireJson.json().readTree(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Refusal refusal(Runnable reading) {
        return assertThrows(RefusedException.class, reading::run).refusal();
    }

    @Test
    void shouldReadBackEveryKindOfEntry() {
        List<Entry> entries = List.of(
                Entry.message(1, new Person(Role.CUSTOMER, "carol"), AT, "m1", Body.text("hé 😀 \u0000\n")),
                Entry.message(
                        2, ALICE, AT, "m2", new Body("file", "see", "https://x/y", "a.pdf", "application/pdf", 9)),
                Entry.lifecycle(3, Entry.Kind.ASSIGNED, null, AT, null, "alice", 2, "default", null, null),
                Entry.lifecycle(4, Entry.Kind.TRANSFERRED, ALICE, AT, "t", null, 3, "billing", "bob", null),
                Entry.lifecycle(5, Entry.Kind.RETURNED, null, AT, null, null, 4, "billing", null, "owner-gone"),
                Entry.lifecycle(6, Entry.Kind.CLOSED, ALICE, AT, "c", null, 5, null, null, "solved"),
                Entry.lifecycle(7, Entry.Kind.REOPENED, null, AT, null, null, 6, "billing", null, null),
                Entry.note(8, ALICE, AT, "n", "quiet"),
                Entry.label(9, ALICE, AT, null, List.of("vip"), List.of("new")));
        for (ObjectMapper mapper : List.of(WireJson.json(), WireJson.hardened(new CBORMapper()))) {
            for (Entry entry : entries) {
                assertEquals(entry, WireJson.readEntry(written(mapper, out -> WireJson.writeEntry(out, entry))));
            }
        }
    }

    @Test
    void shouldNameOwnerAndEpochInEveryChangeOfOwner() {
        for (Entry.Kind kind : Entry.Kind.values()) {
            Entry entry = Entry.lifecycle(1, kind, null, AT, null, null, 3, null, null, null);
            JsonNode json = written(WireJson.json(), out -> WireJson.writeEntry(out, entry));
            assertEquals(WireJson.changesOwner(kind), json.has("owner"), kind.wireName());
            assertEquals(WireJson.changesOwner(kind), json.has("epoch"), kind.wireName());
        }
    }

    @Test
    void shouldWriteTimesInUtcWithMilliseconds() {
        assertEquals("2026-11-30T09:05:02.007Z", WireJson.time(AT));
        assertEquals("2026-11-30T09:05:02.007Z", WireJson.time(AT.plusNanos(999_999)));
        assertEquals("1969-12-31T23:59:59.999Z", WireJson.time(Instant.ofEpochMilli(-1)));
        assertEquals("2026-01-02T00:00:00.000Z", WireJson.time(Instant.parse("2026-01-02T00:00:00Z")));
    }

    @Test
    void shouldReadWhatABodyMayBe() {
        assertEquals(Body.text("x"), WireJson.readBody(fields("{\"type\":\"text\",\"text\":\"x\",\"url\":\"y\"}"), 10));
        assertEquals(
                new Body("custom", null, null, "card", null, -1),
                WireJson.readBody(fields("{\"type\":\"custom\",\"name\":\"card\"}"), 10));
        assertEquals(
                new Body("image", "a cat", "https://h/c.png", null, "image/png", 7),
                WireJson.readBody(
                        fields("{\"type\":\"image\",\"text\":\"a cat\",\"url\":\"https://h/c.png\","
                                + "\"mediaType\":\"image/png\",\"size\":7}"),
                        10));
        assertEquals("type", field("{\"text\":\"x\"}"));
        assertEquals("url", field("{\"type\":\"file\",\"url\":\"ftp://h/x\"}"));
        assertEquals("name", field("{\"type\":\"custom\"}"));
        assertEquals("size", field("{\"type\":\"file\",\"url\":\"https://h/x\",\"size\":-1}"));
    }

    private static Object field(String body) {
        return refusal(() -> WireJson.readBody(fields(body), 10)).facts().get("field");
    }

    @Test
    void shouldCountBytesAndNotCharacters() {
        String text = "é".repeat(5);
        assertEquals(text, fields("{\"t\":\"" + text + "\"}").text("t", 10));
        Refusal refusal = refusal(() -> fields("{\"t\":\"" + text + "x\"}").text("t", 10));
        assertEquals(ErrorCode.TOO_LARGE, refusal.code());
        assertEquals(10L, refusal.facts().get("limit"));
    }

    @Test
    void shouldRefuseTextThatHasNoUtf8Form() {
        for (String bad : List.of("\\ud800", "a\\udc00", "\\ud83d\\ud83d\\ude00", "\\ude00\\ud83d")) {
            Refusal refusal = refusal(() -> fields("{\"t\":\"" + bad + "\"}").text("t", 100));
            assertEquals(ErrorCode.INVALID, refusal.code(), bad);
        }
        assertEquals("😀", fields("{\"t\":\"\\ud83d\\ude00\"}").text("t", 100));
    }

    @Test
    void shouldCheckRequestIds() {
        assertEquals("m1", fields("{\"id\":\"m1\"}").requestId("id"));
        assertNull(fields("{}").requestId("id"));
        assertNull(fields("{\"id\":null}").requestId("id"));
        for (String bad :
                List.of("\"\"", "\"" + "x".repeat(65) + "\"", "\"" + "é".repeat(33) + "\"", "\"a\\u0000\"", "7")) {
            assertEquals(
                    "id",
                    refusal(() -> fields("{\"id\":" + bad + "}").requestId("id"))
                            .facts()
                            .get("field"),
                    bad);
        }
    }

    @Test
    void shouldReadBackAQueue() {
        QueueSettings settings = Fakes.settings("billing");
        JsonNode json = written(WireJson.json(), out -> {
            out.writeStartObject();
            WireJson.writeQueueFields(out, settings);
            out.writeEndObject();
        });
        QueueSettings other = new QueueSettings(
                "x",
                "round-robin",
                true,
                9,
                Duration.ofHours(1),
                1,
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofHours(1),
                QueueSettings.WhenClosed.OPEN_NEW);
        assertEquals(settings, WireJson.readQueue("billing", JsonFields.of(json), other));
        assertEquals(settings, WireJson.readQueue("billing", fields("{}"), settings));
        assertEquals(
                QueueSettings.WhenClosed.OPEN_NEW,
                WireJson.readQueue("q", fields("{\"whenClosed\":\"open-new\"}"), settings)
                        .whenClosed());
    }

    @Test
    void shouldWriteTheFactsOfARefusal() {
        Refusal refusal = Refusal.of(ErrorCode.NOT_OWNER, "The owner is bob.")
                .withFact("owner", "bob")
                .withFact("epoch", 5L)
                .retryAfter(Duration.ofMillis(1500));
        JsonNode json = written(WireJson.json(), out -> {
            out.writeStartObject();
            WireJson.writeRefusalFields(out, refusal);
            out.writeEndObject();
        });
        assertEquals("not-owner", json.path("code").asText());
        assertFalse(json.path("retryable").asBoolean(true));
        assertEquals(1500, json.path("retryAfterMs").asLong());
        assertEquals("bob", json.path("owner").asText());
        assertEquals(5, json.path("epoch").asLong());
    }

    @Test
    void shouldCutAPreviewBetweenCharacters() {
        Person carol = new Person(Role.CUSTOMER, "carol");
        Entry entry = Entry.message(1, carol, AT, "m", Body.text("x".repeat(199) + "😀 and more"));
        assertEquals("x".repeat(199), History.cut(entry).body().text());
        Preview half = new Preview("carol", "default", "x\ud83d", AT, Map.of());
        JsonNode json = written(WireJson.json(), out -> WireJson.writePreview(out, half));
        assertEquals("x", json.path("text").asText());
    }

    @Test
    void shouldRefuseWhatIsNoObject() {
        assertEquals(ErrorCode.MALFORMED, refusal(() -> fields("[]")).code());
        assertTrue(refusal(() -> fields("{\"a\":1}").object("a")).message().contains("'a'"));
        assertEquals(
                "a.b",
                refusal(() -> fields("{\"a\":{\"b\":1}}").object("a").text("b", 5))
                        .facts()
                        .get("field"));
    }
}
