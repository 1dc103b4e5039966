package dev.switchboard.server;

import dev.switchboard.delivery.BoundedHistogram;
import dev.switchboard.dispatcher.AffinityDispatcher;
import dev.switchboard.dispatcher.DispatcherView;
import dev.switchboard.dispatcher.LaneView;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The meters of an affinity dispatcher, labelled with its id and, where they are a lane's, with the lane's number: as many
 * as there may be lanes, so their number is bounded. Thread-safe.
 *
 * <p>One scrape reads dozens of them, so they share one copy of the figures for a short while.
 */
final class LaneMeters {
    private static final long MICROSECOND = 1_000;
    private static final long SECOND = 1_000_000_000L;
    private static final long FRESH_NS = 500_000_000L;

    private final AffinityDispatcher dispatcher;
    private DispatcherView view;
    private long viewedAt;

    LaneMeters(AffinityDispatcher dispatcher) {
        this.dispatcher = dispatcher;
        this.view = dispatcher.figures();
        this.viewedAt = System.nanoTime();
    }

    /** The caller keeps this object: the registry holds it weakly. */
    void bindTo(MeterRegistry registry, PrometheusRegistry histograms) {
        Tags tags = Tags.of("dispatcher", dispatcher.id());
        Gauge.builder("switchboard.lanes.in.use", this, m -> m.view().lanesInUse())
                .description("Lanes on which sessions are scheduled now")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "switchboard.lanes.wake.up.cost.seconds",
                        this,
                        m -> m.view().wakeUpNs() / 1e9)
                .description("What waking a sleeping lane takes lately, or as it is set")
                .tags(tags)
                .register(registry);
        Histograms.times(
                histograms,
                "switchboard_mailbox_wait_seconds",
                "How long sampled mailboxes waited from being scheduled until they ran",
                () -> List.of(new Histograms.Series(Labels.of("dispatcher", dispatcher.id()), mailboxWaits())));
        for (int lane = 0; lane < view.lanes().size(); lane++) {
            bindLane(registry, tags.and("lane", Integer.toString(lane)), lane);
        }
    }

    private void bindLane(MeterRegistry registry, Tags tags, int lane) {
        counter(registry, tags, lane, "messages", "Messages processed", LaneView::messages);
        counter(registry, tags, lane, "batches", "Times a mailbox ran", LaneView::batches);
        counter(registry, tags, lane, "tasks", "Plain tasks run", LaneView::tasks);
        counter(registry, tags, lane, "spins", "Waits that spun", LaneView::spins);
        counter(registry, tags, lane, "yields", "Times the processor was given way", LaneView::yields);
        counter(registry, tags, lane, "naps", "Naps taken", LaneView::naps);
        counter(registry, tags, lane, "parks", "Times parked", LaneView::parks);
        counter(registry, tags, lane, "wake.ups", "Times a producer had to wake the lane", LaneView::wakeUps);
        counter(
                registry,
                tags,
                lane,
                "wake.ups.saved",
                "Times another thread scheduled something and didn't have to wake the lane",
                LaneView::wakeUpsSaved);
        counter(
                registry,
                tags,
                lane,
                "wake.ups.lost",
                "Times work was found only because a park is bounded; must stay 0",
                LaneView::caughtByNet);
        counter(registry, tags, lane, "failures", "Exceptions out of a mailbox or task", LaneView::failures);
        counter(registry, tags, lane, "given", "Mailboxes and tasks given to idle lanes", LaneView::given);
        gauge(registry, tags, lane, "backlog", "Mailboxes and tasks that wait to run", LaneView::backlog);
    }

    /** All lanes together: by lane it would be dozens of series each, and says little. */
    private BoundedHistogram.View mailboxWaits() {
        Histogram all = new Histogram(3);
        view().lanes().forEach(lane -> all.add(lane.mailboxWait()));
        long[] bounds = BoundedHistogram.times(MICROSECOND, SECOND);
        long[] counts = new long[bounds.length + 1];
        for (HistogramIterationValue value : all.recordedValues()) {
            int found = Arrays.binarySearch(bounds, value.getValueIteratedTo());
            counts[found >= 0 ? found : -found - 1] += value.getCountAtValueIteratedTo();
        }
        return new BoundedHistogram.View(
                Arrays.stream(bounds).boxed().toList(),
                Arrays.stream(counts).boxed().toList(),
                Math.round(all.getMean() * all.getTotalCount()));
    }

    private void counter(
            MeterRegistry registry,
            Tags tags,
            int lane,
            String name,
            String description,
            ToDoubleFunction<LaneView> read) {
        FunctionCounter.builder("switchboard.lane." + name, this, m -> read.applyAsDouble(m.lane(lane)))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry,
            Tags tags,
            int lane,
            String name,
            String description,
            ToDoubleFunction<LaneView> read) {
        Gauge.builder("switchboard.lane." + name, this, m -> read.applyAsDouble(m.lane(lane)))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private LaneView lane(int lane) {
        return view().lanes().get(lane);
    }

    private synchronized DispatcherView view() {
        long now = System.nanoTime();
        if (now - viewedAt > FRESH_NS) {
            view = dispatcher.figures();
            viewedAt = now;
        }
        return view;
    }
}
