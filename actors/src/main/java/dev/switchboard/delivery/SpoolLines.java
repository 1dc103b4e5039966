package dev.switchboard.delivery;

import dev.switchboard.conversation.Person;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;

/**
 * Which senders have posts in the spool, each in a line of his own, and whose turn it is. Thread-safe.
 *
 * <pre>
 * a line    goes on when
 * waiting   its first post is forced: ready
 * ready     somebody takes it: taken. Ready lines take turns
 * taken     its first post is settled: waiting or ready again, or gone when it was the last;
 *           or it couldn't be sent: resting
 * resting   its time is over: ready
 * </pre>
 */
final class SpoolLines {
    /** Whose posts keep their order. */
    record Key(String conv, Person sender) {}

    /** A post in the spool, without what it says. Guarded by the lines' monitor. */
    static final class Item {
        private final long number;
        private final String clientMsgId;
        private final String digest;
        private final CompletionStage<Done> onDisk;
        private boolean forced;
        private int attempts;

        Item(long number, String clientMsgId, String digest, CompletionStage<Done> onDisk) {
            this.number = number;
            this.clientMsgId = clientMsgId;
            this.digest = digest;
            this.onDisk = onDisk;
        }

        long number() {
            return number;
        }

        String clientMsgId() {
            return clientMsgId;
        }

        String digest() {
            return digest;
        }

        /** Completes when it is forced; fails when it couldn't be. */
        CompletionStage<Done> onDisk() {
            return onDisk;
        }
    }

    /** The first post of a line, to be sent now. {@code attempt} counts from 1. */
    record Turn(Key key, Item item, int attempt) {}

    private static final class Line {
        private final ArrayDeque<Item> items = new ArrayDeque<>();
        private boolean ready;
        private boolean taken;
        private boolean resting;
        private int failures;
    }

    private record Rest(long untilNanos, Key key) {}

    private final Map<Key, Line> lines = new HashMap<>();
    private final ArrayDeque<Key> ready = new ArrayDeque<>();
    private final PriorityQueue<Rest> resting =
            new PriorityQueue<>((one, other) -> Long.signum(one.untilNanos() - other.untilNanos()));
    private volatile boolean empty = true;

    /** True when nobody has posts in the spool. Costs nothing to ask. */
    boolean isEmpty() {
        return empty;
    }

    synchronized int size() {
        return lines.size();
    }

    synchronized boolean has(Key key) {
        return lines.containsKey(key);
    }

    /** The post of that id in the line, or null. */
    synchronized Item find(Key key, String clientMsgId) {
        Line line = lines.get(key);
        if (line != null) {
            for (Item item : line.items) {
                if (item.clientMsgId.equals(clientMsgId)) {
                    return item;
                }
            }
        }
        return null;
    }

    /** Adds a post at the end of its sender's line. */
    synchronized void add(Key key, Item item) {
        Line line = lines.computeIfAbsent(key, k -> new Line());
        line.items.addLast(item);
        empty = false;
        offer(key, line);
    }

    /** The post is on the disk: it may be sent. */
    synchronized void forced(Key key, Item item) {
        item.forced = true;
        Line line = lines.get(key);
        if (line != null) {
            offer(key, line);
        }
    }

    /** The post is settled, or was never kept. */
    synchronized void remove(Key key, Item item) {
        Line line = lines.get(key);
        if (line == null) {
            return;
        }
        if (line.items.peekFirst() == item) {
            line.taken = false;
            line.failures = 0;
        }
        line.items.remove(item);
        if (line.items.isEmpty()) {
            lines.remove(key);
            empty = lines.isEmpty();
        } else {
            offer(key, line);
        }
    }

    /** The post couldn't be sent: its line rests, each time longer, between {@code min} and {@code max}. */
    synchronized void rest(Key key, long nowNanos, long minNanos, long maxNanos) {
        Line line = lines.get(key);
        if (line != null) {
            line.taken = false;
            line.resting = true;
            long rest = Math.min(maxNanos, minNanos << Math.min(line.failures++, 16));
            resting.add(new Rest(nowNanos + rest, key));
        }
    }

    /** The next post to send, or null when there is none now. */
    synchronized Turn take(long nowNanos) {
        while (!resting.isEmpty() && resting.peek().untilNanos() - nowNanos <= 0) {
            Key key = resting.poll().key();
            Line line = lines.get(key);
            if (line != null && line.resting) {
                line.resting = false;
                offer(key, line);
            }
        }
        while (!ready.isEmpty()) {
            Key key = ready.poll();
            Line line = lines.get(key);
            if (line != null && line.ready) {
                line.ready = false;
                line.taken = true;
                Item first = line.items.getFirst();
                return new Turn(key, first, ++first.attempts);
            }
        }
        return null;
    }

    private void offer(Key key, Line line) {
        Item first = line.items.peekFirst();
        if (!line.ready && !line.taken && !line.resting && first != null && first.forced) {
            line.ready = true;
            ready.add(key);
        }
    }
}
