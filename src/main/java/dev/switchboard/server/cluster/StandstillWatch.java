package dev.switchboard.server.cluster;

import dev.switchboard.delivery.Standing;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the whole process stood still (stopped, swapped out, its machine frozen) for so long that the others may
 * have taken it for lost. A thread ticks; whoever asks {@link #holds} sees by the clock that a tick is overdue, so
 * nothing can be said between the standstill and the next tick. After it the node speaks again only when the database
 * has said that nobody barred it. Thread-safe; {@link #holds} never blocks.
 *
 * <p>A database out of reach is no standstill: while nobody can bar, nobody can take over.
 */
public final class StandstillWatch implements Standing, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandstillWatch.class);
    private static final int TICKS_IN_LIMIT = 8;

    private final Supplier<CompletionStage<Boolean>> stillOpen;
    private final long limitNanos;
    private final LongSupplier clock;
    private final ScheduledExecutorService ticker;
    private volatile long lastTick;
    private volatile boolean doubtful;

    /**
     * Begins to watch.
     *
     * @param stillOpen asks the database whether this node may still write
     * @param limit the longest standstill after which nobody can have taken over; well below the time in which the
     *     others do
     */
    public StandstillWatch(Supplier<CompletionStage<Boolean>> stillOpen, Duration limit) {
        this(stillOpen, limit, System::nanoTime);
        long period = limitNanos / TICKS_IN_LIMIT;
        ScheduledFuture<?> unused = ticker.scheduleWithFixedDelay(this::tick, period, period, TimeUnit.NANOSECONDS);
    }

    /** For tests: nothing ticks by itself. */
    StandstillWatch(Supplier<CompletionStage<Boolean>> stillOpen, Duration limit, LongSupplier clock) {
        this.stillOpen = stillOpen;
        this.limitNanos = limit.toNanos();
        this.clock = clock;
        this.lastTick = clock.getAsLong();
        ticker = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "switchboard-standstill");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public boolean holds() {
        return !doubtful && clock.getAsLong() - lastTick <= limitNanos;
    }

    /** Called again and again; asks the database after a standstill, and as long as it gets no answer. */
    void tick() {
        long now = clock.getAsLong();
        long gap = now - lastTick;
        if (gap > limitNanos) {
            // In this order: whoever sees the new tick sees the doubt.
            doubtful = true;
            LOG.warn("This node stood still for {} ms; it asks whether it was replaced", gap / 1_000_000);
        }
        lastTick = now;
        if (doubtful) {
            CompletionStage<Boolean> unused = stillOpen.get().whenComplete((open, failure) -> {
                if (failure == null && open) {
                    doubtful = false;
                }
            });
        }
    }

    @Override
    public void close() {
        ticker.shutdown();
    }
}
