package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C3: a post that is sent again is one message with one answer; an id means one body. */
class RepeatedPostTest extends ConformanceTest {
    @Test
    void shouldGiveOneSeqToAHundredRepeatsOverTwoSocketsAndHttpAtOnce() throws Exception {
        Scene.Talk talk = scene.talk(scene.queue());
        WireClient second = scene.customer(talk.customer());
        ApiClient api = scene.api(scene.tokens().customer(talk.customer()));

        List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
        List<CompletableFuture<ApiClient.Answer>> calls = new ArrayList<>();
        for (int i = 0; i < 34; i++) {
            answers.add(talk.client().request(Frames.post(talk.conv(), "same", "once only")));
            answers.add(second.request(Frames.post(talk.conv(), "same", "once only")));
            if (i < 32) {
                calls.add(api.start(
                        "POST", ApiClient.of(talk.conv(), "/messages"), ApiClient.messageBody("once only"), "same"));
            }
        }

        Set<Long> seqs = new HashSet<>();
        int firsts = 0;
        for (CompletableFuture<JsonNode> answer : answers) {
            JsonNode reply = answer.get(20, TimeUnit.SECONDS);
            assertEquals("reply", reply.path("type").asText(), reply::toString);
            assertEquals("accepted", reply.path("state").asText(), reply::toString);
            seqs.add(reply.path("seq").asLong());
            firsts += reply.path("duplicate").asBoolean() ? 0 : 1;
        }
        for (CompletableFuture<ApiClient.Answer> call : calls) {
            ApiClient.Answer answer = call.get(20, TimeUnit.SECONDS);
            assertTrue(answer.status() == 200 || answer.status() == 201, answer::text);
            seqs.add(answer.json().path("seq").asLong());
            firsts += answer.status() == 201 ? 1 : 0;
        }
        assertEquals(1, seqs.size(), () -> "one seq, not " + seqs);
        assertEquals(1, firsts, "exactly one answer was the first");
        assertEquals(1, messages(talk).size());
    }

    @Test
    void shouldRefuseTheSameIdWithAnotherBodyAndLeaveTheEntryUnharmed() {
        Scene.Talk talk = scene.talk(scene.queue());
        long seq = talk.say("m1", "the first body");

        JsonNode refused = talk.client().ask(Frames.post(talk.conv(), "m1", "another body"));
        assertEquals("error", refused.path("type").asText(), refused::toString);
        assertEquals("id-reused", refused.path("code").asText(), refused::toString);
        assertEquals(false, refused.path("retryable").asBoolean(true), refused::toString);

        ApiClient.Answer overHttp =
                scene.api(scene.tokens().customer(talk.customer())).message(talk.conv(), "m1", "a third body");
        assertEquals(422, overHttp.status(), overHttp::text);
        assertEquals("id-reused", overHttp.code(), overHttp::text);

        List<JsonNode> messages = messages(talk);
        assertEquals(1, messages.size());
        assertEquals(seq, messages.get(0).path("seq").asLong());
        assertEquals("the first body", Frames.textOf(messages.get(0)));
    }

    private List<JsonNode> messages(Scene.Talk talk) {
        return scene.history(talk.customer(), talk.conv()).stream()
                .filter(entry -> entry.path("kind").asText().equals("message"))
                .toList();
    }
}
