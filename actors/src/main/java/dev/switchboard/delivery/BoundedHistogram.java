package dev.switchboard.delivery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often values fell between fixed bounds, and their sum, since the start. Thread-safe; anyone may record, and
 * recording costs a search in a small array and two adders, without a lock or an allocation.
 *
 * <p>The bounds are few and never change, so what watches a node can add several nodes' histograms up, and the number of
 * series stays the same however much is recorded.
 */
public final class BoundedHistogram {
    private static final long MICROSECOND = 1_000;
    private static final long MINUTE = 60_000_000_000L;
    private static final double[] STEPS = {1, 1.5, 2, 3, 5, 7.5};

    private final long[] bounds;
    private final LongAdder[] counts;
    private final LongAdder sum = new LongAdder();

    private BoundedHistogram(long[] bounds) {
        this.bounds = bounds;
        this.counts = new LongAdder[bounds.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Of times in nanoseconds: six bounds for each power of ten, from 100 µs to a minute. */
    public static BoundedHistogram ofTimes() {
        return new BoundedHistogram(times(100 * MICROSECOND, MINUTE));
    }

    /** Of times in nanoseconds as people wait: from a second to an hour, in a dozen steps. */
    public static BoundedHistogram ofWaits() {
        long[] seconds = {1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600};
        return new BoundedHistogram(
                Arrays.stream(seconds).map(s -> s * 1_000_000_000L).toArray());
    }

    /** Of numbers from 1 to some thousand: each bound is twice the one before. */
    public static BoundedHistogram ofCounts() {
        long[] powers = new long[13];
        for (int i = 0; i < powers.length; i++) {
            powers[i] = 1L << i;
        }
        return new BoundedHistogram(powers);
    }

    /** The bounds of {@link #ofTimes} between two times in nanoseconds, both included. */
    public static long[] times(long from, long to) {
        List<Long> all = new ArrayList<>();
        for (long decade = from; decade <= to; decade *= 10) {
            for (double step : STEPS) {
                long bound = Math.round(decade * step);
                if (bound < to) {
                    all.add(bound);
                }
            }
        }
        all.add(to);
        return all.stream().mapToLong(Long::longValue).toArray();
    }

    /** Counts one value; a negative one, as of two clocks that differ, counts as 0. */
    public void record(long value) {
        long counted = Math.max(0, value);
        int found = Arrays.binarySearch(bounds, counted);
        counts[found >= 0 ? found : -found - 1].increment();
        sum.add(counted);
    }

    /**
     * What was recorded so far. Immutable.
     *
     * @param bounds the upper bounds, each included, in rising order
     * @param counts how many values fell to each bound and above the one before; one more for those above all
     * @param sum of all values
     */
    public record View(List<Long> bounds, List<Long> counts, long sum) {
        public View {
            bounds = List.copyOf(bounds);
            counts = List.copyOf(counts);
        }

        /** How many values were recorded. */
        public long count() {
            return counts.stream().mapToLong(Long::longValue).sum();
        }
    }

    /** What was recorded so far; what is recorded meanwhile may be in it or not. */
    public View view() {
        return new View(
                Arrays.stream(bounds).boxed().toList(),
                Arrays.stream(counts).map(LongAdder::sum).toList(),
                sum.sum());
    }
}
