package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C6: capacity holds, whatever comes at once. */
class CapacityTest extends ConformanceTest {
    private static final int CONVERSATIONS = 200;
    private static final int AGENTS = 5;
    private static final int CAPACITY = 3;

    @Test
    void shouldAssignWhatFitsAndLetTheOthersWait() throws Exception {
        String queue = scene.queue();
        List<Desk> desks = agents(queue);
        List<String> conversations = openAll(queue);

        Scene.until("15 are assigned", () -> assigned(queue) == AGENTS * CAPACITY);
        Scene.during("and no more", Duration.ofSeconds(2), () -> assigned(queue) == AGENTS * CAPACITY);
        assertEquals(CONVERSATIONS - AGENTS * CAPACITY, waiting(queue));
        assertNobodyAbove(queue, desks);
        assertEquals(CONVERSATIONS, conversations.size());
    }

    @Test
    void shouldNeverExceedCapacityWhileAgentsComeAndGo() throws Exception {
        String queue = scene.queue(settings -> settings.put("autoAccept", true).put("ownerGraceMs", 60_000));
        List<Desk> desks = agents(queue);
        openAll(queue);
        Scene.until("15 are assigned", () -> assigned(queue) == AGENTS * CAPACITY);

        for (int round = 0; round < 10; round++) {
            Desk goes = desks.get(round % AGENTS);
            Desk works = desks.get((round + 1) % AGENTS);
            goes.status("away");
            if (round % 3 == 0) {
                goes.cut();
                goes.come();
            }
            for (Map.Entry<String, Long> held : works.owned().entrySet()) {
                works.client().must(Frames.close(held.getKey(), held.getValue(), "done", scene.name("close")));
            }
            goes.status("available");
            assertNobodyAbove(queue, desks);
        }
        Scene.until("the slots are filled again", () -> assigned(queue) == AGENTS * CAPACITY);
        assertNobodyAbove(queue, desks);
        for (Desk desk : desks) {
            assertTrue(desk.most() <= CAPACITY, () -> desk.name() + " once held " + desk.most());
        }
    }

    private List<Desk> agents(String queue) {
        List<Desk> desks = new ArrayList<>();
        for (int i = 0; i < AGENTS; i++) {
            desks.add(scene.agent(CAPACITY, queue));
        }
        return desks;
    }

    private List<String> openAll(String queue) throws Exception {
        List<CompletableFuture<ApiClient.Answer>> opening = new ArrayList<>();
        for (int i = 0; i < CONVERSATIONS; i++) {
            ObjectNode body = JsonNodeFactory.instance.objectNode().put("queue", queue);
            opening.add(scene.api(scene.tokens().customer(scene.name("customer")))
                    .start("POST", "/conversations", body, "open"));
        }
        List<String> conversations = new ArrayList<>();
        for (CompletableFuture<ApiClient.Answer> answer : opening) {
            conversations.add(Scene.expect(201, answer.get(30, TimeUnit.SECONDS))
                    .path("conv")
                    .asText());
        }
        return conversations;
    }

    private long assigned(String queue) {
        return list(queue, "assigned").size();
    }

    private long waiting(String queue) {
        return (long) list(queue, "waiting").size() + list(queue, "offered").size();
    }

    private void assertNobodyAbove(String queue, List<Desk> desks) {
        Map<String, Integer> held = new HashMap<>();
        list(queue, "assigned").forEach(row -> held.merge(row.path("owner").asText(), 1, Integer::sum));
        held.forEach((agent, count) -> assertTrue(count <= CAPACITY, () -> agent + " holds " + count));
        for (Desk desk : desks) {
            JsonNode shown = Scene.expect(200, scene.operator().get("/agents/" + desk.name()));
            assertTrue(shown.path("held").asInt() <= CAPACITY, shown::toString);
        }
    }

    private List<JsonNode> list(String queue, String status) {
        return scene.conversations("queue=" + queue + "&status=" + status);
    }
}
