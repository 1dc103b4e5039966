package dev.switchboard.bench.dispatch;

import dev.switchboard.bench.Medians;
import java.util.Arrays;
import java.util.Locale;

/**
 * What was measured of one contender under one load, in one round or as the median of several. Immutable.
 *
 * <p>Times are microseconds, processor time is percent of one processor, switches and messages are per second. What
 * can't be said of a load (a latency when nothing was sent) is not a number.
 *
 * @param cpu of the process, without the thread that measures and Java's compilers
 * @param cpuBeside the same without the producer
 * @param voluntary switches beside the producer
 * @param involuntary switches beside the producer
 * @param producerSwitches the producer's own, of both kinds
 * @param lateP50 how late the producer was
 * @param throughput messages handled
 * @param compilers processor time of Java's compilers: much of it says that the warming up was too short
 * @param workNs what the work of a message takes by itself in this process, in nanoseconds
 */
record Measured(
        double p50,
        double p99,
        double p999,
        double max,
        double cpu,
        double cpuBeside,
        double voluntary,
        double involuntary,
        double producerSwitches,
        double lateP50,
        double lateP99,
        double lateMax,
        double throughput,
        double compilers,
        double workNs) {
    static final String COLUMNS = "p50_us\tp99_us\tp99.9_us\tmax_us\tcpu_%\tcpu_beside_%\tvoluntary/s\tinvoluntary/s"
            + "\tproducer_switches/s\tlate_p50_us\tlate_p99_us\tlate_max_us\tmessages/s\tcompilers_%\twork_ns";

    /** Switches of both kinds beside the producer. */
    double switches() {
        return voluntary + involuntary;
    }

    /** The figures in the order of {@link #COLUMNS}, separated by tabs. */
    String toLine() {
        StringBuilder line = new StringBuilder();
        for (double figure : figures()) {
            line.append(line.isEmpty() ? "" : "\t").append(String.format(Locale.ROOT, "%.3f", figure));
        }
        return line.toString();
    }

    /**
     * Reads what {@link #toLine} wrote.
     *
     * @throws IllegalArgumentException that names the line
     */
    static Measured parse(String line) {
        String[] parts = line.split("\t", -1);
        try {
            return of(Arrays.stream(parts).mapToDouble(Double::parseDouble).toArray());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not a line of figures: " + line, e);
        }
    }

    /** Figure by figure the median; of an even number the mean of the middle two. Not a number is left out. */
    static Measured median(java.util.List<Measured> rounds) {
        double[] medians = new double[FIGURES];
        for (int i = 0; i < FIGURES; i++) {
            int figure = i;
            medians[i] = Medians.of(rounds.stream()
                    .mapToDouble(round -> round.figures()[figure])
                    .toArray());
        }
        return of(medians);
    }

    private static final int FIGURES = COLUMNS.split("\t", -1).length;

    private double[] figures() {
        return new double[] {
            p50,
            p99,
            p999,
            max,
            cpu,
            cpuBeside,
            voluntary,
            involuntary,
            producerSwitches,
            lateP50,
            lateP99,
            lateMax,
            throughput,
            compilers,
            workNs
        };
    }

    private static Measured of(double[] of) {
        if (of.length != FIGURES) {
            throw new IllegalArgumentException(of.length + " figures instead of " + FIGURES);
        }
        return new Measured(
                of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12], of[13],
                of[14]);
    }
}
