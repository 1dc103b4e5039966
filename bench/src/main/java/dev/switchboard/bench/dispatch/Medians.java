package dev.switchboard.bench.dispatch;

import java.util.Arrays;

/** Stateless; any thread may call it. */
final class Medians {
    private Medians() {}

    /** The middle one, or the mean of the middle two; what is not a number is left out, and is the answer of nothing. */
    static double of(double... values) {
        double[] sorted = Arrays.stream(values)
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
