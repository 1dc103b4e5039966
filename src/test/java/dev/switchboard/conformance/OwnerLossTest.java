package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** C7: what becomes of a conversation whose owner's socket dies. */
class OwnerLossTest extends ConformanceTest {
    private static final Duration GRACE = Duration.ofSeconds(2);

    private String queueWithShortGrace() {
        return scene.queue(settings -> settings.put("ownerGraceMs", GRACE.toMillis())
                .put("preferLastAgentForMs", 0)
                .put("preferTargetForMs", 0));
    }

    @Test
    void shouldKeepTheOwnerWhoIsBackInsideTheGracePeriod() {
        String queue = scene.queue(settings -> settings.put("ownerGraceMs", 20_000));
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "before");
        long epoch = owner.awaitOwner(talk.conv());
        owner.awaitMessage(talk.conv(), "before");

        owner.cut();
        talk.say("m2", "while away");
        owner.come();

        owner.awaitMessage(talk.conv(), "while away");
        JsonNode answer = owner.client().ask(Frames.post(talk.conv(), "a1", "I'm back", epoch));
        assertEquals("reply", answer.path("type").asText(), answer::toString);
        assertEquals(
                owner.name(),
                scene.look(talk.customer(), talk.conv()).path("owner").asText());
    }

    @Test
    void shouldMoveWithTheWholeHistoryAfterTheGracePeriod() {
        String queue = queueWithShortGrace();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        List<String> said = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            talk.say("m" + i, "message " + i);
            said.add("message " + i);
        }
        long epoch = owner.awaitOwner(talk.conv());
        owner.awaitMessage(talk.conv(), "message 4");

        Desk heir = scene.agent(3, queue);
        owner.cut();
        talk.say("m5", "while away");
        said.add("while away");

        long newEpoch = heir.awaitOwner(talk.conv());
        assertTrue(newEpoch > epoch, "the epoch grows");
        List<String> heard = new ArrayList<>();
        while (heard.size() < said.size()) {
            heard.add(Frames.textOf(heir.client()
                    .await(
                            frame -> Frames.isMessage(frame)
                                    && frame.path("conv").asText().equals(talk.conv()),
                            Scene.PATIENCE)));
        }
        assertEquals(said, heard, "the whole history, in order");

        owner.come();
        JsonNode late = owner.client().ask(Frames.post(talk.conv(), "late", "I had it", epoch));
        assertEquals("error", late.path("type").asText(), late::toString);
        assertTrue(
                List.of("not-owner", "stale-epoch").contains(late.path("code").asText()), late::toString);
        assertEquals(heir.name(), late.path("owner").asText(), late::toString);
    }

    @Test
    void shouldWaitAtTheFrontOfItsLineWhenNobodyElseIsThere() {
        String queue = queueWithShortGrace();
        Desk owner = scene.agent(1, queue);
        Scene.Talk served = scene.talk(queue);
        served.say("m1", "I was first");
        owner.awaitOwner(served.conv());
        Scene.Talk waiting = scene.talk(queue);
        waiting.say("m1", "I wait");

        owner.cut();
        Scene.until("it waits again", () -> statusOf(served).equals("waiting"));
        JsonNode place = served.client()
                .await(
                        frame -> Frames.is(frame, "queued")
                                && frame.path("conv").asText().equals(served.conv()),
                        Scene.PATIENCE);
        assertEquals(1, place.path("position").asInt(), "at the front, before those who came later");

        Desk next = scene.agent(1, queue);
        next.awaitOwner(served.conv());
        assertFalse(next.owns(waiting.conv()));
        assertEquals("I was first", Frames.textOf(next.awaitMessage(served.conv(), "I was first")), "with its history");
    }

    @Test
    void shouldNotGoToTheAgentsOfAnotherQueue() {
        String queue = queueWithShortGrace();
        Desk stranger = scene.agent(3, scene.queue());
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        owner.awaitOwner(talk.conv());

        owner.cut();
        Scene.until("it waits again", () -> statusOf(talk).equals("waiting"));
        Scene.during("and stays", Duration.ofSeconds(2), () -> statusOf(talk).equals("waiting"));
        assertTrue(stranger.offers().isEmpty());

        owner.come();
        owner.awaitOwner(talk.conv());
        assertEquals(
                1,
                scene.history(talk.customer(), talk.conv()).stream()
                        .filter(entry -> entry.path("kind").asText().equals("message"))
                        .count());
    }

    private String statusOf(Scene.Talk talk) {
        return scene.look(talk.customer(), talk.conv()).path("status").asText();
    }
}
