package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * C22, what can be seen of it from outside: a server that is killed while conversations, desks and lines are in the
 * middle of their steps. Afterwards no agent holds more than its capacity, no slot is held for nothing, and nobody
 * waits for ever. The dropped steps themselves are tested where they can be dropped, with the actors.
 */
class CrashBetweenStepsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int AGENTS = 3;
    private static final int CAPACITY = 2;
    private static final int CUSTOMERS = 12;
    private static final int KILLS = 3;

    @Test
    void shouldServeEverybodyAndLeakNoSlotAfterKillsInTheMiddleOfSteps() throws Exception {
        try (ServerProcess server = ServerProcess.builder()
                .environment("SWITCHBOARD_CONVERSATION_ATTACH_TIME", "2s")
                .environment("SWITCHBOARD_DESK_ATTACH_TIME", "2s")
                .start()) {
            server.awaitReady();
            ApiClient operator =
                    new ApiClient(WireClient.http(), server.address().http(), "dev:operator:op");
            profiles(operator);
            Map<String, String> conversations = new HashMap<>();
            for (int kill = 0; kill < KILLS; kill++) {
                List<WireClient> agents = agents(server);
                disturb(server, conversations, kill);
                server.kill();
                agents.forEach(WireClient::cut);
                server.startAgain();
                server.awaitReady();
            }
            // Everybody is served in the end, although six slots serve twelve.
            List<WireClient> agents = agents(server);
            Set<String> open = new TreeSet<>(conversations.values());
            Scene.until("everybody was served", PATIENCE, () -> {
                assertNobodyAbove(operator);
                for (JsonNode row : list(operator, "assigned")) {
                    close(server, row);
                }
                open.retainAll(conversationsOpen(operator));
                return open.isEmpty();
            });
            Scene.until("every slot is free", PATIENCE, () -> heldSlots(operator) == 0);
            agents.forEach(WireClient::cut);
        }
    }

    private static void profiles(ApiClient operator) {
        for (int i = 0; i < AGENTS; i++) {
            ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", CAPACITY);
            profile.putArray("queues").add("default");
            Scene.expect(200, operator.put("/agents/agent" + i + "/profile", profile));
        }
    }

    /** Agents who take what is offered, and now and then hand it on. */
    private static List<WireClient> agents(ServerProcess server) {
        List<WireClient> agents = new ArrayList<>();
        for (int i = 0; i < AGENTS; i++) {
            WireClient agent = WireClient.to(WireClient.http(), server.address().socket())
                    .token("dev:agent:agent" + i)
                    .listener((client, frame) -> {
                        if (Frames.is(frame, "offer")) {
                            client.send(
                                    Frames.accept(frame.path("offer").asText()).put("id", "take"));
                        } else if (Frames.is(frame, "reply")
                                && frame.path("id").asText().equals("take")) {
                            long epoch = frame.path("epoch").asLong();
                            if (epoch % 2 == 1) {
                                client.send(Frames.transferToQueue(
                                                frame.path("conv").asText(), "default", epoch, "hand-" + epoch)
                                        .put("id", "hand"));
                            }
                        }
                    })
                    .open();
            agent.insist(Frames.status("available"));
            agents.add(agent);
        }
        return agents;
    }

    /** Opens conversations and closes others at once, and returns while the steps that follow are under way. */
    private static void disturb(ServerProcess server, Map<String, String> conversations, int round) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < CUSTOMERS; i++) {
            String customer = "customer" + i;
            String conv = "c-" + customer;
            conversations.put(customer, conv);
            ApiClient api = new ApiClient(WireClient.http(), server.address().http(), "dev:customer:" + customer);
            all.add(api.start("POST", "/conversations", JsonNodeFactory.instance.objectNode(), "open" + round)
                    .thenCompose(opened -> api.start(
                            "POST",
                            ApiClient.of(conv, "/messages"),
                            ApiClient.messageBody("round " + round),
                            "m" + round)));
        }
        // The kill comes when half are through: the others are in the middle.
        CompletableFuture<Void> half = new CompletableFuture<>();
        var count = new java.util.concurrent.atomic.AtomicInteger();
        all.forEach(one -> {
            var unused = one.whenComplete((done, failure) -> {
                if (count.incrementAndGet() == CUSTOMERS / 2) {
                    half.complete(null);
                }
            });
        });
        half.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static void close(ServerProcess server, JsonNode row) {
        String owner = row.path("owner").asText();
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("epoch", row.path("epoch").asLong());
        ApiClient.Answer answer = new ApiClient(
                        WireClient.http(), server.address().http(), "dev:agent:" + owner)
                .post(ApiClient.of(row.path("conv").asText(), "/close"), body, "close" + row.path("epoch"));
        // It may have moved on since the list was read.
        assertTrue(answer.status() == 200 || answer.status() == 409 || answer.status() >= 500, answer::text);
    }

    private static void assertNobodyAbove(ApiClient operator) {
        Map<String, Integer> held = new HashMap<>();
        list(operator, "assigned").forEach(row -> held.merge(row.path("owner").asText(), 1, Integer::sum));
        held.forEach((agent, count) -> assertTrue(count <= CAPACITY, () -> agent + " owns " + count));
        for (int i = 0; i < AGENTS; i++) {
            JsonNode desk = Scene.expect(200, operator.get("/agents/agent" + i));
            assertTrue(desk.path("held").asInt() <= CAPACITY, desk::toString);
        }
    }

    private static Set<String> conversationsOpen(ApiClient operator) {
        Set<String> open = new TreeSet<>();
        for (String status : List.of("waiting", "offered", "assigned")) {
            list(operator, status).forEach(row -> open.add(row.path("conv").asText()));
        }
        return open;
    }

    private static int heldSlots(ApiClient operator) {
        int held = 0;
        for (int i = 0; i < AGENTS; i++) {
            held += Scene.expect(200, operator.get("/agents/agent" + i))
                    .path("held")
                    .asInt();
        }
        return held;
    }

    private static List<JsonNode> list(ApiClient operator, String status) {
        List<JsonNode> rows = new ArrayList<>();
        JsonNode page = Scene.expect(200, operator.get("/conversations?limit=200&status=" + status));
        page.path("items").forEach(rows::add);
        assertEquals(false, page.hasNonNull("cursor"), "one page is enough here");
        return rows;
    }
}
