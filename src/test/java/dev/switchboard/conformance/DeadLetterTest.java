package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** C13, C14, C21: what a terminal refuses is tried again, kept, and delivered or given up in order. */
class DeadLetterTest extends ConformanceTest {
    private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();

    private static Desk.Judgement refusing(String text, AtomicBoolean refuses) {
        return entry -> refuses.get() && Frames.textOf(entry).equals(text) ? Desk.Verdict.NACK : Desk.Verdict.ACK;
    }

    private List<JsonNode> letters(String query) {
        List<JsonNode> items = new ArrayList<>();
        Scene.expect(200, scene.operator().get("/dead-letters?limit=200&" + query))
                .path("items")
                .forEach(items::add);
        return items;
    }

    private JsonNode awaitLetter(String queue) {
        Scene.until(
                "a dead letter in " + queue, () -> !letters("queue=" + queue).isEmpty());
        return letters("queue=" + queue).get(0);
    }

    private JsonNode detail(JsonNode letter) {
        return Scene.expect(200, scene.operator().get(path(letter, "")));
    }

    private static String path(JsonNode letter, String call) {
        return "/dead-letters/" + ApiClient.segment(letter.path("id").asText()) + call;
    }

    private ApiClient.Answer retry(JsonNode letter, String key) {
        return scene.operator().post(path(letter, "/retry"), NOTHING, key);
    }

    private void awaitState(JsonNode letter, String state) {
        Scene.until(
                "the letter is " + state,
                () -> detail(letter).path("state").asText().equals(state));
    }

    /** Waits until it was sent exactly these messages: a socket's inbox is told before the desk's own list is. */
    private static void awaitMessages(Desk desk, Scene.Talk talk, List<String> texts) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertEquals(texts, withoutRepeats(desk.messages(talk.conv())), desk::name));
    }

    /**
     * An entry may come again until its acknowledgement has arrived, and what had been sent behind a refused one before the
     * refusal arrived comes again in its turn: so the last coming counts. A refused one has to come as often as it is tried.
     */
    private static List<String> withoutRepeats(List<String> texts) {
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            if (text.equals("bad") || !texts.subList(i + 1, texts.size()).contains(text)) {
                kept.add(text);
            }
        }
        return kept;
    }

    @Test
    void shouldMakeOneDeadLetterOfThreeRefusalsAndNoneOfAnAbsence() {
        String queue = scene.queue();
        String quiet = scene.queue();
        Desk refuser = scene.judgingAgent(5, queue, refusing("bad", new AtomicBoolean(true)));
        Desk stopped = scene.judgingAgent(5, quiet, entry -> Desk.Verdict.NOTHING);
        Scene.Talk talk = scene.talk(queue);
        Scene.Talk beside = scene.talk(queue);
        Scene.Talk unheard = scene.talk(quiet);
        refuser.awaitOwner(talk.conv());
        refuser.awaitOwner(beside.conv());
        stopped.awaitOwner(unheard.conv());

        unheard.say("u1", "anybody there?");
        long seq = talk.say("m1", "bad");
        talk.say("m2", "later");
        beside.say("b1", "unharmed");

        refuser.awaitMessage(beside.conv(), "unharmed");
        JsonNode letter = detail(awaitLetter(queue));
        assertEquals(talk.conv(), letter.path("conv").asText());
        assertEquals(seq, letter.path("seq").asLong());
        assertEquals("m1", letter.path("clientMsgId").asText());
        assertEquals("dead", letter.path("state").asText());
        assertEquals(3, letter.path("attempt").asInt());
        List<String> reasons = StreamSupport.stream(letter.path("attempts").spliterator(), false)
                .map(attempt -> attempt.path("reason").asText())
                .toList();
        assertEquals(List.of("refusal 1", "refusal 2", "refusal 3"), reasons);
        assertEquals(1, letters("queue=" + queue).size());
        assertEquals(List.of(), letters("queue=" + quiet));
        assertEquals(
                0,
                scene.look(unheard.customer(), unheard.conv())
                        .path("peer")
                        .path("delivered")
                        .asLong(),
                "what was never acknowledged is not called delivered");
        JsonNode told = talk.client()
                .await(
                        frame -> Frames.is(frame, "state")
                                && frame.path("state").asText().equals("dead"),
                        Scene.PATIENCE);
        assertEquals("m1", told.path("clientMsgId").asText(), told::toString);
        assertTrue(
                scene.look(talk.customer(), talk.conv())
                                .path("peer")
                                .path("delivered")
                                .asLong()
                        < seq,
                "the watermark doesn't pass what is held");
    }

    @Test
    void shouldDeliverADeadLetterOnceAndWhatWaitedBehindItInOrder() {
        String queue = scene.queue();
        AtomicBoolean refuses = new AtomicBoolean(true);
        Desk agent = scene.judgingAgent(5, queue, refusing("bad", refuses));
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        JsonNode letter = awaitLetter(queue);
        talk.say("m2", "second");
        talk.say("m3", "third");
        assertFalse(agent.messages(talk.conv()).contains("third"), "it waits behind the dead letter");

        agent.cut();
        Scene.until("the agent is away", () -> {
            ApiClient.Answer away = retry(letter, scene.name("away"));
            return away.status() == 200 && away.json().path("code").asText().equals("away");
        });
        JsonNode still = detail(letter);
        assertEquals("dead", still.path("state").asText(), still::toString);
        int before = still.path("attempt").asInt();
        assertTrue(before > 3, still::toString);

        refuses.set(false);
        agent.come();
        Scene.during(
                "a dead letter waits for a retry",
                Duration.ofMillis(500),
                () -> agent.messages(talk.conv()).size() == 3);
        assertEquals(202, retry(letter, "click").status());
        int again = retry(letter, "click").status();
        assertTrue(again == 202 || again == 200, "a repeat of a retry: " + again);
        retry(letter, "another click");
        awaitState(letter, "delivered");
        agent.awaitMessage(talk.conv(), "third");
        awaitMessages(agent, talk, List.of("bad", "bad", "bad", "bad", "second", "third"));
        JsonNode done = detail(letter);
        assertEquals("retry", done.path("actions").get(0).path("action").asText(), done::toString);
        assertTrue(done.path("actions").get(0).path("by").path("id").asText().startsWith("op-"), done::toString);
        assertEquals(200, retry(letter, "click").status());
        assertEquals(List.of(), letters("queue=" + queue));
    }

    @Test
    void shouldGiveANewOwnerEverythingAndCloseTheOldLetter() {
        String queue = scene.queue();
        String other = scene.queue();
        Desk first = scene.judgingAgent(5, queue, refusing("bad", new AtomicBoolean(true)));
        Scene.Talk talk = scene.talk(queue);
        long epoch = first.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        JsonNode letter = awaitLetter(queue);
        talk.say("m2", "held");
        Desk second = scene.agent(5, other);
        int refusals = first.refused().size();

        JsonNode moved = first.client().ask(Frames.transferToQueue(talk.conv(), other, epoch, "t1"));
        assertEquals("reply", moved.path("type").asText(), moved::toString);
        second.awaitOwner(talk.conv());
        second.awaitMessage(talk.conv(), "held");
        awaitMessages(second, talk, List.of("bad", "held"));
        awaitState(letter, "superseded");
        ApiClient.Answer retried = retry(letter, "late");
        assertEquals(409, retried.status(), retried::text);
        assertEquals("letter-settled", retried.json().path("code").asText(), retried::text);
        assertEquals(refusals, first.refused().size(), "nothing more went to the former owner");
    }

    @Test
    void shouldGoOnBehindADeadLetterWhereTheQueueSkips() {
        String queue = scene.queue(settings -> settings.put("deadLetters", "skip"));
        AtomicBoolean refuses = new AtomicBoolean(true);
        Desk agent = scene.judgingAgent(5, queue, refusing("bad", refuses));
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        talk.say("m2", "second");
        agent.awaitMessage(talk.conv(), "second");
        JsonNode letter = awaitLetter(queue);
        long last = talk.say("m3", "third");
        Scene.until(
                "the watermark has passed it",
                () -> scene.look(talk.customer(), talk.conv())
                                .path("peer")
                                .path("delivered")
                                .asLong()
                        == last);
        assertEquals("dead", detail(letter).path("state").asText());
        awaitMessages(agent, talk, List.of("bad", "bad", "bad", "second", "third"));

        refuses.set(false);
        assertEquals(202, retry(letter, "click").status());
        awaitState(letter, "delivered");
        awaitMessages(agent, talk, List.of("bad", "bad", "bad", "second", "third", "bad"));
    }

    @Test
    void shouldSendAgainInItsTurnWhatWasSentBeforeTheRefusalArrived() {
        String queue = scene.queue(settings -> settings.put("deadLetters", "skip"));
        AtomicBoolean answers = new AtomicBoolean();
        Desk agent = scene.judgingAgent(
                5, queue, entry -> !Frames.isMessage(entry) || answers.get() ? Desk.Verdict.ACK : Desk.Verdict.NOTHING);
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        long bad = talk.say("m1", "bad");
        long behind = talk.say("m2", "second");
        agent.awaitMessage(talk.conv(), "second");
        answers.set(true);
        agent.client()
                .send(Frames.of("nack").put("conv", talk.conv()).put("seq", bad).put("code", "too-hard"));
        agent.client().send(Frames.ack(talk.conv(), behind));
        Scene.until(
                "both came again, in order",
                () -> agent.messages(talk.conv()).equals(List.of("bad", "second", "bad", "second")));
        Scene.until(
                "both are delivered",
                () -> scene.look(talk.customer(), talk.conv())
                                .path("peer")
                                .path("delivered")
                                .asLong()
                        == behind);
        assertEquals(List.of(), letters("queue=" + queue));
    }

    @Test
    void shouldRecordWhatAQueueDiscards() {
        String queue = scene.queue(settings -> settings.put("deadLetters", "discard"));
        Desk agent = scene.judgingAgent(5, queue, refusing("bad", new AtomicBoolean(true)));
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        talk.say("m2", "second");
        agent.awaitMessage(talk.conv(), "second");
        // It may have been sent before the first refusal arrived, too.
        Scene.until(
                "it is discarded",
                () -> !letters("state=discarded&queue=" + queue).isEmpty());
        assertEquals(List.of(), letters("queue=" + queue));
        List<JsonNode> discarded = letters("state=discarded&queue=" + queue);
        assertEquals(1, discarded.size());
        assertEquals(3, discarded.get(0).path("attempt").asInt());
    }

    @Test
    void shouldGoOnWhenAHeldLetterIsDiscarded() {
        String queue = scene.queue();
        Desk agent = scene.judgingAgent(5, queue, refusing("bad", new AtomicBoolean(true)));
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        talk.say("m2", "second");
        JsonNode letter = awaitLetter(queue);
        assertEquals(
                200,
                scene.operator().post(path(letter, "/discard"), NOTHING, "d1").status());
        agent.awaitMessage(talk.conv(), "second");
        awaitState(letter, "discarded");
        assertEquals(
                200,
                scene.operator().post(path(letter, "/discard"), NOTHING, "d1").status());
        assertEquals(409, retry(letter, "r1").status());
    }

    @Test
    void shouldShowLettersToOperatorsAndSupervisorsOfTheQueueOnly() {
        String queue = scene.queue();
        String other = scene.queue();
        Desk agent = scene.judgingAgent(5, queue, refusing("bad", new AtomicBoolean(true)));
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        JsonNode letter = awaitLetter(queue);
        ApiClient stranger = scene.api(scene.tokens().supervisor(scene.name("sup"), other));
        assertEquals(404, stranger.get(path(letter, "")).status());
        assertEquals(404, stranger.post(path(letter, "/retry"), NOTHING, "k").status());
        assertEquals(
                0,
                Scene.expect(200, stranger.get("/dead-letters")).path("items").size());
        assertEquals(403, agent.api().get("/dead-letters").status());
        assertEquals(
                403,
                scene.api(scene.tokens().customer(talk.customer()))
                        .get(path(letter, ""))
                        .status());
        ApiClient supervisor = scene.api(scene.tokens().supervisor(scene.name("sup"), queue));
        assertEquals(200, supervisor.get(path(letter, "")).status());
    }
}
