package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.switchboard.api.History;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskView;
import dev.switchboard.desk.Slot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class FrameSchemasTest {
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");
    private static final Instant NOW = Instant.parse("2026-11-30T09:15:02.120Z");

    private final FrameSchemas schemas = FrameSchemas.load();
    private final ObjectMapper json = new ObjectMapper();
    private final ServerFrames frames = new ServerFrames(new FrameCodec(Subprotocol.JSON, TerminalCodec.JSON));
    private final Set<String> seen = new TreeSet<>();

    private void holds(byte[] frame) {
        int header = (frame[1] & 0x7F) < 126 ? 2 : 4;
        JsonNode node = read(Arrays.copyOfRange(frame, header, frame.length));
        schemas.requireFromServer(node);
        seen.add(node.path("type").asText());
    }

    private JsonNode read(String text) {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode read(byte[] text) {
        try {
            return json.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldDescribeEveryFrameThatTheServerCanSend() {
        SocketSettings settings = TestSettings.DEFAULTS;
        holds(frames.welcome(
                "h",
                Principal.of(Role.CUSTOMER, "carol"),
                "t-1",
                "log-1",
                settings,
                List.of(new ServerFrames.Welcomed(World.view("c-carol", "carol", 3, 2), true))));
        for (Bye bye : Bye.values()) {
            holds(frames.bye(bye, "because", Duration.ofSeconds(1)));
        }
        holds(frames.ping());
        holds(frames.pong(null));
        for (ErrorCode code : ErrorCode.values()) {
            holds(frames.error(
                    null, Refusal.of(code, "no").withFact("owner", "alice").withFact("epoch", 3L)));
        }
        holds(frames.reply("1"));
        holds(frames.done("1", new ConversationReply.Done("c-carol", 1, 0, 1, false), "accepted"));
        holds(frames.done("1", new ConversationReply.Done("c-carol", 0, 0, 0, true), null));
        holds(frames.spooled("1", new ConversationReply.Spooled("c-carol", "m1", true)));
        holds(frames.state(new TerminalPush.MessageState("c-carol", "m1", 7, "accepted", 1, null)));
        holds(frames.state(new TerminalPush.MessageState("c-carol", "m1", 0, "refused", 3, "too-old")));
        holds(frames.opened("1", new ConversationReply.Opened(World.view("c-carol", "carol", 3, 2), true)));
        holds(frames.conversation("1", World.view("c-carol", "carol", 3, 2)));
        holds(frames.desk("1", desk()));
        holds(frames.history("1", "c-carol", new History.Read(entries(), true, true)));
        entries().forEach(entry -> holds(frames.entry("c-carol", entry, entry.seq() - 1)));
        holds(frames.offer(new TerminalPush.OfferMade(
                "o", "c-carol", NOW, new TerminalPush.Preview("carol", "default", "hi", NOW, Map.of("a", "b")))));
        for (String reason : List.of("accepted", "declined", "timeout", "taken", "withdrawn")) {
            holds(frames.offerEnded(new TerminalPush.OfferOver("o", "c-carol", reason)));
        }
        holds(frames.queued(new TerminalPush.Queued("c-carol", 3, 10, 20)));
        holds(frames.queued(new TerminalPush.Queued("c-carol", 3, -1, -1)));
        holds(frames.receipt(new TerminalPush.Receipt("c-carol", CAROL, new Watermark(3, 2))));
        holds(frames.state(new TerminalPush.MessageState("c-carol", "m1", 3, "retrying", 1, "too-hard")));
        holds(frames.state(new TerminalPush.MessageState("c-carol", "m1", 3, "delivered", 3, null)));
        holds(frames.typing(new TerminalPush.Typing("c-carol", CAROL)));
        holds(frames.presence(new TerminalPush.Presence("c-carol", CAROL, false)));
        assertEquals(schemas.serverTypes(), seen, "every described frame was made");
    }

    @Test
    void shouldRefuseAFrameThatIsNotDescribed() {
        assertThrows(AssertionError.class, () -> schemas.requireFromServer(read("{\"type\":\"teleport\"}")));
        assertThrows(AssertionError.class, () -> schemas.requireFromServer(read("{\"type\":\"ping\",\"extra\":1}")));
        assertThrows(
                AssertionError.class,
                () -> schemas.requireFromServer(read("{\"type\":\"reply\",\"id\":\"1\",\"hasMore\":1}")));
    }

    private static DeskView desk() {
        RoutingDecision decision = new RoutingDecision(NOW, "alice", "longest-idle", "free", List.of());
        return new DeskView(
                "alice",
                Availability.AVAILABLE,
                true,
                3,
                Set.of("default"),
                Set.of(),
                true,
                List.of(
                        new Slot("c-carol", "o", 1, true, false, null, decision, "default"),
                        new Slot("c-dave", "p", 1, false, false, NOW, decision, "default")),
                NOW);
    }

    private static List<Entry> entries() {
        return List.of(
                Entry.message(1, CAROL, NOW, "m1", Body.text("hi")),
                Entry.message(2, CAROL, NOW, "m2", new Body("file", null, "https://x/y", "y", "text/plain", 3)),
                Entry.lifecycle(3, Entry.Kind.ASSIGNED, null, NOW, null, "alice", 1, null, null, null),
                Entry.lifecycle(4, Entry.Kind.TRANSFERRED, CAROL, NOW, "t", null, 2, "default", "bob", "why"),
                Entry.note(5, new Person(Role.AGENT, "alice"), NOW, null, "note"),
                Entry.label(6, new Person(Role.AGENT, "alice"), NOW, null, List.of("a"), List.of("b")));
    }
}
