package dev.switchboard.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Customers who post over HTTP at whichever node answers, each message again until it is accepted, and who know what
 * was. Made and asked by one thread.
 */
final class KeptTraffic {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration CALL = Duration.ofSeconds(5);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final List<URI> nodes;
    private final int messages;
    private final Duration pause;
    private final List<Thread> customers = new ArrayList<>();
    private final List<String> conversations;
    /** Where each customer asks: the node that answered last. */
    private final int[] current;

    /** How many of each customer's messages were accepted. */
    private final int[] sent;

    /** How long each message took from its first try until it was accepted. */
    private final Queue<Long> waitedMs = new ConcurrentLinkedQueue<>();

    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean enough;

    /**
     * Begins.
     *
     * @param pause between two messages of one customer
     */
    KeptTraffic(List<URI> nodes, int customers, int messages, Duration pause) {
        this.nodes = nodes;
        this.messages = messages;
        this.pause = pause;
        this.conversations = new ArrayList<>(java.util.Collections.nCopies(customers, null));
        this.current = IntStream.range(0, customers).toArray();
        this.sent = new int[customers];
        for (int k = 0; k < customers; k++) {
            int customer = k;
            Thread thread = new Thread(() -> live(customer), "customer " + k);
            thread.setDaemon(true);
            thread.start();
            this.customers.add(thread);
        }
    }

    /** No customer begins another message. */
    void enough() {
        enough = true;
    }

    /** From now on, waits count. */
    void forgetWaits() {
        waitedMs.clear();
    }

    /** The waits that count, in milliseconds, the shortest first. */
    List<Long> waits() {
        return waitedMs.stream().sorted().toList();
    }

    /** How many messages were accepted so far. */
    int accepted() {
        return accepted.get();
    }

    /** Waits until every customer has got every message through. */
    void awaitEnd() throws InterruptedException {
        for (Thread customer : customers) {
            customer.join(PATIENCE.toMillis() * 2);
        }
        assertNull(failure.get(), () -> "a customer failed: " + failure.get());
        assertEquals(IntStream.of(sent).sum(), accepted.get());
        assertTrue(enough || accepted.get() == customers.size() * messages, "somebody has ended too soon");
    }

    /** Every message is in its conversation's history once, and in the order in which it was sent. */
    void assertAllKept(URI node) throws Exception {
        for (int k = 0; k < customers.size(); k++) {
            List<String> all =
                    IntStream.range(0, sent[k]).mapToObj(String::valueOf).toList();
            assertEquals(all, history(node, k), "customer " + k);
        }
    }

    private List<String> history(URI node, int customer) throws Exception {
        List<String> found = new ArrayList<>();
        long since = 1;
        JsonNode page;
        do {
            page = JSON.readTree(call(request(
                                    node,
                                    customer,
                                    ApiClient.of(conversations.get(customer), "/entries?limit=200&since=" + since))
                            .GET())
                    .body());
            for (JsonNode entry : page.path("entries")) {
                since = entry.path("seq").asLong() + 1;
                if (entry.path("kind").asText().equals("message")) {
                    found.add(entry.path("body").path("text").asText());
                }
            }
        } while (page.path("hasMore").asBoolean());
        return found;
    }

    private void live(int customer) {
        try {
            // Not all in the same moment.
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause.toNanos()));
            JsonNode opened = untilDone(customer, "/conversations", "open-" + customer, JSON.createObjectNode());
            conversations.set(customer, opened.path("conv").asText());
            for (int i = 0; i < messages && !enough; i++) {
                long begun = System.nanoTime();
                ObjectNode post = JSON.createObjectNode();
                post.putObject("body").put("type", "text").put("text", String.valueOf(i));
                if (i > 0) {
                    post.put("after", key(customer, i - 1));
                }
                untilDone(customer, ApiClient.of(conversations.get(customer), "/messages"), key(customer, i), post);
                waitedMs.add((System.nanoTime() - begun) / 1_000_000);
                sent[customer]++;
                accepted.incrementAndGet();
                LockSupport.parkNanos(pause.toNanos());
            }
        } catch (InterruptedException | IOException | RuntimeException | AssertionError e) {
            failure.compareAndSet(null, e);
        }
    }

    private static String key(int customer, int message) {
        return "k" + customer + "-" + message;
    }

    /** Tries one node after the other until one says that it is done. */
    private JsonNode untilDone(int customer, String path, String key, ObjectNode body)
            throws InterruptedException, IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String last = "";
        for (int tries = 0; System.nanoTime() - deadline < 0; tries++) {
            if (tries > 0) {
                body.put("repeat", true);
                LockSupport.parkNanos(BETWEEN_TRIES.toNanos());
            }
            URI node = nodes.get(current[customer] % nodes.size());
            try {
                HttpResponse<String> answer = call(request(node, customer, path)
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", key)
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
                if (answer.statusCode() == 200 || answer.statusCode() == 201) {
                    return JSON.readTree(answer.body());
                }
                last = answer.statusCode() + " " + answer.body();
            } catch (IOException e) {
                last = e.toString();
            }
            current[customer]++;
        }
        throw new AssertionError(key + " was never accepted; the last answer: " + last);
    }

    private static HttpRequest.Builder request(URI node, int customer, String path) {
        return HttpRequest.newBuilder(URI.create(node + "/api/v1" + path))
                .timeout(CALL)
                .header("Authorization", "Bearer dev:customer:k" + customer);
    }

    private HttpResponse<String> call(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
