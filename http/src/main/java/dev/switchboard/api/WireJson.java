package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskView;
import dev.switchboard.desk.Slot;
import dev.switchboard.routing.QueueSettings;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The shapes of the wire, the same over HTTP and sockets, in JSON and CBOR. Stateless; callable from any thread. The
 * {@code write…Fields} methods write into an object that the caller has begun; the others write a whole object. Times
 * are
 * UTC with milliseconds ({@code 2026-11-30T09:15:02.120Z}); durations are whole milliseconds in fields that end in
 * {@code Ms}; a field that has no value is left out.
 */
public final class WireJson {
    /** The longest {@code clientMsgId} and {@code Idempotency-Key}, in bytes of UTF-8. */
    public static final int MAX_ID_BYTES = 64;

    /** The most entries and list items in one answer. */
    public static final int MAX_LIMIT = 200;

    /** What a label may be: 1 to 64 characters, no control characters. */
    public static final Pattern LABEL = Pattern.compile("[^\\p{Cntrl}]{1,64}");

    /** What a skill may be. */
    public static final Pattern SKILL = Pattern.compile("[^\\p{Cntrl}]{1,64}");

    /** The most bytes of a {@code reason}. */
    public static final int MAX_REASON_BYTES = 1000;

    /** The types of a body. */
    public static final List<String> BODY_TYPES = List.of("text", "markdown", "image", "file", "custom");

    private static final int MAX_URL_BYTES = 2048;
    private static final int MAX_NAME_BYTES = 255;
    private static final int MAX_NESTING = 16;

    private static final ObjectMapper JSON = hardened(new JsonMapper());

    private WireJson() {}

    /** The one JSON mapper of the edge. It refuses duplicate names, trailing tokens and deep nesting. Thread-safe. */
    public static ObjectMapper json() {
        return JSON;
    }

    /** Sets on a new mapper, of JSON or CBOR, what input from strangers needs. */
    public static <M extends ObjectMapper> M hardened(M mapper) {
        mapper.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_NESTING)
                        .maxNumberLength(40)
                        .build());
        mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        mapper.enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);
        return mapper;
    }

    // ---- entries ----

    /** Writes an entry of a history: a whole object. */
    public static void writeEntry(JsonGenerator out, Entry entry) throws IOException {
        out.writeStartObject();
        writeEntryFields(out, entry);
        out.writeEndObject();
    }

    /** Writes an entry's own fields; {@code conv}, {@code prev} and {@code type} are the frame's. */
    public static void writeEntryFields(JsonGenerator out, Entry entry) throws IOException {
        out.writeNumberField("seq", entry.seq());
        out.writeStringField("kind", entry.kind().wireName());
        if (entry.from() != null) {
            out.writeFieldName("from");
            writePerson(out, entry.from());
        }
        out.writeStringField("ts", time(entry.at()));
        writeText(out, "clientMsgId", entry.clientMsgId());
        if (entry.body() != null) {
            out.writeFieldName("body");
            writeBody(out, entry.body());
        }
        if (changesOwner(entry.kind())) {
            out.writeFieldName("owner");
            out.writeString(entry.owner());
            out.writeNumberField("epoch", entry.epoch());
        }
        writeText(out, "queue", entry.queue());
        writeText(out, "agent", entry.agent());
        writeText(out, "reason", entry.reason());
        if (entry.kind() == Entry.Kind.LABEL) {
            writeTexts(out, "add", entry.labelsAdded());
            writeTexts(out, "remove", entry.labelsRemoved());
        }
    }

    /** True for the kinds that carry {@code owner} (null when nobody owns it) and {@code epoch}. */
    public static boolean changesOwner(Entry.Kind kind) {
        return switch (kind) {
            case ASSIGNED, RETURNED, TRANSFERRED, CLOSED, REOPENED -> true;
            case MESSAGE, NOTE, LABEL, ERASED, ERASED_NOTE, UNREADABLE -> false;
        };
    }

    /** Reads an entry as {@link #writeEntry} writes it. */
    public static Entry readEntry(JsonNode node) {
        JsonFields fields = JsonFields.of(node);
        JsonFields from = fields.object("from");
        JsonFields body = fields.object("body");
        return new Entry(
                fields.requiredInteger("seq", 1, Long.MAX_VALUE),
                Entry.Kind.valueOf(fields.requiredText("kind", 100).toUpperCase(Locale.ROOT)),
                from == null ? null : readPerson(from),
                Instant.parse(fields.requiredText("ts", 100)),
                fields.text("clientMsgId", Integer.MAX_VALUE),
                body == null ? null : readBody(body, Integer.MAX_VALUE),
                fields.text("owner", Integer.MAX_VALUE),
                fields.integer("epoch", 0, Long.MAX_VALUE, 0),
                fields.text("queue", Integer.MAX_VALUE),
                fields.text("agent", Integer.MAX_VALUE),
                fields.text("reason", Integer.MAX_VALUE),
                orEmpty(fields.texts("add", Integer.MAX_VALUE, LABEL)),
                orEmpty(fields.texts("remove", Integer.MAX_VALUE, LABEL)));
    }

    // ---- people and bodies ----

    /** Writes a person: {@code {role, id}}. */
    public static void writePerson(JsonGenerator out, Person person) throws IOException {
        out.writeStartObject();
        out.writeStringField("role", person.role().wireName());
        out.writeStringField("id", person.id());
        out.writeEndObject();
    }

    static Person readPerson(JsonFields fields) {
        Role role = Role.ofWireName(fields.requiredText("role", 100))
                .orElseThrow(() -> fields.invalid("role", "is not a role"));
        return new Person(role, fields.requiredText("id", Integer.MAX_VALUE));
    }

    /** Writes a message's body. */
    public static void writeBody(JsonGenerator out, Body body) throws IOException {
        out.writeStartObject();
        out.writeStringField("type", body.type());
        writeText(out, "text", body.text());
        writeText(out, "url", body.url());
        writeText(out, "name", body.name());
        writeText(out, "mediaType", body.mediaType());
        if (body.size() >= 0) {
            out.writeNumberField("size", body.size());
        }
        out.writeEndObject();
    }

    /**
     * Reads the {@code body} of a post. {@code text} and {@code markdown} have text and nothing else; the others name
     * what they stand for by an absolute {@code https} or {@code http} address, {@code custom} optionally.
     *
     * @param maxTextBytes the most bytes of UTF-8 of its text
     */
    public static Body readBody(JsonFields body, int maxTextBytes) {
        String type = body.requiredText("type", 32);
        if (!BODY_TYPES.contains(type)) {
            throw body.invalid("type", "must be one of " + String.join(", ", BODY_TYPES));
        }
        if (type.equals("text") || type.equals("markdown")) {
            return new Body(type, body.requiredText("text", maxTextBytes), null, null, null, -1);
        }
        String url = type.equals("custom") ? body.text("url", MAX_URL_BYTES) : body.requiredText("url", MAX_URL_BYTES);
        if (url != null && !url.startsWith("https://") && !url.startsWith("http://")) {
            throw body.invalid("url", "must begin with https:// or http://");
        }
        return new Body(
                type,
                body.text("text", maxTextBytes),
                url,
                type.equals("custom") ? body.requiredText("name", MAX_NAME_BYTES) : body.text("name", MAX_NAME_BYTES),
                body.text("mediaType", MAX_NAME_BYTES),
                body.integer("size", 0, Long.MAX_VALUE, -1));
    }

    // ---- views ----

    /** Writes a conversation as its reader may see it: a whole object. */
    public static void writeConversation(JsonGenerator out, ConversationView view) throws IOException {
        out.writeStartObject();
        writeConversationFields(out, view);
        out.writeEndObject();
    }

    /** Writes a conversation's own fields. */
    public static void writeConversationFields(JsonGenerator out, ConversationView view) throws IOException {
        out.writeStringField("conv", view.conv());
        out.writeStringField("customer", view.customer());
        out.writeStringField("status", view.status().wireName());
        out.writeStringField("queue", view.queue());
        writeText(out, "owner", view.owner());
        out.writeNumberField("epoch", view.epoch());
        out.writeNumberField("priority", view.priority());
        writeTexts(out, "skills", new TreeSet<>(view.skills()));
        writeTexts(out, "labels", new TreeSet<>(view.labels()));
        writeAttributes(out, view.attributes());
        out.writeStringField("openedAt", time(view.openedAt()));
        out.writeNumberField("lastSeq", view.lastSeq());
        out.writeNumberField("delivered", view.watermark().delivered());
        out.writeNumberField("read", view.watermark().read());
        out.writeFieldName("peer");
        writeWatermark(out, view.peer());
    }

    /** Writes {@code {delivered, read}}. */
    public static void writeWatermark(JsonGenerator out, Watermark mark) throws IOException {
        out.writeStartObject();
        out.writeNumberField("delivered", mark.delivered());
        out.writeNumberField("read", mark.read());
        out.writeEndObject();
    }

    /** Writes what an agent may see before it is the owner. */
    public static void writePreview(JsonGenerator out, TerminalPush.Preview preview) throws IOException {
        out.writeStartObject();
        out.writeStringField("customer", preview.customer());
        out.writeStringField("queue", preview.queue());
        writeText(out, "text", wholeCharacters(preview.text()));
        if (preview.since() != null) {
            out.writeStringField("since", time(preview.since()));
        }
        writeAttributes(out, preview.attributes());
        out.writeEndObject();
    }

    /** A text that was cut without half of a character at its end: that has no UTF-8 form. */
    private static String wholeCharacters(String text) {
        boolean half = text != null && !text.isEmpty() && Character.isHighSurrogate(text.charAt(text.length() - 1));
        return half ? text.substring(0, text.length() - 1) : text;
    }

    /** Writes an agent's desk: a whole object. */
    public static void writeDesk(JsonGenerator out, DeskView desk) throws IOException {
        out.writeStartObject();
        writeDeskFields(out, desk);
        out.writeEndObject();
    }

    /** Writes a desk's own fields. */
    public static void writeDeskFields(JsonGenerator out, DeskView desk) throws IOException {
        out.writeStringField("agent", desk.agent());
        out.writeStringField("availability", desk.availability().wireName());
        out.writeBooleanField("reachable", desk.reachable());
        out.writeNumberField("capacity", desk.capacity());
        out.writeNumberField("held", desk.slots().size());
        writeTexts(out, "queues", new TreeSet<>(desk.queues()));
        writeTexts(out, "skills", new TreeSet<>(desk.skills()));
        out.writeBooleanField("profiled", desk.profiled());
        out.writeArrayFieldStart("slots");
        for (Slot slot : desk.slots()) {
            writeSlot(out, slot);
        }
        out.writeEndArray();
        if (desk.idleSince() != null && desk.idleSince().isAfter(Instant.EPOCH)) {
            out.writeStringField("idleSince", time(desk.idleSince()));
        }
    }

    private static void writeSlot(JsonGenerator out, Slot slot) throws IOException {
        out.writeStartObject();
        out.writeStringField("conv", slot.conv());
        out.writeStringField("state", slot.confirmed() ? "confirmed" : "reserved");
        out.writeNumberField("epoch", slot.epoch());
        writeText(out, "queue", slot.queue());
        if (!slot.confirmed() && slot.deadline() != null) {
            out.writeStringField("deadline", time(slot.deadline()));
        }
        out.writeEndObject();
    }

    /** Writes a routing decision: a whole object. */
    public static void writeDecision(JsonGenerator out, RoutingDecision decision) throws IOException {
        out.writeStartObject();
        out.writeStringField("at", time(decision.at()));
        out.writeStringField("agent", decision.agent());
        writeText(out, "strategy", decision.strategy());
        writeText(out, "reason", decision.reason());
        writeTexts(out, "considered", decision.considered());
        out.writeEndObject();
    }

    // ---- queues ----

    /** Writes a queue's settings into an object. */
    public static void writeQueueFields(JsonGenerator out, QueueSettings queue) throws IOException {
        out.writeStringField("queue", queue.queue());
        out.writeStringField("strategy", queue.strategy());
        out.writeBooleanField("autoAccept", queue.autoAccept());
        out.writeNumberField("offerTo", queue.offerTo());
        out.writeNumberField("offerTimeoutMs", queue.offerTimeout().toMillis());
        out.writeNumberField("maxLength", queue.maxLength());
        out.writeNumberField("ageingMs", queue.ageing().toMillis());
        out.writeNumberField("relaxSkillsAfterMs", queue.relaxSkillsAfter().toMillis());
        out.writeNumberField("preferLastAgentForMs", queue.preferLastAgentFor().toMillis());
        out.writeNumberField("preferTargetForMs", queue.preferTargetFor().toMillis());
        out.writeNumberField("ownerGraceMs", queue.ownerGrace().toMillis());
        out.writeNumberField("abandonAfterMs", queue.abandonAfter().toMillis());
        out.writeNumberField("closeIdleAfterMs", queue.closeIdleAfter().toMillis());
        out.writeStringField("whenClosed", whenClosed(queue.whenClosed()));
        out.writeStringField("deadLetters", queue.deadLetters().name().toLowerCase(Locale.ROOT));
    }

    /**
     * Reads a queue's settings within the bounds of {@code switchboard.queue-defaults}; what is absent stays as
     * {@code before} has it.
     */
    public static QueueSettings readQueue(String name, JsonFields in, QueueSettings before) {
        Duration day = Duration.ofDays(1);
        Duration hour = Duration.ofHours(1);
        Duration second = Duration.ofSeconds(1);
        String strategy = in.oneOf("strategy", List.of("longest-idle", "least-loaded", "round-robin"));
        String closed = in.oneOf("whenClosed", List.of("reopen", "open-new", "refuse"));
        String dead = in.oneOf("deadLetters", List.of("hold", "skip", "discard"));
        return new QueueSettings(
                name,
                strategy == null ? before.strategy() : strategy,
                in.flag("autoAccept", before.autoAccept()),
                (int) in.integer("offerTo", 1, 10, before.offerTo()),
                in.millis("offerTimeoutMs", second, hour, before.offerTimeout()),
                (int) in.integer("maxLength", 1, 1_000_000, before.maxLength()),
                in.millis("ageingMs", Duration.ZERO, day, before.ageing()),
                in.millis("relaxSkillsAfterMs", Duration.ZERO, day, before.relaxSkillsAfter()),
                in.millis("preferLastAgentForMs", Duration.ZERO, hour, before.preferLastAgentFor()),
                in.millis("preferTargetForMs", Duration.ZERO, day, before.preferTargetFor()),
                in.millis("ownerGraceMs", second, day, before.ownerGrace()),
                in.millis("abandonAfterMs", Duration.ZERO, day, before.abandonAfter()),
                in.millis("closeIdleAfterMs", Duration.ZERO, Duration.ofDays(30), before.closeIdleAfter()),
                closed == null
                        ? before.whenClosed()
                        : QueueSettings.WhenClosed.valueOf(
                                closed.toUpperCase(Locale.ROOT).replace('-', '_')),
                dead == null ? before.deadLetters() : QueueSettings.DeadLetters.valueOf(dead.toUpperCase(Locale.ROOT)));
    }

    private static String whenClosed(QueueSettings.WhenClosed value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    // ---- refusals ----

    /**
     * Writes a refusal's fields: {@code code}, {@code retryable}, {@code retryAfterMs} if there is a hint, and its
     * facts.
     * The sentence is the caller's: {@code message} in a frame, {@code detail} over HTTP.
     */
    public static void writeRefusalFields(JsonGenerator out, Refusal refusal) throws IOException {
        out.writeStringField("code", refusal.code().wireName());
        out.writeBooleanField("retryable", refusal.code().retryable());
        if (!refusal.retryAfter().isZero()) {
            out.writeNumberField("retryAfterMs", refusal.retryAfter().toMillis());
        }
        for (Map.Entry<String, Object> fact : new TreeMap<>(refusal.facts()).entrySet()) {
            out.writeFieldName(fact.getKey());
            out.writePOJO(fact.getValue());
        }
    }

    // ---- small parts ----

    /** The wire's form of a time. Formatted by hand: it is written for every entry to every terminal. */
    public static String time(Instant at) {
        LocalDateTime utc = LocalDateTime.ofEpochSecond(at.getEpochSecond(), at.getNano(), ZoneOffset.UTC);
        if (utc.getYear() < 0 || utc.getYear() > 9999) {
            return at.toString();
        }
        char[] text = "0000-00-00T00:00:00.000Z".toCharArray();
        digits(text, 0, 4, utc.getYear());
        digits(text, 5, 2, utc.getMonthValue());
        digits(text, 8, 2, utc.getDayOfMonth());
        digits(text, 11, 2, utc.getHour());
        digits(text, 14, 2, utc.getMinute());
        digits(text, 17, 2, utc.getSecond());
        digits(text, 20, 3, utc.getNano() / 1_000_000);
        return new String(text);
    }

    private static void digits(char[] text, int at, int count, int value) {
        int rest = value;
        for (int i = at + count - 1; i >= at; i--) {
            text[i] = (char) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** Writes a field unless it is null. */
    public static void writeText(JsonGenerator out, String name, String value) throws IOException {
        if (value != null) {
            out.writeStringField(name, value);
        }
    }

    /** Writes a list of texts. */
    public static void writeTexts(JsonGenerator out, String name, Collection<String> values) throws IOException {
        out.writeArrayFieldStart(name);
        for (String value : values) {
            out.writeString(value);
        }
        out.writeEndArray();
    }

    /** Writes {@code attributes}, unless there are none. */
    public static void writeAttributes(JsonGenerator out, Map<String, String> attributes) throws IOException {
        if (attributes == null || attributes.isEmpty()) {
            return;
        }
        out.writeObjectFieldStart("attributes");
        for (Map.Entry<String, String> attribute : new TreeMap<>(attributes).entrySet()) {
            out.writeStringField(attribute.getKey(), attribute.getValue());
        }
        out.writeEndObject();
    }

    private static List<String> orEmpty(List<String> texts) {
        return texts == null ? List.of() : texts;
    }
}
