package dev.switchboard.bench.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** What one worker thread handled; that thread writes, any thread reads {@link #handled}. */
final class WorkerFigures {
    /** Read by others only after {@link #handled} told them that the writer is done. */
    final Histogram latencies = Latencies.histogram();

    private final AtomicLong handled = new AtomicLong();

    /** One writer, so a plain read and an ordered write do; both cost less than an atomic increment. */
    void handledOne() {
        handled.setRelease(handled.getPlain() + 1);
    }

    long handled() {
        return handled.getAcquire();
    }
}
