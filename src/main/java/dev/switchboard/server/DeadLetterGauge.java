package dev.switchboard.server;

import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.DeadLetterFigures;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * How many dead letters there are, as the directory said a few seconds ago. Asks it only while somebody wants to know.
 * Thread-safe; never blocks.
 */
final class DeadLetterGauge implements Supplier<DeadLetterFigures> {
    private static final long FRESH_NANOS = 5_000_000_000L;

    private final Directory directory;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile DeadLetterFigures latest = new DeadLetterFigures(0, null);
    private volatile long askedAtNanos = System.nanoTime() - FRESH_NANOS;

    DeadLetterGauge(Directory directory) {
        this.directory = directory;
    }

    /** The latest figures known; zero before the first answer. */
    @Override
    public DeadLetterFigures get() {
        if (System.nanoTime() - askedAtNanos >= FRESH_NANOS && asking.compareAndSet(false, true)) {
            askedAtNanos = System.nanoTime();
            directory.deadLetterFigures().whenComplete((figures, failure) -> {
                if (figures != null) {
                    latest = figures;
                }
                asking.set(false);
            });
        }
        return latest;
    }
}
