package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C5: an offer to two agents at once has one winner, and the loser is told who it is. */
class TwoAcceptsTest extends ConformanceTest {
    /** How often; the property lets a nightly run do it 1000 times. */
    private static final int TIMES = Integer.getInteger("conformance.accepts", 150);

    @Test
    void shouldHaveOneOwnerWhenTwoAgentsAcceptAtTheSameMoment() throws Exception {
        String queue = scene.queue(settings -> settings.put("offerTo", 2));
        Desk one = scene.silentAgent(3, queue);
        Desk other = scene.silentAgent(3, queue);
        int wonByOne = 0;
        for (int i = 0; i < TIMES; i++) {
            wonByOne += race(queue, one, other) ? 1 : 0;
        }
        assertTrue(wonByOne >= 0 && wonByOne <= TIMES);
    }

    private boolean race(String queue, Desk one, Desk other) throws Exception {
        try (Scene scoped = new Scene(scene.target())) {
            Scene.Talk talk = scoped.talk(queue);
            String offerToOne = one.awaitOffer(talk.conv());
            String offerToOther = other.awaitOffer(talk.conv());
            CompletableFuture<JsonNode> first = one.client().request(Frames.accept(offerToOne));
            CompletableFuture<JsonNode> second = other.client().request(Frames.accept(offerToOther));
            JsonNode answerToOne = first.get(20, TimeUnit.SECONDS);
            JsonNode answerToOther = second.get(20, TimeUnit.SECONDS);

            boolean oneWon = Frames.is(answerToOne, "reply");
            JsonNode lost = oneWon ? answerToOther : answerToOne;
            Desk winner = oneWon ? one : other;
            Desk loser = oneWon ? other : one;
            assertEquals("error", lost.path("type").asText(), () -> answerToOne + " and " + answerToOther);
            assertEquals("not-owner", lost.path("code").asText(), lost::toString);
            assertEquals(winner.name(), lost.path("owner").asText(), lost::toString);

            long epoch = (oneWon ? answerToOne : answerToOther).path("epoch").asLong();
            JsonNode late = loser.client().ask(Frames.post(talk.conv(), "late", "I have it", epoch));
            assertEquals("error", late.path("type").asText(), late::toString);
            JsonNode seen = scoped.look(talk.customer(), talk.conv());
            assertEquals(winner.name(), seen.path("owner").asText(), seen::toString);

            winner.client().must(Frames.close(talk.conv(), epoch, "done", "close"));
            return oneWon;
        }
    }
}
