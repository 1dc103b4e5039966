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

/** A closed conversation loses its words by itself after its time, also when the node was down when it came. */
class ClosedConversationsTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Test
    void shouldEraseWhatWasClosedLongAgo() {
        try (ServerInProcess server = ServerInProcess.start(
                Map.of("switchboard.conversation.erase-closed-after", "2s", "switchboard.sweeper.every", "200ms"))) {
            ApiClient carol = new ApiClient(HTTP, server.address().http(), "dev:customer:carol");
            ApiClient dave = new ApiClient(HTTP, server.address().http(), "dev:customer:dave");
            say(carol, "c-carol");
            say(dave, "c-dave");
            assertEquals(
                    200,
                    carol.post(ApiClient.of("c-carol", "/close"), JsonNodeFactory.instance.objectNode(), "x1")
                            .status());
            server.restart();
            Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> bodies(carol, "c-carol") == 0);
            assertEquals(2, bodies(dave, "c-dave"), "what isn't closed stays");
            JsonNode entries =
                    carol.get(ApiClient.of("c-carol", "/entries")).json().path("entries");
            assertTrue(entries.size() >= 4, entries::toString);
        }
    }

    private static void say(ApiClient who, String conv) {
        JsonNode none = JsonNodeFactory.instance.objectNode();
        assertEquals(201, who.post("/conversations", none, "o1").status());
        assertEquals(201, who.message(conv, "m1", "one").status());
        assertEquals(201, who.message(conv, "m2", "two").status());
    }

    private static int bodies(ApiClient who, String conv) {
        int bodies = 0;
        for (JsonNode entry : who.get(ApiClient.of(conv, "/entries")).json().path("entries")) {
            bodies += entry.has("body") ? 1 : 0;
        }
        return bodies;
    }
}
