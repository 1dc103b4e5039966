package dev.switchboard.socket;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.TerminalPush;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both codecs, and what becomes of a terminal whose codec throws. */
class TerminalCodecTest {
    private static final String CONV = "c-carol";

    /** Takes some types or texts for what can't be written. */
    private record Choosy(TerminalCodec inner, Set<String> types, String text) implements TerminalCodec {
        @Override
        public JsonNode read(byte[] bytes) throws IOException {
            return inner.read(bytes);
        }

        @Override
        public void write(String type, Fields fields, OutputStream to) throws IOException {
            ByteArrayOutputStream made = new ByteArrayOutputStream();
            inner.write(type, fields, made);
            if (types.contains(type)
                    || made.toString(StandardCharsets.ISO_8859_1).contains(text)) {
                throw new IllegalStateException("no form for this");
            }
            made.writeTo(to);
        }

        @Override
        public String name() {
            return inner.name();
        }
    }

    private static World choosy(Set<String> types) {
        World world = new World(subprotocol -> new Choosy(subprotocol.codec(), types, "poison"));
        world.exists(CONV, "carol");
        return world;
    }

    private static Entry write(World world, long seq, String text) {
        Entry entry = World.message(seq, text);
        world.write(CONV, entry);
        return entry;
    }

    @ParameterizedTest
    @ValueSource(strings = {"JSON", "CBOR"})
    void shouldReadWhatItWrote(String name) throws IOException {
        TerminalCodec codec = JacksonCodec.valueOf(name);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        codec.write(
                "entry",
                out -> {
                    out.writeStringField("text", "grüß \"dich\" \uD83D\uDE00");
                    out.writeNumberField("seq", Long.MAX_VALUE);
                },
                bytes);
        JsonNode read = codec.read(bytes.toByteArray());
        assertEquals("entry", read.path("type").asText());
        assertEquals("grüß \"dich\" \uD83D\uDE00", read.path("text").asText());
        assertEquals(Long.MAX_VALUE, read.path("seq").asLong());
        assertThrows(IOException.class, () -> codec.read(new byte[] {'{', '"', 'a'}));
    }

    @ParameterizedTest
    @ValueSource(strings = {"switchboard.v1.json", "switchboard.v1.cbor"})
    void shouldCountAnAttemptForEachEntryThatCannotBeWrittenAndGoOnBehindIt(String subprotocol) {
        try (World world = choosy(Set.of());
                Client client = Client.open(world.uri(), subprotocol)) {
            client.send("{'type':'hello','token':'dev:customer:carol'}");
            ActorRef<TerminalPush> terminal = world.attach(world.actor(), World.view(CONV, "carol", 0, 0), List.of())
                    .ref();
            client.next("welcome");
            terminal.tell(new TerminalPush.EntryPush(CONV, write(world, 1, "first"), 0));
            assertEquals(1, client.next("entry").path("seq").asLong());
            terminal.tell(new TerminalPush.EntryPush(CONV, write(world, 2, "poison"), 1));
            write(world, 3, "third");
            for (int attempt = 1; attempt <= 3; attempt++) {
                ConversationCommand.Nack nack = world.expect(ConversationCommand.Nack.class);
                assertEquals(2, nack.seq());
                assertEquals(attempt, nack.attempt());
                assertEquals("conversion", nack.code());
                assertTrue(nack.reason().contains("no form for this"), nack.reason());
                nack.replyTo().tell(new ConversationReply.OfLetter(null, false));
                boolean last = attempt == 3;
                // Tried again, and after the last attempt passed over, as a queue that skips does.
                terminal.tell(
                        last
                                ? new TerminalPush.Hold(CONV, 0, 3, 1, 2)
                                : new TerminalPush.Hold(CONV, 3, 2, attempt + 1, 0));
            }
            JsonNode third = client.next("entry");
            assertEquals(3, third.path("seq").asLong());
            client.send("{'type':'ping','id':'p'}");
            assertEquals("p", client.next("pong").path("id").asText());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"switchboard.v1.json", "switchboard.v1.cbor"})
    void shouldLeaveOutOtherPushesThatCannotBeWritten(String subprotocol) {
        try (World world = choosy(Set.of("typing", "presence", "receipt", "queued", "state", "offer"));
                Client client = Client.open(world.uri(), subprotocol)) {
            client.send("{'type':'hello','token':'dev:customer:carol'}");
            ActorRef<TerminalPush> terminal = world.attach(world.actor(), World.view(CONV, "carol", 0, 0), List.of())
                    .ref();
            client.next("welcome");
            Person alice = new Person(Role.AGENT, "alice");
            terminal.tell(new TerminalPush.Typing(CONV, alice));
            terminal.tell(new TerminalPush.Presence(CONV, alice, true));
            terminal.tell(new TerminalPush.Queued(CONV, 1, -1, -1));
            terminal.tell(new TerminalPush.MessageState(CONV, "m", 1, "accepted", 0, null));
            terminal.tell(new TerminalPush.OfferMade("o", CONV, null, null));
            terminal.tell(new TerminalPush.Receipt(CONV, alice, new Watermark(1, 1)));
            terminal.tell(new TerminalPush.EntryPush(CONV, write(world, 1, "first"), 0));
            assertEquals(1, client.next("entry").path("seq").asLong());
            await().atMost(World.PATIENCE)
                    .until(() -> world.server.figures().snapshot().unconvertible() == 6);
            assertTrue(client.isOpen());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"switchboard.v1.json", "switchboard.v1.cbor"})
    void shouldAnswerARequestWhoseReplyCannotBeWritten(String subprotocol) {
        try (World world = choosy(Set.of());
                Client client = Client.open(world.uri(), subprotocol)) {
            client.send("{'type':'hello','token':'dev:customer:carol'}");
            world.attach(world.actor(), World.view(CONV, "carol", 0, 0), List.of());
            client.next("welcome");
            write(world, 1, "poison");
            client.send("{'type':'history','id':'h','conv':'" + CONV + "'}");
            JsonNode error = client.next("error");
            assertEquals("h", error.path("id").asText());
            assertEquals("internal", error.path("code").asText());
            assertTrue(client.isOpen());
        }
    }
}
