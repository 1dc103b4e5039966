package dev.switchboard.server;

import dev.switchboard.delivery.BoundedHistogram;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.function.Supplier;

/**
 * Shows histograms that the houses keep themselves, so that counting stays as cheap as it is and needs no library there.
 * Thread-safe.
 */
final class Histograms {
    /** One series: its labels and what was counted. */
    record Series(Labels labels, BoundedHistogram.View view) {}

    private static final double NANOS = 1e9;

    private Histograms() {}

    /** Of times in nanoseconds, shown in seconds. The series are asked for at each scrape. */
    static void times(PrometheusRegistry registry, String name, String help, Supplier<List<Series>> series) {
        register(registry, name, help, NANOS, series);
    }

    /** Of numbers. */
    static void counts(PrometheusRegistry registry, String name, String help, Supplier<List<Series>> series) {
        register(registry, name, help, 1, series);
    }

    /** One series without labels. */
    static Supplier<List<Series>> of(Supplier<BoundedHistogram.View> view) {
        return () -> List.of(new Series(Labels.EMPTY, view.get()));
    }

    private static void register(
            PrometheusRegistry registry, String name, String help, double unit, Supplier<List<Series>> series) {
        Collector collector = () -> {
            HistogramSnapshot.Builder snapshot =
                    HistogramSnapshot.builder().name(name).help(help);
            series.get().forEach(one -> snapshot.dataPoint(point(one, unit)));
            return snapshot.build();
        };
        registry.register(collector);
    }

    private static HistogramDataPointSnapshot point(Series series, double unit) {
        BoundedHistogram.View view = series.view();
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < view.bounds().size(); i++) {
            buckets.bucket(view.bounds().get(i) / unit, view.counts().get(i));
        }
        buckets.bucket(Double.POSITIVE_INFINITY, view.counts().get(view.bounds().size()));
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(series.labels())
                .classicHistogramBuckets(buckets.build())
                .sum(view.sum() / unit)
                .build();
    }
}
