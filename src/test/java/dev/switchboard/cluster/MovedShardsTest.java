package dev.switchboard.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * While customers write, a node is drained, shards move, the node comes back, and another is killed: nothing accepted is
 * lost, nothing is there twice, the order is kept, and how long the longest wait was is printed.
 */
@Tag("cluster")
class MovedShardsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int CUSTOMERS = 40;

    @Test
    void shouldKeepEverythingWhileNodesAreDrainedShardsMoveAndANodeIsKilled() throws Exception {
        try (ClusterUnderTest cluster = new ClusterUnderTest()) {
            KeptTraffic traffic = new KeptTraffic(cluster.urls(), CUSTOMERS, 10_000, Duration.ofMillis(400));
            await().atMost(PATIENCE).until(() -> traffic.accepted() > CUSTOMERS * 4);
            traffic.forgetWaits();
            ClusterUnderTest.Node drained = cluster.node(2);

            JsonNode drain = done(cluster, post(cluster, path(drained, "drain"), "{\"perSecond\":50,\"atOnce\":5}"));
            assertTrue(drain.path("progress").path("done").asInt() > 0, drain::toString);
            assertEquals(0, drain.path("progress").path("failed").size(), drain::toString);
            assertEquals(0, shardsOn(cluster, drained));
            assertEquals(503, get(drained.management(), "/ready").statusCode());
            print("drain", drain, traffic);

            assertEquals(200, send(drained, path(drained, "resume"), "{}").statusCode());
            assertEquals(200, get(drained.management(), "/ready").statusCode());
            JsonNode plan = post(cluster, "/ops/shards/plans", "{\"by\":\"count\"}");
            // Some of it may have come back by itself meanwhile.
            int moves = plan.path("moves").size();
            JsonNode moved = done(
                    cluster,
                    post(
                            cluster,
                            "/ops/shards/moves",
                            "{\"perSecond\":50,\"atOnce\":5,\"plan\":\""
                                    + plan.path("id").asText() + "\"}"));
            assertEquals(0, moved.path("progress").path("failed").size(), moved::toString);
            assertEquals(
                    moves,
                    moved.path("progress").path("done").asInt()
                            + moved.path("skipped").size(),
                    moved::toString);
            assertTrue(shardsOn(cluster, drained) > 0, moved::toString);
            print("moves", moved, traffic);

            cluster.node(3).signal("KILL");
            int before = traffic.accepted();
            await().atMost(PATIENCE).until(() -> traffic.accepted() > before + CUSTOMERS * 3);
            traffic.enough();
            traffic.awaitEnd();
            traffic.assertAllKept(cluster.node(1).http());
            JsonNode log = JSON.readTree(
                    get(cluster.node(1).management(), "/ops/operations").body());
            assertEquals("operator:olga", log.path("items").path(0).path("who").asText(), log::toString);
            assertEquals(0, cluster.end());
        }
    }

    /** By hand: more customers and many moves, with the report written to the file that the property names. */
    @Test
    @EnabledIfSystemProperty(named = "switchboard.cluster-moves.report", matches = ".+")
    void shouldReportHowLongAnyoneWaits() throws Exception {
        int customers = Integer.getInteger("switchboard.cluster-moves.customers", 600);
        long pauseMs = Long.getLong("switchboard.cluster-moves.pause-ms", 2_400);
        StringBuilder rows = new StringBuilder();
        try (ClusterUnderTest cluster = new ClusterUnderTest()) {
            KeptTraffic traffic = new KeptTraffic(cluster.urls(), customers, 10_000, Duration.ofMillis(pauseMs));
            await().atMost(PATIENCE).until(() -> traffic.accepted() > customers * 4);
            traffic.forgetWaits();
            long begun = System.nanoTime();
            await().atMost(PATIENCE)
                    .until(() ->
                            System.nanoTime() - begun > Duration.ofSeconds(10).toNanos());
            rows.append(row("nothing, for 10 s", null, traffic));
            String pace = "\"perSecond\":10,\"atOnce\":5";
            traffic.forgetWaits();
            JsonNode drain = done(cluster, post(cluster, path(cluster.node(2), "drain"), "{" + pace + "}"));
            rows.append(row("drain of a node", drain, traffic));
            assertEquals(
                    200,
                    send(cluster.node(2), path(cluster.node(2), "resume"), "{}").statusCode());
            JsonNode plan = post(cluster, "/ops/shards/plans", "{\"by\":\"count\",\"atMost\":100}");
            traffic.forgetWaits();
            JsonNode moved = done(
                    cluster,
                    post(
                            cluster,
                            "/ops/shards/moves",
                            "{" + pace + ",\"plan\":\"" + plan.path("id").asText() + "\"}"));
            rows.append(row("moves by a plan", moved, traffic));
            traffic.enough();
            traffic.awaitEnd();
            traffic.assertAllKept(cluster.node(1).http());
            Files.writeString(
                    Path.of(System.getProperty("switchboard.cluster-moves.report")),
                    report(customers, pauseMs, traffic.accepted(), rows));
        }
    }

    private static String row(String what, JsonNode operation, KeptTraffic traffic) {
        List<Long> waits = traffic.waits();
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %d | %d | %d | %d | %s |%n",
                what,
                operation == null
                        ? "–"
                        : operation.path("progress").path("done").asText(),
                operation == null
                        ? "–"
                        : String.format(
                                Locale.ROOT, "%.0f", operation.path("seconds").asDouble()),
                waits.size(),
                at(waits, 0.5),
                at(waits, 0.99),
                at(waits, 1),
                operation == null
                        ? "–"
                        : operation.path("longestStall").path("millis").asText("–"));
    }

    private static long at(List<Long> sorted, double share) {
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.min(sorted.size() - 1, Math.floor(sorted.size() * share)));
    }

    private static String report(int customers, long pauseMs, int accepted, StringBuilder rows) {
        return """
                # A drain and moves of shards under load

                Three nodes, their PostgreSQL and the customers on one machine. %d customers, each in its own conversation, post over
                HTTP to any node, with a pause of %d ms after each answer; a post that isn't answered within 5 s or is refused is sent
                again to another node under its id. The pace of drain and moves: 10 shards a second at most, 5 under way. The wait is
                from a post's first try until it is accepted.

                %d processors, Java %s, %s.

                ```
                mvn test -pl src -am -Dtest=MovedShardsTest -Dsurefire.failIfNoSpecifiedTests=false \\
                    -Dswitchboard.cluster-moves.report="$PWD/docs/measurements/cluster-moves.md"
                ```

                | what happened | shards moved | seconds | posts | median ms | 99%% ms | longest ms | longest at a gateway, ms |
                |---|---|---|---|---|---|---|---|
                %s
                In all %d posts were accepted. Afterwards every history was read: 0 lost, 0 doubled, 0 out of order; otherwise the run
                fails.
                """.formatted(
                        customers,
                        pauseMs,
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("java.version"),
                        System.getProperty("os.name"),
                        rows,
                        accepted);
    }

    private static void print(String what, JsonNode operation, KeptTraffic traffic) {
        List<Long> waits = traffic.waits();
        org.slf4j.LoggerFactory.getLogger(MovedShardsTest.class)
                .info(
                        "{}: {} shards, longest wait at a gateway {} ms; of {} posts 99% waited {} ms at most, the longest {} ms",
                        what,
                        operation.path("progress").path("done").asInt(),
                        operation.path("longestStall").path("millis").asInt(),
                        waits.size(),
                        at(waits, 0.99),
                        at(waits, 1));
    }

    /** How many shards a node has, as another one sees it. */
    private static int shardsOn(ClusterUnderTest cluster, ClusterUnderTest.Node node) throws Exception {
        JsonNode seen =
                JSON.readTree(get(cluster.node(1).management(), "/ops/shards").body());
        int count = 0;
        for (JsonNode each : seen.path("nodes")) {
            if (each.path("management").asText().equals(node.management().getAuthority())) {
                for (JsonNode type : each.path("shards")) {
                    count += type.asInt();
                }
            }
        }
        return count;
    }

    private static String path(ClusterUnderTest.Node node, String what) {
        return "/ops/nodes/" + node.management().getAuthority() + "/" + what;
    }

    /** Waits until the operation is done. */
    private static JsonNode done(ClusterUnderTest cluster, JsonNode begun) throws Exception {
        String id = begun.path("id").asText();
        JsonNode[] last = new JsonNode[1];
        await().atMost(PATIENCE).until(() -> {
            last[0] = JSON.readTree(
                    get(cluster.node(1).management(), "/ops/shards/moves/" + id).body());
            return !last[0].path("status").asText().equals("running");
        });
        assertEquals("done", last[0].path("status").asText(), last[0]::toString);
        return last[0];
    }

    private static JsonNode post(ClusterUnderTest cluster, String path, String body) throws Exception {
        HttpResponse<String> answer = send(cluster.node(1), path, body);
        assertTrue(answer.statusCode() < 300, answer::body);
        return JSON.readTree(answer.body());
    }

    private static HttpResponse<String> send(ClusterUnderTest.Node node, String path, String body)
            throws IOException, InterruptedException {
        return HTTP.send(
                request(node.management(), path)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(URI management, String path) throws IOException, InterruptedException {
        return HTTP.send(request(management, path).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(URI management, String path) {
        return HttpRequest.newBuilder(URI.create(management + path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer dev:operator:olga");
    }
}
