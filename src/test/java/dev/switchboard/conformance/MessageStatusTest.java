package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** How far a message got, step by step, as its sender is told. */
class MessageStatusTest extends ConformanceTest {
    private static final List<String> WAY =
            List.of("accepted", "routed", "converted", "queued", "written", "acknowledged", "read");

    private static JsonNode status(ApiClient by, String conv, String id) {
        return Scene.expect(200, by.get(ApiClient.of(conv, "/messages/" + id + "/status")));
    }

    private static JsonNode step(JsonNode status, String name) {
        return StreamSupport.stream(status.path("steps").spliterator(), false)
                .filter(step -> step.path("step").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is missing: " + status));
    }

    private static String states(JsonNode status) {
        StringBuilder states = new StringBuilder();
        WAY.forEach(name -> states.append(name)
                .append(' ')
                .append(step(status, name).path("state").asText())
                .append(' '));
        return states.toString().strip();
    }

    @Test
    void shouldTellEachStepOfADeliveredMessageAndLeaveOpenWhatHasNotBeen() {
        String queue = scene.queue();
        Scene.Talk talk = scene.talk(queue);
        ApiClient customer = scene.api(scene.tokens().customer(talk.customer()));
        talk.say("m1", "is anybody there?");
        assertEquals(
                "accepted done routed open converted open queued open written open acknowledged open read open",
                states(status(customer, talk.conv(), "m1")));

        Desk agent = scene.agent(5, queue);
        agent.awaitOwner(talk.conv());
        talk.say("m2", "hello");
        agent.awaitMessage(talk.conv(), "hello");
        Scene.until(
                "it is acknowledged",
                () -> status(customer, talk.conv(), "m2").path("state").asText().equals("delivered"));
        JsonNode status = status(customer, talk.conv(), "m2");
        assertEquals(
                "accepted done routed done converted done queued done written done acknowledged done read open",
                states(status));
        String before = "";
        for (String name : WAY.subList(1, 6)) {
            JsonNode step = step(status, name);
            assertTrue(step.path("at").asText().compareTo(before) >= 0, status::toString);
            before = step.path("at").asText();
            assertFalse(step.has("terminal") || step.has("node"), "a customer is not told where: " + status);
        }

        agent.post(talk.conv(), "a1", "how can I help?");
        Scene.until(
                "the customer has it",
                () -> status(agent.api(), talk.conv(), "a1")
                        .path("state")
                        .asText()
                        .equals("delivered"));
        JsonNode written = step(status(agent.api(), talk.conv(), "a1"), "written");
        assertTrue(written.hasNonNull("terminal") && written.hasNonNull("node"), written::toString);
    }

    @Test
    void shouldTellOfRefusalsAndOfADeadLetter() {
        String queue = scene.queue();
        Desk agent =
                scene.judgingAgent(5, queue, entry -> Frames.isMessage(entry) ? Desk.Verdict.NACK : Desk.Verdict.ACK);
        Scene.Talk talk = scene.talk(queue);
        agent.awaitOwner(talk.conv());
        talk.say("m1", "bad");
        ApiClient customer = scene.api(scene.tokens().customer(talk.customer()));
        Scene.until(
                "it is dead",
                () -> status(customer, talk.conv(), "m1").path("state").asText().equals("dead"));
        JsonNode status = status(customer, talk.conv(), "m1");
        assertEquals(3, status.path("attempt").asInt(), status::toString);
        assertEquals(3, status.path("attempts").size(), status::toString);
        assertEquals("too-hard", status.path("attempts").get(0).path("code").asText());
        assertFalse(status.path("attempts").get(0).has("reason"), "a terminal's own words are not for customers");
        assertEquals("open", step(status, "acknowledged").path("state").asText(), status::toString);
        assertEquals(
                3,
                StreamSupport.stream(status.path("steps").spliterator(), false)
                        .filter(step -> step.path("step").asText().equals("refused"))
                        .count(),
                status::toString);
    }
}
