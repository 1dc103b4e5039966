package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * C14 on a server process that is killed: attempts are counted on, and a bulk retry goes on where it was. On PostgreSQL;
 * {@code -Dswitchboard.test.letters=h2} does it on H2.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LettersThroughKillsTest {
    private static final boolean H2 = "h2".equals(System.getProperty("switchboard.test.letters"));
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int CONVERSATIONS = 20;
    private static final int EACH = 5;
    private static final int LETTERS = CONVERSATIONS * EACH;

    private EmbeddedPostgres postgres;
    private ServerProcess server;

    @BeforeAll
    void start() throws IOException {
        ServerProcess.Builder builder = ServerProcess.builder()
                .environment("SWITCHBOARD_DEAD_LETTERS_BACKOFF_MIN", "200ms")
                .environment("SWITCHBOARD_DEAD_LETTERS_RETRY_TIMEOUT", "3s");
        if (!H2) {
            postgres = EmbeddedPostgres.builder()
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .start();
            builder.environment(
                            "SWITCHBOARD_DB_URL",
                            postgres.getJdbcUrl("postgres", "postgres").replaceAll("\\?.*", ""))
                    .environment("SWITCHBOARD_DB_USER", "postgres")
                    .environment("SWITCHBOARD_DB_PASSWORD", "postgres");
        }
        server = builder.start();
        server.awaitReady();
    }

    @AfterAll
    void end() throws IOException {
        if (server != null) {
            server.close();
        }
        if (postgres != null) {
            postgres.close();
        }
    }

    private Scene scene() {
        return new Scene(new Target(server.address(), Tokens.external(), true));
    }

    private static List<JsonNode> letters(Scene scene, String queue, String more) {
        List<JsonNode> items = new ArrayList<>();
        Scene.expect(200, scene.operator().get("/dead-letters?limit=200&queue=" + queue + more))
                .path("items")
                .forEach(items::add);
        return items;
    }

    private static JsonNode detail(Scene scene, JsonNode letter) {
        String id = ApiClient.segment(letter.path("id").asText());
        return Scene.expect(200, scene.operator().get("/dead-letters/" + id));
    }

    /** A message that was refused once, and not again before {@link #goOn}. */
    private static final class RefusedOnce {
        private final Scene scene;
        private final String queue;
        private final AtomicInteger refusals = new AtomicInteger(1);
        private final Scene.Talk earlier;
        private final Desk agent;

        RefusedOnce(Scene scene) {
            this.scene = scene;
            queue = scene.queue();
            agent = scene.judgingAgent(5, queue, this::judge);
            earlier = scene.talk(queue);
            earlier.say("m0", "before anybody is there");
            Scene.Talk talk = scene.talk(queue);
            agent.awaitOwner(talk.conv());
            talk.say("m1", "bad");
            talk.client().await(frame -> Frames.is(frame, "state"), Scene.PATIENCE);
        }

        private Desk.Verdict judge(JsonNode entry) {
            if (!Frames.isMessage(entry) || !Frames.textOf(entry).equals("bad")) {
                return Desk.Verdict.ACK;
            }
            return refusals.getAndDecrement() > 0 ? Desk.Verdict.NACK : Desk.Verdict.NOTHING;
        }

        void goOn() {
            JsonNode status = Scene.expect(
                    200,
                    scene.api(scene.tokens().customer(earlier.customer()))
                            .get(ApiClient.of(earlier.conv(), "/messages/m0/status")));
            JsonNode routed = status.path("steps").get(1);
            assertEquals("routed", routed.path("step").asText(), status::toString);
            assertEquals("unknown", routed.path("state").asText(), "no node remembers the time before: " + status);
            // An attempt may come more than once; each refusal names the attempt that it answers.
            refusals.set(Integer.MAX_VALUE);
            agent.come();
            Scene.until(
                    "a dead letter", PATIENCE, () -> !letters(scene, queue, "").isEmpty());
            JsonNode letter = detail(scene, letters(scene, queue, "").get(0));
            List<Integer> attempts = StreamSupport.stream(
                            letter.path("attempts").spliterator(), false)
                    .map(attempt -> attempt.path("attempt").asInt())
                    .toList();
            assertEquals(List.of(1, 2, 3), attempts, letter::toString);
            assertEquals(3, letter.path("attempt").asInt());
            assertEquals(
                    "refusal 1", letter.path("attempts").get(0).path("reason").asText(), letter::toString);
        }
    }

    @Test
    void shouldGoOnCountingAttemptsAndWithABulkRetryThroughAKill() {
        try (Scene scene = scene()) {
            RefusedOnce once = new RefusedOnce(scene);
            String queue = scene.queue(settings -> settings.put("deadLetters", "skip"));
            AtomicBoolean refuses = new AtomicBoolean(true);
            Desk agent = scene.judgingAgent(
                    CONVERSATIONS,
                    queue,
                    entry -> refuses.get() && Frames.isMessage(entry) ? Desk.Verdict.NACK : Desk.Verdict.ACK);
            refuse(scene, queue, agent);
            refuses.set(false);

            JsonNode first = Scene.expect(202, ask(scene, "first", queue, 20));
            assertEquals(LETTERS, first.path("progress").path("total").asInt(), first::toString);
            awaitDelivered(scene, first, 5);
            Scene.expect(200, scene.operator().post(path(first) + "/stop", JsonNodeFactory.instance.objectNode(), "s"));
            JsonNode stopped = awaitState(scene, first, "stopped");
            int before = count(stopped, "delivered");
            assertTrue(count(stopped, "waiting") > 0, stopped::toString);
            assertEquals(LETTERS, before + count(stopped, "waiting") + count(stopped, "failed"), stopped::toString);
            assertEquals(LETTERS - before, letters(scene, queue, "&state=dead").size(), "what was not sent stays dead");

            JsonNode second = Scene.expect(202, ask(scene, "second", queue, 50));
            assertEquals(LETTERS - before, count(second, "total"), second::toString);
            awaitDelivered(scene, second, 5);
            server.kill();
            server.startAgain();
            server.awaitReady();
            agent.come();
            once.goOn();
            JsonNode again = Scene.expect(200, ask(scene, "second", queue, 50));
            assertEquals(second.path("id"), again.path("id"), again::toString);
            assertTrue(again.path("duplicate").asBoolean(), again::toString);
            JsonNode done = awaitState(scene, second, "done");
            assertEquals(count(second, "total"), count(done, "delivered") + count(done, "failed"), done::toString);
            assertEquals(0, count(done, "waiting"), done::toString);

            Scene.expect(202, ask(scene, "rest", queue, 200));
            Scene.until(
                    "all are delivered",
                    PATIENCE,
                    () -> letters(scene, queue, "").isEmpty());
            List<JsonNode> delivered = letters(scene, queue, "&state=delivered");
            assertEquals(LETTERS, delivered.size());
            for (JsonNode letter : delivered.subList(0, 5)) {
                assertRetriedOnceAJob(detail(scene, letter));
            }
        }
    }

    /** Each action names who asked and for which job, and a job acts on a letter once. */
    private static void assertRetriedOnceAJob(JsonNode letter) {
        Set<String> keys = new HashSet<>();
        assertTrue(letter.path("actions").size() > 0, letter::toString);
        for (JsonNode action : letter.path("actions")) {
            assertEquals("retry", action.path("action").asText());
            assertTrue(action.path("by").path("id").asText().startsWith("op-"), letter::toString);
            assertTrue(keys.add(action.path("key").asText()), letter::toString);
        }
    }

    private static void refuse(Scene scene, String queue, Desk agent) {
        Map<Integer, Scene.Talk> talks = new HashMap<>();
        for (int i = 0; i < CONVERSATIONS; i++) {
            talks.put(i, scene.talk(queue));
        }
        talks.values().forEach(talk -> agent.awaitOwner(talk.conv()));
        for (int n = 0; n < EACH; n++) {
            for (Scene.Talk talk : talks.values()) {
                talk.say("m" + n, "message " + n);
            }
        }
        Scene.until(
                "all are refused",
                PATIENCE,
                () -> letters(scene, queue, "&state=dead").size() == LETTERS);
    }

    private static ApiClient.Answer ask(Scene scene, String key, String queue, int pace) {
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.putObject("filter").put("queue", queue);
        return scene.operator().post("/dead-letters/retry", request.put("pace", pace), key);
    }

    private static String path(JsonNode job) {
        return "/dead-letters/retry/jobs/" + job.path("id").asText();
    }

    private static int count(JsonNode job, String what) {
        return job.path("progress").path(what).asInt();
    }

    private static void awaitDelivered(Scene scene, JsonNode job, int atLeast) {
        Scene.until(
                "some are delivered",
                PATIENCE,
                () -> count(Scene.expect(200, scene.operator().get(path(job))), "delivered") >= atLeast);
    }

    private static JsonNode awaitState(Scene scene, JsonNode job, String state) {
        Scene.until(
                "the job is " + state,
                PATIENCE,
                () -> Scene.expect(200, scene.operator().get(path(job)))
                        .path("state")
                        .asText()
                        .equals(state));
        return Scene.expect(200, scene.operator().get(path(job)));
    }
}
