package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C12: a burst that a healthy client drains disconnects nobody. */
class BurstTest extends ConformanceTest {
    private static final int CUSTOMERS = 10;
    private static final int MESSAGES = 100;

    /** Unanswered posts of one customer: well within what a socket and a sender may have by default. */
    private static final int WINDOW = 24;

    @Test
    void shouldDisconnectNobodyInABurstThatEverybodyDrains() throws Exception {
        String queue = scene.queue(settings -> settings.put("autoAccept", true));
        Desk owner = scene.agent(CUSTOMERS, queue);
        List<Scene.Talk> talks = new ArrayList<>();
        for (int i = 0; i < CUSTOMERS; i++) {
            talks.add(scene.talk(queue));
        }
        for (Scene.Talk talk : talks) {
            owner.awaitOwner(talk.conv());
        }

        Queue<CompletableFuture<JsonNode>> open = new ArrayDeque<>();
        for (int message = 0; message < MESSAGES; message++) {
            for (Scene.Talk talk : talks) {
                open.add(talk.client().request(Frames.post(talk.conv(), "m" + message, "message " + message)));
            }
            while (open.size() > WINDOW * CUSTOMERS) {
                accepted(open.poll());
            }
        }
        while (!open.isEmpty()) {
            accepted(open.poll());
        }

        Scene.until(
                "everything is at the agent", Duration.ofSeconds(30), () -> messagesAt(owner) >= CUSTOMERS * MESSAGES);
        assertEquals(CUSTOMERS * MESSAGES, messagesAt(owner));
        Map<String, Integer> next = new HashMap<>();
        for (JsonNode frame : owner.client().inbox()) {
            if (Frames.isMessage(frame)) {
                String conv = frame.path("conv").asText();
                assertEquals("message " + next.getOrDefault(conv, 0), Frames.textOf(frame), "in order in " + conv);
                next.merge(conv, 1, Integer::sum);
            }
        }
        assertFalse(owner.client().isClosed());
        for (Scene.Talk talk : talks) {
            assertFalse(talk.client().isClosed());
            assertTrue(talk.client().inbox().stream().noneMatch(frame -> Frames.is(frame, "bye")));
        }
    }

    private static void accepted(CompletableFuture<JsonNode> answer) throws Exception {
        JsonNode reply = answer.get(30, TimeUnit.SECONDS);
        assertEquals("reply", reply.path("type").asText(), reply::toString);
    }

    private static long messagesAt(Desk desk) {
        return desk.client().inbox().stream().filter(Frames::isMessage).count();
    }
}
