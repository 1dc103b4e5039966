package dev.switchboard.server;

import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.DeskFigures;
import dev.switchboard.ports.Directory.HallFigures;
import dev.switchboard.ports.Directory.LineFigures;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * The meters of lines and desks, as the directory knows them: every node shows those of the whole cluster, a few seconds
 * old. Thread-safe; never blocks.
 */
final class HallMeters {
    /** How many lines are shown, the longest ones. */
    private static final int MAX_LINES = 64;

    private final Asked<HallFigures> hall;

    HallMeters(Directory directory) {
        hall = new Asked<>(() -> directory.hallFigures(MAX_LINES), new HallFigures(List.of(), List.of()));
    }

    void bindTo(PrometheusRegistry registry) {
        lines(registry, "switchboard_line_length", "Conversations that wait, by queue", LineFigures::length);
        lines(
                registry,
                "switchboard_line_oldest_seconds",
                "How long the first of a line has waited, by queue",
                line -> Duration.between(line.oldest(), Instant.now()).toMillis() / 1000.0);
        desks(registry, "switchboard_desks", "Desks, by their agents' availability", DeskFigures::desks);
        desks(
                registry,
                "switchboard_desk_slots",
                "Slots that desks have, by their agents' availability",
                DeskFigures::slots);
        desks(
                registry,
                "switchboard_desk_slots_held",
                "Slots held by conversations, by the agents' availability",
                DeskFigures::held);
    }

    private void lines(PrometheusRegistry registry, String name, String help, Function<LineFigures, Number> read) {
        gauge(
                registry,
                name,
                help,
                snapshot -> hall.get()
                        .lines()
                        .forEach(
                                line -> snapshot.dataPoint(point(Labels.of("queue", line.queue()), read.apply(line)))));
    }

    private void desks(PrometheusRegistry registry, String name, String help, Function<DeskFigures, Number> read) {
        gauge(
                registry,
                name,
                help,
                snapshot -> hall.get()
                        .desks()
                        .forEach(desk -> snapshot.dataPoint(
                                point(Labels.of("availability", desk.availability()), read.apply(desk)))));
    }

    private static void gauge(
            PrometheusRegistry registry,
            String name,
            String help,
            java.util.function.Consumer<GaugeSnapshot.Builder> points) {
        Collector collector = () -> {
            GaugeSnapshot.Builder snapshot = GaugeSnapshot.builder().name(name).help(help);
            points.accept(snapshot);
            return snapshot.build();
        };
        registry.register(collector);
    }

    private static GaugeDataPointSnapshot point(Labels labels, Number value) {
        return GaugeDataPointSnapshot.builder()
                .labels(labels)
                .value(value.doubleValue())
                .build();
    }
}
