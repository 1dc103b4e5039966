package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.CountedTraffic;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A real server process that is killed in the middle: nothing accepted is lost, and C19's order holds over the stop
 * and the start. {@code ./switchboard bench restart} does the first with ten times as much.
 */
class RestartTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Test
    void shouldDeliverWhatWasAcceptedOnceAndInOrderThroughAKill() throws Exception {
        try (ServerProcess server = ServerProcess.builder().start()) {
            server.awaitReady();
            CountedTraffic.Plan plan = new CountedTraffic.Plan("kill", 20, 4, 100);
            try (CountedTraffic traffic = new CountedTraffic(server.address().http(), plan)) {
                traffic.start();
                Scene.until("half is accepted", PATIENCE, () -> traffic.accepted() >= traffic.planned() / 2);
                server.kill();
                server.startAgain();
                server.awaitReady();
                boolean finished = traffic.awaitDone(PATIENCE);
                CountedTraffic.Report report = traffic.report();
                assertTrue(finished, report::toString);
                assertTrue(report.isClean(), report::toString);
                assertEquals(traffic.planned(), report.accepted(), report::toString);
            }
        }
    }

    @Test
    void shouldKeepTheOrderOfPostsSentWithoutWaitingThroughAKill() {
        HttpClient http = WireClient.http();
        try (ServerProcess server = ServerProcess.builder().start()) {
            server.awaitReady();
            WireClient client = connect(http, server);
            String conv = client.insist(Frames.of("open")).path("conv").asText();
            int sent = 0;
            for (int round = 0; round < 2; round++) {
                List<CompletableFuture<JsonNode>> open = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    open.add(client.request(post(conv, sent + i)));
                }
                server.kill();
                CompletableFuture.allOf(open.toArray(CompletableFuture[]::new))
                        .handle((done, lost) -> null)
                        .join();
                server.startAgain();
                server.awaitReady();
                client = connect(http, server);
                for (int i = 0; i < 5; i++) {
                    JsonNode again = client.insist(post(conv, sent + i).put("repeat", true));
                    CompletableFuture<JsonNode> first = open.get(i);
                    if (!first.isCompletedExceptionally()) {
                        assertEquals(first.join().path("seq"), again.path("seq"), "the first answer holds");
                    }
                }
                sent += 5;
            }
            List<String> texts = new ArrayList<>();
            client.must(Frames.history(conv, 1, 100)).path("entries").forEach(entry -> {
                if (entry.path("kind").asText().equals("message")) {
                    texts.add(Frames.textOf(entry));
                }
            });
            assertEquals(IntStream.range(0, sent).mapToObj(i -> "m" + i).toList(), texts);
            client.close();
        }
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode post(String conv, int i) {
        var post = Frames.post(conv, "m" + i, "m" + i);
        return i == 0 ? post : post.put("after", "m" + (i - 1));
    }

    private static WireClient connect(HttpClient http, ServerProcess server) {
        return WireClient.to(http, server.address().socket())
                .token("dev:customer:orderly")
                .open();
    }
}
