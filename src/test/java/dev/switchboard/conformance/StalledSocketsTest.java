package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * C11: sockets that stop reading harm nobody else and lose nothing. {@code -Dconformance.stalled} says how many sockets stop,
 * {@code -Dconformance.stalled-messages} how many messages follow.
 */
class StalledSocketsTest extends ConformanceTest {
    private static final int STALLED = Integer.getInteger("conformance.stalled", 3);
    private static final int MESSAGES = Integer.getInteger("conformance.stalled-messages", 600);
    private static final int OTHERS = 50;

    /** As much as a message may have: what stalls is more than what the system's own buffers hold. */
    private static final String FILLER = " ".repeat(12_000);

    private static final int WINDOW = 32;

    /** A terminal of that agent that has said hello and reads no more. */
    private RawSocket stalled(String agent, int number) {
        RawSocket socket = scene.closing(RawSocket.open(scene.target().address(), WireClient.SUBPROTOCOL, 4096, ""));
        socket.sendText("{\"type\":\"hello\",\"token\":\"%s\",\"terminal\":\"stalled-%d\"}"
                .formatted(scene.tokens().agent(agent), number));
        socket.await("\"type\":\"welcome\"");
        return socket;
    }

    @Test
    void shouldLoseNothingAndHarmNobodyWhenSocketsStopReading() throws Exception {
        String queue = scene.queue(settings -> settings.put("autoAccept", true));
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        owner.awaitOwner(talk.conv());
        long has = owner.client().position(talk.conv()).after();
        owner.cut();
        List<RawSocket> stalled = new ArrayList<>();
        for (int i = 0; i < STALLED; i++) {
            stalled.add(stalled(owner.name(), i));
        }

        String quiet = scene.queue(settings -> settings.put("autoAccept", true));
        Desk other = scene.agent(3, quiet);
        Scene.Talk otherTalk = scene.talk(quiet);
        other.awaitOwner(otherTalk.conv());
        Queue<CompletableFuture<JsonNode>> open = new ArrayDeque<>();
        for (int i = 0; i < MESSAGES; i++) {
            open.add(talk.client().request(Frames.post(talk.conv(), "m" + i, i + FILLER)));
            if (open.size() >= WINDOW) {
                accepted(open.poll());
            }
            if (i % (MESSAGES / OTHERS) == 0) {
                otherTalk.say("o" + i, "other " + i);
                other.awaitMessage(otherTalk.conv(), "other " + i);
            }
        }
        while (!open.isEmpty()) {
            accepted(open.poll());
        }

        List<Integer> got = new ArrayList<>();
        WireClient next = scene.closing(scene.client(scene.tokens().agent(owner.name()))
                .terminal("next")
                .resume(talk.conv(), has, null)
                .open());
        while (got.size() < MESSAGES) {
            JsonNode entry = next.await(
                    frame -> Frames.isMessage(frame) && Frames.textOf(frame).endsWith(FILLER), Scene.PATIENCE);
            got.add(Integer.valueOf(Frames.textOf(entry).strip()));
        }
        for (int i = 0; i < MESSAGES; i++) {
            assertEquals(i, got.get(i), "all that was accepted, in order, each once");
        }
        // Whether slow or silent, the server ends each by itself.
        stalled.forEach(RawSocket::untilClosed);
    }

    private static void accepted(CompletableFuture<JsonNode> answer) throws Exception {
        JsonNode reply = answer.get(30, TimeUnit.SECONDS);
        assertEquals("reply", reply.path("type").asText(), reply::toString);
    }
}
