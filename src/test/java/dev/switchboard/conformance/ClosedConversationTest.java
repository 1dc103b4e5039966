package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C10: what a message to a closed conversation does is the queue's choice, and the same every time. */
class ClosedConversationTest extends ConformanceTest {
    private static final int RACES = 40;

    private Scene.Talk closed(String queue) {
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        long epoch = owner.awaitOwner(talk.conv());
        owner.client().must(Frames.close(talk.conv(), epoch, "solved", "close"));
        talk.client().await(frame -> Frames.isEntry(frame, "closed"));
        return talk;
    }

    @Test
    void shouldReopenByDefault() {
        Scene.Talk talk = closed(scene.queue());
        JsonNode reply = talk.client().must(Frames.post(talk.conv(), "m2", "one more thing"));
        assertEquals(talk.conv(), reply.path("conv").asText());
        talk.client().await(frame -> Frames.isEntry(frame, "reopened"));
        List<String> kinds = scene.history(talk.customer(), talk.conv()).stream()
                .map(entry -> entry.path("kind").asText())
                .toList();
        assertTrue(kinds.contains("reopened"), kinds::toString);
        assertTrue(kinds.indexOf("reopened") > kinds.indexOf("closed"), kinds::toString);
        assertNotEquals(
                "closed",
                scene.look(talk.customer(), talk.conv()).path("status").asText());
    }

    @Test
    void shouldRefuseWhereTheQueueSaysSo() {
        Scene.Talk talk = closed(scene.queue(settings -> settings.put("whenClosed", "refuse")));
        for (int i = 0; i < 3; i++) {
            JsonNode refused = talk.client().ask(Frames.post(talk.conv(), "m2" + i, "one more thing"));
            assertEquals("closed", refused.path("code").asText(), refused::toString);
        }
        assertEquals(
                1,
                scene.history(talk.customer(), talk.conv()).stream()
                        .filter(entry -> entry.path("kind").asText().equals("message"))
                        .count());
    }

    @Test
    void shouldOpenANewOneWhereTheQueueSaysSo() {
        Scene.Talk talk = closed(scene.queue(settings -> settings.put("whenClosed", "open-new")));
        JsonNode reply = talk.client().must(Frames.post(null, "m2", "something else"));
        String successor = reply.path("conv").asText();
        assertNotEquals(talk.conv(), successor);
        assertEquals(
                List.of("something else"),
                scene.history(talk.customer(), successor).stream()
                        .filter(entry -> entry.path("kind").asText().equals("message"))
                        .map(Frames::textOf)
                        .toList());
        assertEquals(
                "closed",
                scene.look(talk.customer(), talk.conv()).path("status").asText());
    }

    @Test
    void shouldNeverAcceptAndLoseAPostInTheInstantOfTheClose() throws Exception {
        String queue = scene.queue(settings -> settings.put("autoAccept", true).put("preferLastAgentForMs", 0));
        Desk owner = scene.agent(50, queue);
        for (int i = 0; i < RACES; i++) {
            Scene.Talk talk = scene.talk(queue);
            talk.say("m1", "hello");
            long epoch = owner.awaitOwner(talk.conv());

            CompletableFuture<JsonNode> closing =
                    owner.client().request(Frames.close(talk.conv(), epoch, "solved", "close"));
            CompletableFuture<JsonNode> posting =
                    talk.client().request(Frames.post(talk.conv(), "m2", "in the same instant"));
            JsonNode close = closing.get(20, TimeUnit.SECONDS);
            JsonNode post = posting.get(20, TimeUnit.SECONDS);
            assertEquals("reply", close.path("type").asText(), close::toString);
            assertEquals("reply", post.path("type").asText(), "by default a post is never refused: " + post);

            List<JsonNode> history = scene.history(talk.customer(), talk.conv());
            List<JsonNode> found = history.stream()
                    .filter(entry -> Frames.textOf(entry).equals("in the same instant"))
                    .toList();
            assertEquals(1, found.size(), history::toString);
            assertEquals(post.path("seq").asLong(), found.get(0).path("seq").asLong());
            long closedAt = seqOf(history, "closed");
            if (found.get(0).path("seq").asLong() > closedAt) {
                assertTrue(seqOf(history, "reopened") > closedAt, () -> "after the close it is open again: " + history);
            }
            talk.client().close();
        }
    }

    private static long seqOf(List<JsonNode> history, String kind) {
        return history.stream()
                .filter(entry -> entry.path("kind").asText().equals(kind))
                .mapToLong(entry -> entry.path("seq").asLong())
                .findFirst()
                .orElse(-1);
    }
}
