package dev.switchboard.delivery;

import dev.switchboard.conversation.Person;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The latest steps of messages on this node, from the conversation to the connection and back. Any thread may call it; nobody
 * waits. It remembers a fixed number of steps, the latest, and nothing after a restart: what must survive is in the events.
 *
 * <p><b>A ring of slots.</b> A writer draws the next number, which names the slot, and claims the slot by setting its stamp to
 * {@link #BUSY}; then it fills the slot and sets the stamp to its number. A reader takes a copy between two looks at the stamp
 * and believes it only if both show the same number. A writer that was overtaken by a whole round, or meets one that fills the
 * same slot, gives its step up: so a slot never holds parts of two steps. Slots are made when they are first needed and filled
 * again ever after: a step allocates nothing, and a node that delivers nothing keeps none.
 *
 * <p><b>Written frames.</b> That bytes went out is known of a connection, not of a message: the connection counts its frames,
 * notes the number of each message's frame when it is queued, and how many it has written each time it writes.
 */
public final class Ledger {
    /** Remembers nothing. */
    public static final Ledger NONE = new Ledger(0);

    private static final long EMPTY = -1;
    private static final long BUSY = -2;

    /** What can happen to a message on its way. */
    public enum Step {
        /** Its conversation told a terminal of the receiver. */
        ROUTED,
        /** It was put into the terminal's form and into its send queue. */
        QUEUED,
        /** Its bytes went to the connection. */
        WRITTEN,
        /** A terminal of the receiver acknowledged it. */
        ACKNOWLEDGED,
        /** The receiver read it. */
        READ,
        /** A terminal of the receiver refused it. */
        REFUSED
    }

    /** One connection of a person. {@code terminal} is its name within the person. */
    public record Endpoint(Person person, String terminal) {}

    /**
     * One step as it was seen.
     *
     * @param who whose terminal it was, or who acknowledged
     * @param terminal the terminal's name; null where none is known
     * @param attempt the number of the attempt; 0 where there is none
     * @param code why it was refused; null otherwise
     */
    public record Seen(Step step, Instant at, Person who, String terminal, int attempt, String code) {}

    /** The steps that a node has seen, and since when it can have missed none. */
    public record Trace(Instant since, List<Seen> steps) {
        public Trace {
            steps = List.copyOf(steps);
        }
    }

    private static final class Slot {
        private static final VarHandle STAMP;

        static {
            try {
                STAMP = MethodHandles.lookup().findVarHandle(Slot.class, "stamp", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        @SuppressWarnings("unused") // By its handle.
        private volatile long stamp = EMPTY;

        private Step step;
        private String conv;
        private long seq;
        private long atMillis;
        private Person who;
        private Endpoint endpoint;
        private long frames;
        private int attempt;
        private String code;

        private Slot copy() {
            Slot copy = new Slot();
            copy.step = step;
            copy.conv = conv;
            copy.seq = seq;
            copy.atMillis = atMillis;
            copy.who = who;
            copy.endpoint = endpoint;
            copy.frames = frames;
            copy.attempt = attempt;
            copy.code = code;
            return copy;
        }

        Seen seen(Step as, long millis) {
            Person person = endpoint == null ? who : endpoint.person();
            String terminal = endpoint == null ? null : endpoint.terminal();
            return new Seen(as, Instant.ofEpochMilli(millis), person, terminal, attempt, code);
        }
    }

    private final int size;
    private final AtomicReferenceArray<Slot> slots;
    private final AtomicLong next = new AtomicLong();
    private final LongAdder givenUp = new LongAdder();
    private final Instant began = Instant.now();

    /** One that remembers so many steps; 0 for none. */
    public Ledger(int size) {
        this.size = size;
        this.slots = new AtomicReferenceArray<>(size);
    }

    /** False when it remembers nothing: then callers spare themselves the trouble. */
    public boolean isOn() {
        return size > 0;
    }

    /** How many steps were noted since the start. */
    public long noted() {
        return next.get();
    }

    /** How many of those were not kept because the ring had gone round meanwhile. */
    public long givenUp() {
        return givenUp.sum();
    }

    /** How many steps it remembers at most. */
    public int size() {
        return size;
    }

    // ---- noting ----

    /** The conversation told the receiver's terminals of a message. */
    public void routed(String conv, long seq) {
        note(Step.ROUTED, conv, seq, null, null, 0, 0, null);
    }

    /** A message's frame was put into a connection's send queue, as its frame of that number. */
    public void queued(String conv, long seq, Endpoint endpoint, long frame, int attempt) {
        note(Step.QUEUED, conv, seq, null, endpoint, frame, attempt, null);
    }

    /** The connection has written so many frames. */
    public void written(Endpoint endpoint, long frames) {
        note(Step.WRITTEN, null, 0, null, endpoint, frames, 0, null);
    }

    /** Somebody has everything up to {@code seq}, or has read it. */
    public void acknowledged(String conv, long seq, Person who, boolean read) {
        note(read ? Step.READ : Step.ACKNOWLEDGED, conv, seq, who, null, 0, 0, null);
    }

    /** A terminal of that receiver refused a message. */
    public void refused(String conv, long seq, Person who, int attempt, String code) {
        note(Step.REFUSED, conv, seq, who, null, 0, attempt, code);
    }

    private void note(
            Step step, String conv, long seq, Person who, Endpoint endpoint, long frames, int attempt, String code) {
        if (size == 0) {
            return;
        }
        long number = next.getAndIncrement();
        Slot slot = slot((int) (number % size));
        long before = slot.stamp;
        if (before == BUSY || before > number || !Slot.STAMP.compareAndSet(slot, before, BUSY)) {
            givenUp.increment();
            return;
        }
        slot.step = step;
        slot.conv = conv;
        slot.seq = seq;
        slot.atMillis = System.currentTimeMillis();
        slot.who = who;
        slot.endpoint = endpoint;
        slot.frames = frames;
        slot.attempt = attempt;
        slot.code = code;
        slot.stamp = number;
    }

    private Slot slot(int index) {
        Slot slot = slots.get(index);
        if (slot != null) {
            return slot;
        }
        Slot made = new Slot();
        return slots.compareAndSet(index, null, made) ? made : slots.get(index);
    }

    // ---- looking ----

    /**
     * What this node has seen of a message, by time. Looks at all that it remembers: for a person's question, not for a
     * program's.
     *
     * @param sender whose own acknowledgements count for nothing
     */
    public Trace find(String conv, long seq, Person sender) {
        List<Seen> steps = new ArrayList<>();
        List<Slot> queued = new ArrayList<>(2);
        Map<Step, Slot> first = new HashMap<>(2);
        long oldest = Long.MAX_VALUE;
        long used = Math.min(size, next.get());
        for (int i = 0; i < used; i++) {
            Slot slot = stable(i);
            if (slot == null) {
                continue;
            }
            oldest = Math.min(oldest, slot.atMillis);
            if (!conv.equals(slot.conv)) {
                continue;
            }
            boolean cumulative = slot.step == Step.ACKNOWLEDGED || slot.step == Step.READ;
            if (cumulative && slot.seq >= seq && !slot.who.equals(sender)) {
                first.merge(slot.step, slot, (one, other) -> one.atMillis <= other.atMillis ? one : other);
            } else if (!cumulative && slot.seq == seq) {
                steps.add(slot.seen(slot.step, slot.atMillis));
                if (slot.step == Step.QUEUED) {
                    queued.add(slot);
                }
            }
        }
        first.values().forEach(slot -> steps.add(slot.seen(slot.step, slot.atMillis)));
        written(queued, steps);
        steps.sort(Comparator.comparing(Seen::at).thenComparing(Seen::step));
        boolean wentRound = next.get() > size;
        return new Trace(wentRound ? Instant.ofEpochMilli(oldest) : began, steps);
    }

    /** A frame went out with the first write after which its connection had written that many. */
    private void written(List<Slot> queued, List<Seen> steps) {
        if (queued.isEmpty()) {
            return;
        }
        long[] at = new long[queued.size()];
        for (int i = 0; i < Math.min(size, next.get()); i++) {
            Slot slot = stable(i);
            if (slot == null || slot.step != Step.WRITTEN) {
                continue;
            }
            for (int q = 0; q < at.length; q++) {
                Slot one = queued.get(q);
                if (isSame(one.endpoint, slot.endpoint)
                        && slot.frames >= one.frames
                        && (at[q] == 0 || slot.atMillis < at[q])) {
                    at[q] = slot.atMillis;
                }
            }
        }
        for (int q = 0; q < at.length; q++) {
            if (at[q] > 0) {
                steps.add(queued.get(q).seen(Step.WRITTEN, at[q]));
            }
        }
    }

    /** Each connection has an endpoint of its own: a later one of the same name counts its frames anew. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Endpoint one, Endpoint other) {
        return one == other;
    }

    /** A copy of a slot that nobody filled meanwhile; null for none. */
    private Slot stable(int index) {
        Slot slot = slots.get(index);
        if (slot == null) {
            return null;
        }
        long stamp = slot.stamp;
        if (stamp < 0) {
            return null;
        }
        Slot copy = slot.copy();
        VarHandle.acquireFence();
        return slot.stamp == stamp ? copy : null;
    }
}
