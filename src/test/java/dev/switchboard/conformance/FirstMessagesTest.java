package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C4: a customer's first messages make one conversation, however many come at once. */
class FirstMessagesTest extends ConformanceTest {
    private static final int MESSAGES = 50;
    private static final int SOCKETS = 5;

    @Test
    void shouldMakeOneConversationOfFiftyFirstMessagesOverSeveralSockets() throws Exception {
        String customer = scene.name("customer");
        List<WireClient> sockets = new ArrayList<>();
        for (int i = 0; i < SOCKETS; i++) {
            sockets.add(scene.customer(customer));
        }

        List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            answers.add(sockets.get(i % SOCKETS).request(Frames.post(null, "m" + i, "message " + i)));
        }

        Set<String> conversations = new HashSet<>();
        Set<Long> seqs = new HashSet<>();
        for (CompletableFuture<JsonNode> answer : answers) {
            JsonNode reply = answer.get(20, TimeUnit.SECONDS);
            assertEquals("reply", reply.path("type").asText(), reply::toString);
            conversations.add(reply.path("conv").asText());
            assertTrue(seqs.add(reply.path("seq").asLong()), () -> "a seq twice: " + reply);
        }
        assertEquals(1, conversations.size(), () -> "one conversation, not " + conversations);

        List<JsonNode> messages = scene
                .history(customer, conversations.iterator().next())
                .stream()
                .filter(entry -> entry.path("kind").asText().equals("message"))
                .toList();
        assertEquals(MESSAGES, messages.size());
        assertEquals(MESSAGES, messages.stream().map(Frames::textOf).distinct().count(), "each message once");
        for (int i = 1; i < messages.size(); i++) {
            assertTrue(
                    messages.get(i).path("seq").asLong()
                            > messages.get(i - 1).path("seq").asLong(),
                    "seqs grow");
        }
    }
}
