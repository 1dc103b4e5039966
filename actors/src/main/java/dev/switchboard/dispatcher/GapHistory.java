package dev.switchboard.dispatcher;

/**
 * Which gaps between arrivals one lane saw lately: a histogram over lengths in half powers of two, in which all counts
 * are halved each time that a fixed number was recorded, so that what is long past weighs little. Called by the lane's
 * thread alone.
 */
final class GapHistory {
    /** Gaps from 128 ns to 134 ms are told apart; shorter and longer ones count as these. */
    static final int BUCKETS = 41;

    /** After that many recorded gaps all counts are halved. */
    static final int MEMORY = 512;

    private static final int FIRST_EXPONENT = 7;

    private final int[] counts = new int[BUCKETS];
    private int total;

    void record(long gapNs, int times) {
        counts[bucket(gapNs)] += times;
        total += times;
        while (total >= MEMORY) {
            halve();
        }
    }

    private void halve() {
        total = 0;
        for (int b = 0; b < BUCKETS; b++) {
            counts[b] >>= 1;
            total += counts[b];
        }
    }

    int total() {
        return total;
    }

    int count(int bucket) {
        return counts[bucket];
    }

    /** In which bucket a gap belongs. */
    static int bucket(long gapNs) {
        if (gapNs < 1L << FIRST_EXPONENT) {
            return 0;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(gapNs);
        int half = (int) (gapNs >>> (exponent - 1)) & 1;
        return Math.min(BUCKETS - 1, 2 * (exponent - FIRST_EXPONENT) + half + 1);
    }

    /** The length at which the bucket ends, in nanoseconds: every gap in it is shorter. */
    static long end(int bucket) {
        int exponent = FIRST_EXPONENT + (bucket >> 1);
        long power = 1L << exponent;
        return (bucket & 1) == 0 ? power : power + (power >> 1);
    }

    /** The length that stands for the bucket's gaps, in nanoseconds: its middle. */
    static long middle(int bucket) {
        return bucket == 0 ? end(0) / 2 : (end(bucket - 1) + end(bucket)) / 2;
    }
}
