package dev.switchboard.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Stateless; any thread may call it. */
public final class Medians {
    private Medians() {}

    /** The median of a column. */
    public static <T> double of(List<T> rows, ToDoubleFunction<T> column) {
        return of(rows.stream().mapToDouble(column).toArray());
    }

    /** The middle one, or the mean of the middle two; what is not a number is left out, and is the answer of nothing. */
    public static double of(double... values) {
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
