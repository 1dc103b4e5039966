package dev.switchboard.dispatcher;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * What one lane counts. The lane's thread counts, producers count the wake-ups that they give, any thread reads. A
 * count costs a load and a store of a cache line that only the lane writes.
 */
final class LaneFigures {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int PADDING = 16;
    private static final int MESSAGES = PADDING;
    private static final int BATCHES = PADDING + 1;
    private static final int TASKS = PADDING + 2;
    private static final int SPINS = PADDING + 3;
    private static final int YIELDS = PADDING + 4;
    private static final int NAPS = PADDING + 5;
    private static final int PARKS = PADDING + 6;
    private static final int CAUGHT_BY_NET = PADDING + 7;
    private static final int FAILURES = PADDING + 8;
    private static final int THREADS = PADDING + 9;
    private static final int GIVEN = PADDING + 10;
    private static final int ALL = PADDING + 11;

    private static final long LONGEST_WAIT_NS = 60_000_000_000L;

    private final long[] counts = new long[ALL + PADDING];
    private final AtomicLong wakeUps = new AtomicLong();
    private final SingleWriterRecorder waits = new SingleWriterRecorder(LONGEST_WAIT_NS, 2);
    private final Histogram allWaits = new Histogram(LONGEST_WAIT_NS, 2);

    private void add(int what, long more) {
        COUNT.setOpaque(counts, what, counts[what] + more);
    }

    private long read(int what) {
        return (long) COUNT.getOpaque(counts, what);
    }

    void message() {
        add(MESSAGES, 1);
    }

    void batch() {
        add(BATCHES, 1);
    }

    void task() {
        add(TASKS, 1);
    }

    void spin() {
        add(SPINS, 1);
    }

    void yields(long times) {
        add(YIELDS, times);
    }

    void nap() {
        add(NAPS, 1);
    }

    void park() {
        add(PARKS, 1);
    }

    void caughtByNet() {
        add(CAUGHT_BY_NET, 1);
    }

    void failure() {
        add(FAILURES, 1);
    }

    void thread() {
        add(THREADS, 1);
    }

    void gave(long times) {
        add(GIVEN, times);
    }

    void wakeUp() {
        wakeUps.incrementAndGet();
    }

    void waited(long nanos) {
        waits.recordValue(Math.max(0, Math.min(nanos, LONGEST_WAIT_NS)));
    }

    /** How many messages the lane has taken so far; exact for the lane's own thread. */
    long messagesSoFar() {
        return read(MESSAGES);
    }

    /** How many mailboxes and tasks the lane has run so far; exact for the lane's own thread. */
    long runsSoFar() {
        return read(BATCHES) + read(TASKS);
    }

    LaneView view(int lane, boolean inUse, long scheduled, long backlog) {
        Histogram copy;
        synchronized (allWaits) {
            allWaits.add(waits.getIntervalHistogram());
            copy = allWaits.copy();
        }
        long given = wakeUps.get();
        return new LaneView(
                lane,
                inUse,
                read(MESSAGES),
                read(BATCHES),
                read(TASKS),
                read(SPINS),
                read(YIELDS),
                read(NAPS),
                read(PARKS),
                given,
                Math.max(0, scheduled - given),
                read(CAUGHT_BY_NET),
                read(FAILURES),
                read(THREADS),
                read(GIVEN),
                backlog,
                copy);
    }
}
