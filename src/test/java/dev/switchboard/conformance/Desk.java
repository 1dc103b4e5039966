package dev.switchboard.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An agent of a test: its socket, the conversations it owns as far as it was told, and the offers it got. It takes
 * what is offered unless told to let offers stand. Any thread may call it.
 */
final class Desk implements AutoCloseable {
    private final Scene scene;
    private final String name;
    private final boolean takes;
    private final Map<String, Long> owned = new ConcurrentHashMap<>();
    private final Queue<JsonNode> offers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final Queue<JsonNode> messages = new ConcurrentLinkedQueue<>();
    private final Queue<JsonNode> refused = new ConcurrentLinkedQueue<>();
    private volatile Judgement judgement;
    private volatile WireClient client;

    /** What it does with an entry that it gets. */
    enum Verdict {
        ACK,
        NACK,
        NOTHING
    }

    /** Decides what it does with each entry. */
    interface Judgement {
        Verdict of(JsonNode entry);
    }

    Desk(Scene scene, String name, boolean takes) {
        this.scene = scene;
        this.name = name;
        this.takes = takes;
        scene.closing(this);
    }

    /** Opens a socket; a later one resumes where the earlier stopped. */
    void come() {
        WireClient earlier = client;
        WireClient.Builder next = scene.client(scene.tokens().agent(name)).listener(this::heard);
        if (earlier != null) {
            next.resumeAs(earlier);
        }
        if (judgement != null) {
            next.withoutAcks();
        }
        client = next.open();
    }

    /** From its next socket on it judges every entry, instead of acknowledging all. */
    void judge(Judgement by) {
        judgement = by;
    }

    /** The texts of the messages that it was sent of a conversation, in order, each as often as it came. */
    List<String> messages(String conv) {
        return messages.stream()
                .filter(frame -> frame.path("conv").asText().equals(conv))
                .map(Frames::textOf)
                .toList();
    }

    /** The entries it refused, as often as it did. */
    Queue<JsonNode> refused() {
        return refused;
    }

    private void judged(WireClient from, JsonNode entry) {
        String conv = entry.path("conv").asText();
        long seq = entry.path("seq").asLong();
        switch (judgement.of(entry)) {
            case ACK -> from.send(Frames.ack(conv, seq));
            case NACK -> {
                refused.add(entry);
                from.send(Frames.of("nack")
                        .put("conv", conv)
                        .put("seq", seq)
                        .put("code", "too-hard")
                        .put("reason", "refusal " + refused.size()));
            }
            default -> {
                // Nothing, as one that is stopped.
            }
        }
    }

    void status(String availability) {
        client.must(Frames.status(availability));
    }

    private void heard(WireClient from, JsonNode frame) {
        switch (frame.path("type").asText()) {
            case "offer" -> {
                offers.add(frame);
                if (takes) {
                    // On the reader's thread, which must not wait: the answer is heard below.
                    from.send(
                            Frames.accept(frame.path("offer").asText()).put("id", "take" + requests.incrementAndGet()));
                }
            }
            case "reply" -> {
                if (frame.path("id").asText().startsWith("take")) {
                    own(frame);
                }
            }
            case "entry" -> {
                if (Frames.isMessage(frame)) {
                    messages.add(frame);
                }
                if (judgement != null) {
                    judged(from, frame);
                }
                if (frame.has("epoch")) {
                    if (name.equals(frame.path("owner").asText())) {
                        own(frame);
                    } else {
                        owned.remove(frame.path("conv").asText());
                    }
                }
            }
            default -> {
                // Nothing else changes what an agent owns.
            }
        }
    }

    private void own(JsonNode frame) {
        owned.merge(frame.path("conv").asText(), frame.path("epoch").asLong(), Math::max);
        most.accumulateAndGet(owned.size(), Math::max);
    }

    String name() {
        return name;
    }

    /** The newest socket. */
    WireClient client() {
        WireClient now = client;
        if (now == null) {
            throw new IllegalStateException(name + " has no socket yet");
        }
        return now;
    }

    ApiClient api() {
        return scene.api(scene.tokens().agent(name));
    }

    boolean owns(String conv) {
        return owned.containsKey(conv);
    }

    Map<String, Long> owned() {
        return owned;
    }

    /** The most it ever held at once. */
    int most() {
        return most.get();
    }

    Queue<JsonNode> offers() {
        return offers;
    }

    /** The epoch under which it may write, or 0. */
    long epoch(String conv) {
        return owned.getOrDefault(conv, 0L);
    }

    /** Waits until it owns the conversation, and gives the epoch. */
    long awaitOwner(String conv) {
        Scene.until(name + " owns " + conv, () -> owns(conv));
        return epoch(conv);
    }

    /** Waits for an offer of the conversation and gives the offer's id. */
    String awaitOffer(String conv) {
        Scene.until(
                name + " is offered " + conv,
                () -> offers.stream()
                        .anyMatch(offer -> offer.path("conv").asText().equals(conv)));
        return offers.stream()
                .filter(offer -> offer.path("conv").asText().equals(conv))
                .reduce((earlier, later) -> later)
                .orElseThrow()
                .path("offer")
                .asText();
    }

    /** Posts as the owner and gives the answer, whatever it is. */
    JsonNode post(String conv, String clientMsgId, String text) {
        return client().ask(Frames.post(conv, clientMsgId, text, epoch(conv)));
    }

    /** Waits for a message of that text in the conversation. */
    JsonNode awaitMessage(String conv, String text) {
        return client().await(
                        frame -> Frames.isMessage(frame)
                                && frame.path("conv").asText().equals(conv)
                                && Frames.textOf(frame).equals(text),
                        Scene.PATIENCE);
    }

    /** Ends the connection without a close frame. */
    void cut() {
        client().cut();
    }

    @Override
    public void close() {
        WireClient now = client;
        if (now != null) {
            now.close();
        }
    }
}
