package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C20: an id belongs to its sender, and is known for as long as the conversation. */
class RequestIdsTest extends ConformanceTest {
    private static final int OTHERS = 300;
    private static final int AT_ONCE = 8;

    @Test
    void shouldTakeTheSameIdOfACustomerAndAnAgentForTwoMessages() {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        long asked = talk.say("same-id", "a question");
        owner.awaitOwner(talk.conv());
        JsonNode answer = owner.post(talk.conv(), "same-id", "an answer");
        assertEquals("reply", answer.path("type").asText(), answer::toString);
        assertEquals(false, answer.path("duplicate").asBoolean(true), answer::toString);
        assertNotEquals(asked, answer.path("seq").asLong());
    }

    @Test
    void shouldGiveTheFirstAnswerToARepeatThreeHundredPostsLater() throws Exception {
        Scene.Talk talk = scene.talk(scene.queue());
        long first = talk.say("the-first", "remember me");
        List<CompletableFuture<JsonNode>> open = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            open.add(talk.client().request(Frames.post(talk.conv(), "other-" + i, "something else " + i)));
            if (open.size() == AT_ONCE) {
                for (CompletableFuture<JsonNode> answer : open) {
                    JsonNode reply = answer.get(20, TimeUnit.SECONDS);
                    assertEquals("reply", reply.path("type").asText(), reply::toString);
                }
                open.clear();
            }
        }
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);

        JsonNode again = talk.client()
                .ask(Frames.post(talk.conv(), "the-first", "remember me").put("repeat", true));
        assertEquals("reply", again.path("type").asText(), again::toString);
        assertEquals(first, again.path("seq").asLong(), again::toString);
        assertTrue(again.path("duplicate").asBoolean(), again::toString);

        JsonNode other = talk.client()
                .ask(Frames.post(talk.conv(), "the-first", "another body").put("repeat", true));
        assertEquals("id-reused", other.path("code").asText(), other::toString);
        assertEquals(
                OTHERS + 1,
                scene.history(talk.customer(), talk.conv()).stream()
                        .filter(entry -> entry.path("kind").asText().equals("message"))
                        .count());
    }
}
