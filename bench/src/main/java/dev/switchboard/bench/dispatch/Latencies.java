package dev.switchboard.bench.dispatch;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One shape of histogram for every latency and lateness: nanoseconds up to a minute, three digits. Stateless. */
final class Latencies {
    private static final long HIGHEST_NS = TimeUnit.MINUTES.toNanos(1);

    private Latencies() {}

    static Histogram histogram() {
        return new Histogram(HIGHEST_NS, 3);
    }

    /** A percentile in microseconds; not a number when nothing was recorded. */
    static double us(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1000.0;
    }
}
