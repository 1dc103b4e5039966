package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** C9: a transfer ends ownership at once, and nothing is lost on the way. */
class TransferTest extends ConformanceTest {
    @Test
    void shouldTakeEverythingFromTheFormerOwnerAtOnce() {
        String from = scene.queue();
        String to = scene.queue();
        Desk owner = scene.agent(3, from);
        Scene.Talk earlier = scene.talk(to);
        earlier.say("m1", "I wait already");
        Scene.Talk talk = scene.talk(from);
        talk.say("m1", "hello");
        long epoch = owner.awaitOwner(talk.conv());

        JsonNode moved = owner.client().ask(Frames.transferToQueue(talk.conv(), to, epoch, "t1"));
        assertEquals("reply", moved.path("type").asText(), moved::toString);

        JsonNode place = talk.client().await(frame -> Frames.is(frame, "queued"), Scene.PATIENCE);
        assertEquals(1, place.path("position").asInt(), "at the front of the line: " + place);

        talk.say("m2", "not for the former owner");
        JsonNode late = owner.client().ask(Frames.post(talk.conv(), "late", "wait!", epoch));
        assertEquals("error", late.path("type").asText(), late::toString);
        ApiClient.Answer overHttp = owner.api()
                .post(
                        ApiClient.of(talk.conv(), "/messages"),
                        ApiClient.messageBody("wait!").put("epoch", epoch),
                        "late2");
        assertEquals(409, overHttp.status(), overHttp::text);

        Desk next = scene.agent(1, to);
        long newEpoch = next.awaitOwner(talk.conv());
        assertTrue(newEpoch > epoch);
        next.awaitMessage(talk.conv(), "hello");
        next.awaitMessage(talk.conv(), "not for the former owner");
        assertFalse(next.owns(earlier.conv()), "the transferred one was first");
        ApiClient.Answer naming = owner.api()
                .post(
                        ApiClient.of(talk.conv(), "/messages"),
                        ApiClient.messageBody("still mine?").put("epoch", epoch),
                        "late3");
        assertEquals(409, naming.status(), naming::text);
        assertEquals(next.name(), naming.json().path("owner").asText(), naming::text);
        assertTrue(
                owner.client().inbox().stream()
                        .noneMatch(frame -> Frames.textOf(frame).equals("not for the former owner")),
                "the former owner heard nothing more");
    }

    @Test
    void shouldWaitAtTheFrontForAnAgentWhoIsFull() {
        String queue = scene.queue(settings -> settings.put("preferTargetForMs", 60_000));
        Desk full = scene.agent(1, queue);
        Scene.Talk held = scene.talk(queue);
        held.say("m1", "mine");
        full.awaitOwner(held.conv());
        Desk owner = scene.agent(1, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        long epoch = owner.awaitOwner(talk.conv());
        owner.status("away");

        JsonNode moved = owner.client().ask(Frames.transferToAgent(talk.conv(), full.name(), epoch, "t1"));
        assertEquals("reply", moved.path("type").asText(), moved::toString);
        JsonNode place = talk.client().await(frame -> Frames.is(frame, "queued"), Scene.PATIENCE);
        assertEquals(1, place.path("position").asInt());
        Scene.during("it waits", Duration.ofSeconds(1), () -> !full.owns(talk.conv()));

        full.client().must(Frames.close(held.conv(), full.epoch(held.conv()), "done", "close"));
        full.awaitOwner(talk.conv());
    }

    @Test
    void shouldRefuseAnUnknownAgentAndLeaveTheConversationWhereItIs() {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        long epoch = owner.awaitOwner(talk.conv());

        JsonNode refused = owner.client().ask(Frames.transferToAgent(talk.conv(), scene.name("nobody"), epoch, "t1"));
        assertEquals("unknown-agent", refused.path("code").asText(), refused::toString);
        assertEquals(
                404,
                transfer(owner.api(), talk.conv(), scene.name("nobody"), epoch).status());
        JsonNode still = owner.post(talk.conv(), "a1", "still here");
        assertEquals("reply", still.path("type").asText(), still::toString);
    }

    @Test
    void shouldTellStrangersThatThereIsNoSuchConversation() {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        long epoch = owner.awaitOwner(talk.conv());
        Desk stranger = scene.silentAgent(3, scene.queue());
        String other = scene.name("customer");

        for (ApiClient api : List.of(stranger.api(), scene.api(scene.tokens().customer(other)))) {
            ApiClient.Answer refused = transfer(api, talk.conv(), stranger.name(), epoch);
            assertEquals(404, refused.status(), refused::text);
            assertEquals("not-found", refused.code(), refused::text);
        }
        JsonNode frame = stranger.client().ask(Frames.transferToAgent(talk.conv(), stranger.name(), epoch, "t1"));
        assertEquals("not-found", frame.path("code").asText(), frame::toString);
        assertEquals(
                owner.name(),
                scene.look(talk.customer(), talk.conv()).path("owner").asText());
    }

    private ApiClient.Answer transfer(ApiClient by, String conv, String agent, long epoch) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("epoch", epoch);
        body.putObject("to").put("agent", agent);
        return by.post(ApiClient.of(conv, "/transfer"), body, scene.name("t"));
    }
}
