package dev.switchboard.server.doctor;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What a program's figures are like under one load that is known to be well; immutable. A figure is out of the ordinary when
 * it is three deviations, and at least 30 %, worse than the baseline's mean.
 *
 * @param looks the number of intervals it was made from
 */
record Baseline(
        String name,
        String program,
        Instant savedAt,
        double seconds,
        int looks,
        int cores,
        Map<Measure, Spread> measures)
        implements Yardstick {
    private static final double DEVIATIONS = 3;
    private static final double LEAST_DEVIATION = 0.1;

    /** A figure over the intervals of a window; where only the whole window has it, all are the same. */
    record Spread(double mean, double deviation, double least, double most) {}

    Baseline {
        measures = Map.copyOf(measures);
    }

    static Baseline of(String name, Window window) {
        Map<Measure, Spread> measures = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            double mean = measure.of(window);
            if (!Double.isNaN(mean)) {
                measures.put(measure, spread(window, mean, perLook(measure, window)));
            }
        }
        return new Baseline(
                name,
                window.target().program(),
                window.startedAt(),
                window.seconds(),
                window.looks().size(),
                window.cores(),
                measures);
    }

    private static ToDoubleFunction<Window.Look> perLook(Measure measure, Window window) {
        return switch (measure) {
            case SWITCHES -> Window.Look::switchesPerSecond;
            case VOLUNTARY -> look -> look.voluntary() / look.seconds();
            case INVOLUNTARY -> look -> look.involuntary() / look.seconds();
            case RUN_US -> look -> look.cpuNs() / 1e3 / Math.max(1, look.voluntary() + look.involuntary());
            case CORES_USED -> look -> look.cpuNs() / 1e9 / look.seconds();
            case WAITING -> look -> look.waitNs() / 1e9 / look.seconds();
            case READY -> look -> (look.cpuNs() + look.waitNs()) / 1e9 / look.seconds();
            case BUSIEST_THREAD, ACTIVE_THREADS -> look -> measure.of(window);
        };
    }

    private static Spread spread(Window window, double mean, ToDoubleFunction<Window.Look> read) {
        double[] values = window.looks().stream().mapToDouble(read).toArray();
        double squares = 0;
        double least = mean;
        double most = mean;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        return new Spread(mean, Math.sqrt(squares / Math.max(1, values.length)), least, most);
    }

    @Override
    public boolean beyond(Measure measure, Window window) {
        return standing(measure, window) == Standing.WORSE;
    }

    /** Where the window's figure stands against the baseline's. */
    Standing standing(Measure measure, Window window) {
        Spread spread = measures.get(measure);
        double value = measure.of(window);
        if (spread == null || Double.isNaN(value)) {
            return Standing.UNKNOWN;
        }
        double margin = margin(spread);
        if (Math.abs(value - spread.mean()) <= margin) {
            return Standing.ORDINARY;
        }
        return value > spread.mean() == measure.moreIsWorse() ? Standing.WORSE : Standing.BETTER;
    }

    private static double margin(Spread spread) {
        return DEVIATIONS * Math.max(spread.deviation(), LEAST_DEVIATION * spread.mean());
    }

    @Override
    public String words(Measure measure, Window window) {
        Spread spread = measures.get(measure);
        return spread == null
                ? "baseline " + name + ": not known"
                : "baseline %s: %s ± %s".formatted(name, Wording.number(spread.mean()), Wording.number(margin(spread)));
    }

    /** Against the baseline. */
    enum Standing {
        ORDINARY,
        WORSE,
        BETTER,
        UNKNOWN
    }
}
