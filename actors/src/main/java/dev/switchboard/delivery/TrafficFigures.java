package dev.switchboard.delivery;

import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a node's conversations accept, deliver and let wait, since the start. Thread-safe; counting never blocks.
 *
 * <p>Nothing is kept by conversation or person. Waits are kept by queue, for the first {@value #MAX_QUEUES} that are seen;
 * those of any other are counted together.
 */
public final class TrafficFigures {
    /** How many queues' waits are told apart. */
    public static final int MAX_QUEUES = 64;

    /** Under what name the waits of all other queues are counted. */
    public static final String OTHER_QUEUES = "other queues";

    /** How a wait ended. */
    public enum WaitEnd {
        ASSIGNED("assigned"),
        CLOSED("closed");

        private final String wireName;

        WaitEnd(String wireName) {
            this.wireName = wireName;
        }

        /** The name in figures. */
        public String wireName() {
            return wireName;
        }
    }

    private final Map<Role, LongAdder> accepted = new EnumMap<>(Role.class);
    private final LongAdder ownAccepted = new LongAdder();
    private final Map<Role, LongAdder> delivered = new EnumMap<>(Role.class);
    private final Map<String, Map<WaitEnd, BoundedHistogram>> waits = new ConcurrentHashMap<>();

    /** All zero. */
    public TrafficFigures() {
        for (Role role : Role.values()) {
            accepted.put(role, new LongAdder());
            delivered.put(role, new LongAdder());
        }
    }

    /** An entry has been persisted. */
    public void accepted(Entry entry) {
        LongAdder count =
                entry.from() == null ? ownAccepted : accepted.get(entry.from().role());
        count.increment();
    }

    /** A receiver of that role has acknowledged so many entries that it had not acknowledged before. */
    public void delivered(Role role, long entries) {
        delivered.get(role).add(entries);
    }

    /** A conversation has left a queue's line. */
    public void waited(String queue, WaitEnd end, Instant since, Instant until) {
        String name = waits.containsKey(queue) || waits.size() < MAX_QUEUES ? queue : OTHER_QUEUES;
        waits.computeIfAbsent(name, unused -> empty()).get(end).record(nanosBetween(since, until));
    }

    private static Map<WaitEnd, BoundedHistogram> empty() {
        Map<WaitEnd, BoundedHistogram> byEnd = new EnumMap<>(WaitEnd.class);
        for (WaitEnd end : WaitEnd.values()) {
            byEnd.put(end, BoundedHistogram.ofWaits());
        }
        return byEnd;
    }

    private static long nanosBetween(Instant from, Instant to) {
        Duration between = Duration.between(from, to);
        return between.toDays() > 365 ? Duration.ofDays(365).toNanos() : between.toNanos();
    }

    /** How many entries of a role were accepted; null for those that no person wrote. */
    public long acceptedOf(Role role) {
        return role == null ? ownAccepted.sum() : accepted.get(role).sum();
    }

    /** How many entries the receivers of a role have acknowledged. */
    public long deliveredTo(Role role) {
        return delivered.get(role).sum();
    }

    /** The waits by queue and by how they ended. */
    public Map<String, Map<WaitEnd, BoundedHistogram.View>> waits() {
        Map<String, Map<WaitEnd, BoundedHistogram.View>> all = new TreeMap<>();
        waits.forEach((queue, byEnd) -> {
            Map<WaitEnd, BoundedHistogram.View> views = new EnumMap<>(WaitEnd.class);
            byEnd.forEach((end, histogram) -> views.put(end, histogram.view()));
            all.put(queue, views);
        });
        return all;
    }
}
