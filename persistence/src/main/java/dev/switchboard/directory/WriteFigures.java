package dev.switchboard.directory;

import dev.switchboard.delivery.BoundedHistogram;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the journal's writers did, counted since the start. Thread-safe; counting never blocks.
 *
 * <p>A write's latency runs from its arrival at the journal to the end of its transaction. It is counted in buckets
 * whose bounds double: a quantile read from them is at most twice the true one.
 */
public final class WriteFigures {
    private static final int BUCKETS = 64;

    private final LongAdder batches = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder failedWrites = new LongAdder();
    private final LongAdder rejectedWrites = new LongAdder();
    private final LongAdder halvings = new LongAdder();
    private final LongAdder repeatedWrites = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private final LongAdder underWay = new LongAdder();
    private final BoundedHistogram latency = BoundedHistogram.ofTimes();
    private final BoundedHistogram batchRows = BoundedHistogram.ofCounts();
    private final AtomicLongArray latencyBuckets = new AtomicLongArray(BUCKETS);

    /**
     * The figures at one time. Immutable.
     *
     * @param batches transactions committed
     * @param writes writes answered with success; one may hold several events
     * @param rows events written
     * @param failedWrites writes answered with a failure
     * @param rejectedWrites writes whose event couldn't be serialized
     * @param halvings batches that were halved for an error of data or keys
     * @param repeatedWrites writes that were there already, by the same writer
     * @param waiting writes that no batch has taken yet
     * @param underWay writes of batches that have not ended
     * @param latencyP50Nanos half of the writes took at most this long
     * @param latencyP99Nanos 99 of 100 writes took at most this long
     */
    public record View(
            long batches,
            long writes,
            long rows,
            long failedWrites,
            long rejectedWrites,
            long halvings,
            long repeatedWrites,
            long waiting,
            long underWay,
            long latencyP50Nanos,
            long latencyP99Nanos) {}

    /** A write came. */
    public void arrived() {
        waiting.increment();
    }

    /** A write that had come left again without being taken. */
    public void turnedAway() {
        turnedAway(1);
    }

    /** So many writes that had come left again without being taken. */
    public void turnedAway(int count) {
        waiting.add(-count);
    }

    /** A batch took so many writes. */
    public void taken(int count) {
        waiting.add(-count);
        underWay.add(count);
    }

    /** A batch ended that had taken that many writes. */
    public void ended(int batchWrites) {
        underWay.add(-batchWrites);
    }

    /** A transaction with that many events was committed. */
    public void committed(int rowCount) {
        batches.increment();
        rows.add(rowCount);
        batchRows.record(rowCount);
    }

    /** A write succeeded after that time. */
    public void succeeded(long latencyNanos) {
        writes.increment();
        latency.record(latencyNanos);
        latencyBuckets.incrementAndGet(BUCKETS - 1 - Long.numberOfLeadingZeros(Math.max(1, latencyNanos)));
    }

    public void failed() {
        failedWrites.increment();
    }

    public void rejected() {
        rejectedWrites.increment();
    }

    public void halved() {
        halvings.increment();
    }

    public void repeated() {
        repeatedWrites.increment();
    }

    /** The figures now; those of one moment need not fit each other exactly. */
    public View view() {
        return new View(
                batches.sum(),
                writes.sum(),
                rows.sum(),
                failedWrites.sum(),
                rejectedWrites.sum(),
                halvings.sum(),
                repeatedWrites.sum(),
                waiting.sum(),
                underWay.sum(),
                quantile(0.50),
                quantile(0.99));
    }

    /** How long writes took from their arrival to the end of their transaction, in nanoseconds. */
    public BoundedHistogram.View latency() {
        return latency.view();
    }

    /** How many events the committed transactions had. */
    public BoundedHistogram.View batchRows() {
        return batchRows.view();
    }

    private long quantile(double part) {
        long total = 0;
        for (int i = 0; i < BUCKETS; i++) {
            total += latencyBuckets.get(i);
        }
        if (total == 0) {
            return 0;
        }
        long wanted = (long) Math.ceil(total * part);
        long seen = 0;
        for (int i = 0; i < BUCKETS - 2; i++) {
            seen += latencyBuckets.get(i);
            if (seen >= wanted) {
                return 1L << (i + 1);
            }
        }
        return Long.MAX_VALUE;
    }
}
