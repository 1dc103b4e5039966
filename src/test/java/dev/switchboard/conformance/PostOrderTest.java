package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** C19, what a client can see of it on one node: posts that name their predecessor keep their order. */
class PostOrderTest extends ConformanceTest {
    private static final int MESSAGES = 5;
    private static final int CONVERSATIONS = 20;

    @Test
    void shouldKeepTheOrderOfPostsSentWithoutWaitingOverOneSocket() throws Exception {
        Scene.Talk talk = scene.talk(scene.queue());
        List<CompletableFuture<JsonNode>> open = new ArrayList<>();
        for (int i = 1; i <= MESSAGES; i++) {
            ObjectNode post = Frames.post(talk.conv(), "m" + i, "m" + i);
            open.add(talk.client().request(i == 1 ? post : post.put("after", "m" + (i - 1))));
        }
        long before = 0;
        for (CompletableFuture<JsonNode> answer : open) {
            JsonNode reply = answer.join();
            assertEquals("reply", reply.path("type").asText(), reply::toString);
            assertTrue(reply.path("seq").asLong() > before, reply::toString);
            before = reply.path("seq").asLong();
        }
        assertEquals(inOrder(), texts(talk));
    }

    @Test
    void shouldKeepTheOrderOfPostsThatTravelByHttpAllAtOnce() {
        String queue = scene.queue();
        for (int round = 0; round < CONVERSATIONS; round++) {
            Scene.Talk talk = scene.talk(queue);
            ApiClient api = scene.api(scene.tokens().customer(talk.customer()));
            // The last first: nothing but `after` says which comes before which.
            List<CompletableFuture<Void>> all = IntStream.iterate(MESSAGES, i -> i > 0, i -> i - 1)
                    .mapToObj(i -> untilAccepted(api, talk.conv(), i, 0))
                    .toList();
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
            assertEquals(inOrder(), texts(talk));
            talk.client().close();
        }
    }

    @Test
    void shouldRefuseAPostWhosePredecessorIsUnknownAndSayThatARetryCanHelp() {
        Scene.Talk talk = scene.talk(scene.queue());
        JsonNode early = talk.client().ask(Frames.post(talk.conv(), "m2", "m2").put("after", "m1"));
        assertEquals("out-of-order", early.path("code").asText(), early::toString);
        assertTrue(early.path("retryable").asBoolean(), early::toString);
        talk.say("m1", "m1");
        talk.client().must(Frames.post(talk.conv(), "m2", "m2").put("after", "m1"));
        assertEquals(List.of("m1", "m2"), texts(talk));
    }

    /** Posts and, for as long as it comes too early, posts again. */
    private static CompletableFuture<Void> untilAccepted(ApiClient api, String conv, int i, int tries) {
        ObjectNode body = ApiClient.messageBody("m" + i);
        if (i > 1) {
            body.put("after", "m" + (i - 1));
        }
        if (tries > 0) {
            body.put("repeat", true);
        }
        return api.start("POST", ApiClient.of(conv, "/messages"), body, "m" + i).thenCompose(answer -> {
            if (answer.status() == 201 || answer.status() == 200) {
                return CompletableFuture.completedFuture(null);
            }
            if (tries > 100 || !answer.json().path("retryable").asBoolean()) {
                return CompletableFuture.failedFuture(
                        new CompletionException(new AssertionError("m" + i + " got " + answer.text())));
            }
            return CompletableFuture.supplyAsync(
                            () -> null,
                            CompletableFuture.delayedExecutor(10, java.util.concurrent.TimeUnit.MILLISECONDS))
                    .thenCompose(waited -> untilAccepted(api, conv, i, tries + 1));
        });
    }

    private static List<String> inOrder() {
        return IntStream.rangeClosed(1, MESSAGES).mapToObj(i -> "m" + i).toList();
    }

    private List<String> texts(Scene.Talk talk) {
        return scene.history(talk.customer(), talk.conv()).stream()
                .filter(entry -> entry.path("kind").asText().equals("message"))
                .map(Frames::textOf)
                .toList();
    }
}
