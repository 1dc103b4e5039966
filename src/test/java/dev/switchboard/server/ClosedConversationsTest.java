package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.harness.ServerInProcess;
import dev.switchboard.server.demo.ApiClient;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A closed conversation is reduced to a tombstone by itself after its time, also when the node was down when it came. */
class ClosedConversationsTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Test
    void shouldReduceWhatWasClosedLongAgo() {
        try (ServerInProcess server = ServerInProcess.start(
                Map.of("switchboard.conversation.reduce-closed-after", "2s", "switchboard.sweeper.every", "200ms"))) {
            ApiClient carol = new ApiClient(HTTP, server.address().http(), "dev:customer:carol");
            ApiClient dave = new ApiClient(HTTP, server.address().http(), "dev:customer:dave");
            say(carol, "c-carol");
            say(dave, "c-dave");
            assertEquals(
                    200,
                    carol.post(ApiClient.of("c-carol", "/close"), JsonNodeFactory.instance.objectNode(), "x1")
                            .status());
            server.restart();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(40))
                    .until(() -> entries(carol, "c-carol").size() == 1);
            JsonNode left = entries(carol, "c-carol").get(0);
            assertEquals("erased", left.path("kind").asText(), left::toString);
            assertTrue(left.path("seq").asLong() > 3, left::toString);
            assertEquals(2, bodies(dave, "c-dave"), "what isn't closed stays");
            // It can be opened again, and its numbers go on.
            assertEquals(201, carol.message("c-carol", "m3", "three").status());
            JsonNode all = entries(carol, "c-carol");
            assertEquals(1, bodies(carol, "c-carol"), all::toString);
            assertTrue(
                    all.get(all.size() - 1).path("seq").asLong()
                            > left.path("seq").asLong(),
                    all::toString);
        }
    }

    private static void say(ApiClient who, String conv) {
        JsonNode none = JsonNodeFactory.instance.objectNode();
        assertEquals(201, who.post("/conversations", none, "o1").status());
        assertEquals(201, who.message(conv, "m1", "one").status());
        assertEquals(201, who.message(conv, "m2", "two").status());
    }

    private static JsonNode entries(ApiClient who, String conv) {
        return who.get(ApiClient.of(conv, "/entries")).json().path("entries");
    }

    private static int bodies(ApiClient who, String conv) {
        int bodies = 0;
        for (JsonNode entry : entries(who, conv)) {
            bodies += entry.has("body") ? 1 : 0;
        }
        return bodies;
    }
}
