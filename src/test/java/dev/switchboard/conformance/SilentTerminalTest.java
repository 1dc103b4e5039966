package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * C2 and C8: a terminal that says nothing any more, on a connection that looks alive, counts as gone after two pings.
 */
class SilentTerminalTest extends ConformanceTest {
    private static final String HELLO = "{\"type\":\"hello\",\"token\":\"%s\",\"terminal\":\"silent\"}";

    /** A terminal that has said hello and will never answer again; the connection stays open. */
    private RawSocket silent(String token) {
        RawSocket socket = scene.closing(RawSocket.open(scene.target().address(), WireClient.SUBPROTOCOL));
        socket.sendText(HELLO.formatted(token));
        socket.await("\"type\":\"welcome\"");
        return socket;
    }

    private Duration window(WireClient bystander) {
        long heartbeatMs = bystander.welcome().path("heartbeatMs").asLong();
        return Duration.ofMillis(2 * heartbeatMs + 10_000);
    }

    @Test
    void shouldOfferNothingToAnAgentWhoWasKilledWithoutACloseFrame() {
        String queue = scene.queue(settings -> settings.put("ownerGraceMs", 2_000));
        String killed = scene.name("agent");
        scene.profile(killed, 3, queue);
        RawSocket socket = silent(scene.tokens().agent(killed));
        socket.sendText("{\"type\":\"status\",\"id\":\"s\",\"availability\":\"available\"}");
        socket.await("\"id\":\"s\"");

        WireClient bystander = scene.customer(scene.name("customer"));
        Scene.until(
                "the agent counts as gone",
                window(bystander),
                () -> !Scene.expect(200, scene.operator().get("/agents/" + killed))
                        .path("reachable")
                        .asBoolean(true));

        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        Scene.during(
                "nobody is offered it",
                Duration.ofSeconds(2),
                () -> scene.look(talk.customer(), talk.conv())
                        .path("status")
                        .asText()
                        .equals("waiting"));
        assertTrue(!socket.untilClosed().contains("\"type\":\"offer\""), "no offer on the dead socket");
        scene.agent(3, queue).awaitOwner(talk.conv());
    }

    @Test
    void shouldCallNothingDeliveredThatWentToAStoppedClientAndGiveItAllToTheNextTerminal() {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        owner.awaitOwner(talk.conv());
        talk.client().close();
        RawSocket stopped = silent(scene.tokens().customer(talk.customer()));

        List<String> said = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String text = "answer " + i;
            said.add(text);
            JsonNode answer = owner.post(talk.conv(), "a" + i, text);
            assertEquals("reply", answer.path("type").asText(), answer::toString);
        }
        long firstAnswer = scene.history(talk.customer(), talk.conv()).stream()
                .filter(entry -> Frames.textOf(entry).equals("answer 0"))
                .findFirst()
                .orElseThrow()
                .path("seq")
                .asLong();
        assertTrue(stopped.untilClosed().contains("silent"), "bye silent");
        assertTrue(
                owner.client().inbox().stream()
                        .filter(frame -> Frames.is(frame, "receipt"))
                        .allMatch(receipt -> receipt.path("delivered").asLong() < firstAnswer),
                "none of the answers was called delivered");

        WireClient next = scene.customer(talk.customer());
        List<String> heard = new ArrayList<>();
        while (heard.size() < said.size()) {
            String text = Frames.textOf(next.await(Frames::isMessage, Scene.PATIENCE));
            if (text.startsWith("answer")) {
                heard.add(text);
            }
        }
        assertEquals(said, heard, "all of them, in order");
    }
}
