package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An operator erases what was said: everybody is told, the numbers stay, and nobody gets the words any more. */
class ErasureTest extends ConformanceTest {
    private static final String SECRET = "quarksoup";

    @Test
    void shouldLeaveNumbersAndNoWordsToAnybody() {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "one " + SECRET);
        long epoch = owner.awaitOwner(talk.conv());
        talk.say("m2", "two " + SECRET);
        owner.client().must(Frames.note(talk.conv(), "note " + SECRET, epoch, scene.name("id")));
        talk.say("m3", "three " + SECRET);
        List<JsonNode> before = scene.history(talk.customer(), talk.conv());
        assertTrue(before.toString().contains(SECRET));

        ApiClient.Answer answer = scene.operator().delete(ApiClient.of(talk.conv(), ""));
        JsonNode erased = Scene.expect(200, answer);
        assertEquals("erased", erased.path("state").asText());
        long marker = erased.path("seq").asLong();

        // Those who are there are told by an entry that nobody sent.
        for (WireClient client : List.of(talk.client(), owner.client())) {
            JsonNode told = client.await(frame -> Frames.isEntry(frame, "erased"));
            assertEquals(marker, told.path("seq").asLong());
            assertTrue(told.path("from").isMissingNode(), told::toString);
        }
        List<JsonNode> after = scene.history(talk.customer(), talk.conv());
        assertFalse(after.toString().contains(SECRET), after::toString);
        assertEquals(seqs(before), seqs(after.subList(0, before.size())));
        assertEquals(marker, after.get(after.size() - 1).path("seq").asLong());
        assertTrue(after.stream().noneMatch(entry -> entry.has("body")), after::toString);

        // A client that resumes from before gets them under the same numbers.
        WireClient again = scene.closing(scene.client(scene.tokens().customer(talk.customer()))
                .terminal("other")
                .resume(talk.conv(), 0, null)
                .open());
        JsonNode first = again.await(frame -> Frames.isEntry(frame, "erased"));
        assertEquals(before.get(0).path("seq").asLong(), first.path("seq").asLong());
        assertEquals("m1", first.path("clientMsgId").asText());

        // The conversation goes on, and an old id is still known.
        JsonNode repeat = talk.client().must(Frames.post(talk.conv(), "m1", "other words"));
        assertTrue(repeat.path("duplicate").asBoolean(), repeat::toString);
        assertEquals(before.get(0).path("seq").asLong(), repeat.path("seq").asLong());
        talk.say("m4", "four");
        List<JsonNode> now = scene.history(talk.customer(), talk.conv());
        assertEquals("four", Frames.textOf(now.get(now.size() - 1)));
    }

    @Test
    void shouldEraseNothingTwice() {
        Scene.Talk talk = scene.talk(scene.queue());
        talk.say("m1", "hello");
        JsonNode first = Scene.expect(200, scene.operator().delete(ApiClient.of(talk.conv(), "")));
        JsonNode second = Scene.expect(200, scene.operator().delete(ApiClient.of(talk.conv(), "")));
        assertEquals(first.path("seq"), second.path("seq"));
        assertFalse(first.path("duplicate").asBoolean());
        assertTrue(second.path("duplicate").asBoolean());
        assertEquals(
                404, scene.operator().delete("/conversations/c-nobody-at-all").status());
    }

    private static List<Long> seqs(List<JsonNode> entries) {
        return entries.stream().map(entry -> entry.path("seq").asLong()).toList();
    }
}
