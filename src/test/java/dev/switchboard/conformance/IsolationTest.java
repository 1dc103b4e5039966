package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One kind of work at its bound leaves the others going: here, whatever it costs, all of it gets done. */
class IsolationTest extends ConformanceTest {
    private static final int ENTRIES = 200;
    private static final int READERS = 6;
    private static final int MESSAGES = 30;
    private static final int WINDOW = 24;
    private static final int PAGE = 100;

    @Test
    void shouldTakeAndDeliverPostsWhileHistoriesAreReadWithoutEnd() throws Exception {
        String queue = scene.queue(settings -> settings.put("autoAccept", true));
        Scene.Talk longOne = scene.talk(queue);
        Queue<CompletableFuture<JsonNode>> open = new ArrayDeque<>();
        for (int i = 0; i < ENTRIES; i++) {
            open.add(longOne.client().request(Frames.post(longOne.conv(), "m" + i, "message " + i)));
            if (open.size() >= WINDOW) {
                accepted(open.poll());
            }
        }
        while (!open.isEmpty()) {
            accepted(open.poll());
        }

        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger pages = new AtomicInteger();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(readOn(scene.customer(longOne.customer()), longOne.conv(), pages, over));
        }
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        owner.awaitOwner(talk.conv());
        Scene.until("histories are being read", () -> pages.get() > READERS);
        for (int i = 0; i < MESSAGES; i++) {
            talk.say("t" + i, "other " + i);
            owner.awaitMessage(talk.conv(), "other " + i);
        }
        int meanwhile = pages.get();
        Scene.until("they are still being read", () -> pages.get() > meanwhile + READERS);
        over.set(true);
        for (CompletableFuture<Void> reader : readers) {
            reader.get(60, TimeUnit.SECONDS);
        }
    }

    /**
     * Asks for the next page as soon as one has come, until it is over. Fails at anything but a whole page, or a word that it
     * may ask again.
     */
    private static CompletableFuture<Void> readOn(
            WireClient reader, String conv, AtomicInteger pages, AtomicBoolean over) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        readPage(reader, conv, pages, over, end);
        return end;
    }

    private static void readPage(
            WireClient reader, String conv, AtomicInteger pages, AtomicBoolean over, CompletableFuture<Void> end) {
        var unused = reader.request(Frames.history(conv, 1 + (long) PAGE * (pages.get() % 2), PAGE))
                .whenComplete((page, failure) -> {
                    if (failure != null) {
                        end.completeExceptionally(failure);
                    } else if (page.path("entries").size() != PAGE
                            && !page.path("retryable").asBoolean()) {
                        end.completeExceptionally(new AssertionError("no page but " + page));
                    } else {
                        if (page.has("entries")) {
                            pages.incrementAndGet();
                        }
                        if (over.get()) {
                            end.complete(null);
                        } else {
                            readPage(reader, conv, pages, over, end);
                        }
                    }
                });
    }

    private static void accepted(CompletableFuture<JsonNode> answer) throws Exception {
        JsonNode reply = answer.get(30, TimeUnit.SECONDS);
        assertEquals("reply", reply.path("type").asText(), reply::toString);
    }
}
