package dev.switchboard.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node of three seems to be dead: nothing accepted is lost, nothing is there twice, and the order is kept. What a node
 * leaves that is killed is in {@link MovedShardsTest}.
 */
@Tag("cluster")
class LostNodeTest {
    private static final int CUSTOMERS = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The others take over from a node that stands still; when it goes on it must neither answer nor write. */
    @Test
    void shouldKeepEverythingWhenANodeStandsStillAndWakes() throws Exception {
        try (ClusterUnderTest cluster = new ClusterUnderTest()) {
            KeptTraffic traffic = new KeptTraffic(cluster.urls(), CUSTOMERS, 30, Duration.ofMillis(400));
            await().atMost(PATIENCE).until(() -> traffic.accepted() > CUSTOMERS * 5);
            ClusterUnderTest.Node stopped = cluster.node(3);
            stopped.signal("STOP");
            // The others have put it out, and serve all that it had.
            await().atMost(PATIENCE)
                    .until(() -> cluster.log(cluster.node(1)).contains("Barred the lost node")
                            || cluster.log(cluster.node(2)).contains("Barred the lost node"));
            traffic.awaitEnd();
            stopped.signal("CONT");
            await().atMost(PATIENCE).until(() -> {
                assertFalse(answers(stopped.http()), "a node that was replaced has answered");
                return !stopped.runs();
            });
            traffic.assertAllKept(cluster.node(1).http());
            assertTrue(cluster.log(stopped).contains("This node stood still for"), "it doesn't say what happened");
        }
    }

    /** Whether the node answers for a conversation. */
    private static boolean answers(URI node) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node + "/api/v1/conversations?status=waiting"))
                .timeout(Duration.ofSeconds(2))
                .header("Authorization", "Bearer dev:agent:alice")
                .build();
        try {
            return HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }
}
