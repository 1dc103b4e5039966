package dev.switchboard.server;

import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.TrafficFigures;
import dev.switchboard.socket.FlowFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The meters of what is accepted, delivered, refused and waits. Thread-safe. */
final class TrafficMeters {
    private TrafficMeters() {}

    /** Adds what conversations count. Called once. */
    static void bind(MeterRegistry registry, PrometheusRegistry histograms, DeliveryFigures deliveries) {
        TrafficFigures traffic = deliveries.traffic();
        for (Role role : Role.values()) {
            counter("switchboard.entries.accepted", "role", role.wireName(), traffic, f -> f.acceptedOf(role))
                    .description(
                            "Entries persisted, by the role of who wrote them; `none`: lifecycle entries of no person")
                    .register(registry);
            counter("switchboard.entries.delivered", "role", role.wireName(), traffic, f -> f.deliveredTo(role))
                    .description("Entries of others that a receiver has acknowledged, by the receiver's role")
                    .register(registry);
        }
        counter("switchboard.entries.accepted", "role", "none", traffic, f -> f.acceptedOf(null))
                .description("Entries persisted, by the role of who wrote them; `none`: lifecycle entries of no person")
                .register(registry);
        attempt(registry, "delivered", traffic, TrafficMeters::delivered);
        for (String failure : DeliveryFigures.FAILURES) {
            attempt(registry, failure, deliveries, f -> f.failedAttempts(failure));
        }
        for (Letter.State state : Letter.State.values()) {
            counter("switchboard.delivery.outcomes", "state", state.wireName(), deliveries, f -> f.became(state))
                    .description("What became of refused entries, one for each change")
                    .register(registry);
        }
        Histograms.times(
                histograms,
                "switchboard_line_wait_seconds",
                "How long conversations waited in a line, by queue and how the wait ended",
                () -> waits(traffic));
    }

    private static double delivered(TrafficFigures traffic) {
        double all = 0;
        for (Role role : Role.values()) {
            all += traffic.deliveredTo(role);
        }
        return all;
    }

    private static List<Histograms.Series> waits(TrafficFigures traffic) {
        List<Histograms.Series> series = new ArrayList<>();
        for (Map.Entry<String, Map<TrafficFigures.WaitEnd, dev.switchboard.delivery.BoundedHistogram.View>> queue :
                traffic.waits().entrySet()) {
            queue.getValue()
                    .forEach((end, view) -> series.add(new Histograms.Series(
                            Labels.of("queue", queue.getKey(), "outcome", end.wireName()), view)));
        }
        return series;
    }

    /** Adds what sockets count of the entries that flow to them. Called once. */
    static void bind(MeterRegistry registry, PrometheusRegistry histograms, FlowFigures flow) {
        FunctionCounter.builder("switchboard.entries.written", flow, FlowFigures::entriesWritten)
                .description("Entries put into terminals' send queues, repeats included")
                .register(registry);
        Gauge.builder("switchboard.sockets.queue", flow, FlowFigures::queuedBytes)
                .baseUnit("bytes")
                .description("Bytes in the send queues of all sockets")
                .register(registry);
        Gauge.builder("switchboard.sockets.queue.frames", flow, FlowFigures::queuedFrames)
                .description("Frames in the send queues of all sockets")
                .register(registry);
        for (FlowFigures.Resume resume : FlowFigures.Resume.values()) {
            counter("switchboard.sockets.resumes", "outcome", resume.wireName(), flow, f -> f.resumes(resume))
                    .description("Conversations that a client's hello continued, by how")
                    .register(registry);
        }
        for (FlowFigures.Close close : FlowFigures.Close.values()) {
            counter("switchboard.sockets.closes", "code", close.wireName(), flow, f -> f.closes(close))
                    .description(
                            "Sockets ended, by the reason that this side gave, or `client` and `lost` by the other side")
                    .register(registry);
        }
        Histograms.times(
                histograms,
                "switchboard_delivery_written_seconds",
                "From an entry's acceptance until it was given to the receiver's connection, while that was attached",
                Histograms.of(flow::untilWritten));
        Histograms.times(
                histograms,
                "switchboard_delivery_acknowledged_seconds",
                "From an entry's acceptance until the receiver's terminal acknowledged it, while that was attached",
                Histograms.of(flow::untilAcknowledged));
    }

    private static <T> void attempt(MeterRegistry registry, String outcome, T source, ToDoubleFunction<T> read) {
        counter("switchboard.delivery.attempts", "outcome", outcome, source, read)
                .description("Attempts to deliver an entry that ended, by how")
                .register(registry);
    }

    private static <T> FunctionCounter.Builder<T> counter(
            String name, String label, String value, T source, ToDoubleFunction<T> read) {
        return FunctionCounter.builder(name, source, read).tag(label, value);
    }
}
