package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** C16: what isn't a message changes no unread count, and watermarks end where each side's view ends. */
class WatermarksTest extends ConformanceTest {
    private static final int EACH_WAY = 100;
    private static final int AT_ONCE = 8;

    @Test
    void shouldNotCountNotesLabelsAndTransfersAsUnread() {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("m1", "hello");
        long epoch = owner.awaitOwner(talk.conv());
        long answer = owner.post(talk.conv(), "a1", "hi").path("seq").asLong();
        talk.client().must(Frames.read(talk.conv(), answer));
        assertEquals(0, unread(talk));
        long last = scene.look(talk.customer(), talk.conv()).path("lastSeq").asLong();

        owner.client().must(Frames.note(talk.conv(), "a difficult one", epoch, "n1"));
        owner.client().must(Frames.label(talk.conv(), "vip", epoch, "l1"));
        assertEquals(
                last,
                scene.look(talk.customer(), talk.conv()).path("lastSeq").asLong(),
                "the customer's last seq counts only what it may see");
        assertEquals(0, unread(talk));

        owner.client().must(Frames.transferToQueue(talk.conv(), queue, epoch, "t1"));
        Scene.until("it has an owner again", () -> owner.epoch(talk.conv()) > epoch);
        assertEquals(0, unread(talk), "a transfer is nothing to read");
        assertTrue(
                scene.history(talk.customer(), talk.conv()).stream()
                        .noneMatch(entry -> List.of("note", "label")
                                .contains(entry.path("kind").asText())),
                "the customer never sees notes and labels");
    }

    /** Messages behind the customer's read mark: what a client shows as unread. */
    private long unread(Scene.Talk talk) {
        long read = scene.look(talk.customer(), talk.conv()).path("read").asLong();
        return scene.history(talk.customer(), talk.conv()).stream()
                .filter(entry -> entry.path("kind").asText().equals("message"))
                .filter(entry -> entry.path("from").path("role").asText().equals("agent"))
                .filter(entry -> entry.path("seq").asLong() > read)
                .count();
    }

    @Test
    void shouldEndAtTheLastSeqOfEachSideAfterAHundredMessagesEachWayAtOnce() throws Exception {
        String queue = scene.queue();
        Desk owner = scene.agent(3, queue);
        Scene.Talk talk = scene.talk(queue);
        talk.say("first", "hello");
        long epoch = owner.awaitOwner(talk.conv());
        // Something at the end that the customer can't see: the two sides' last seqs differ.
        List<CompletableFuture<JsonNode>> open = new ArrayList<>();
        for (int i = 0; i < EACH_WAY; i++) {
            open.add(talk.client().request(Frames.post(talk.conv(), "m" + i, "question " + i)));
            open.add(owner.client().request(Frames.post(talk.conv(), "m" + i, "answer " + i, epoch)));
            if (open.size() >= 2 * AT_ONCE) {
                accepted(open);
            }
        }
        accepted(open);
        owner.client().must(Frames.note(talk.conv(), "the end", epoch, "n1"));

        long customersLast =
                scene.look(talk.customer(), talk.conv()).path("lastSeq").asLong();
        long ownersLast = Scene.expect(200, owner.api().get(ApiClient.of(talk.conv(), "")))
                .path("lastSeq")
                .asLong();
        assertEquals(customersLast + 1, ownersLast, "the note is the owner's alone");
        readTo(talk.client(), talk.conv(), customersLast);
        readTo(owner.client(), talk.conv(), ownersLast);

        JsonNode asCustomer = scene.look(talk.customer(), talk.conv());
        JsonNode asOwner = Scene.expect(200, owner.api().get(ApiClient.of(talk.conv(), "")));
        assertEquals(customersLast, asCustomer.path("read").asLong(), asCustomer::toString);
        assertEquals(customersLast, asCustomer.path("delivered").asLong(), asCustomer::toString);
        assertEquals(ownersLast, asOwner.path("read").asLong(), asOwner::toString);
        assertEquals(ownersLast, asOwner.path("delivered").asLong(), asOwner::toString);
        assertTrue(
                asCustomer.path("peer").path("read").asLong() <= customersLast,
                () -> "receipts count only what their receiver may see: " + asCustomer);
    }

    private static void readTo(WireClient client, String conv, long seq) {
        client.await(
                frame -> Frames.is(frame, "entry")
                        && frame.path("conv").asText().equals(conv)
                        && frame.path("seq").asLong() == seq,
                Scene.PATIENCE);
        client.must(Frames.read(conv, seq));
    }

    private static void accepted(List<CompletableFuture<JsonNode>> open) throws Exception {
        for (CompletableFuture<JsonNode> answer : open) {
            JsonNode reply = answer.get(20, TimeUnit.SECONDS);
            assertEquals("reply", reply.path("type").asText(), reply::toString);
        }
        open.clear();
    }
}
