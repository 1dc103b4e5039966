package dev.switchboard.bench.dispatch;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * One measurement: a contender is started, one load is sent to it and the figures are taken while it runs; then all
 * that was sent must have been handled, in order. The calling thread measures; its own use is left out of the figures.
 */
final class Trial {
    private static final int SESSIONS = 1000;
    private static final long LOOK_EVERY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long DRAIN_LIMIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long DRAIN_POLL_NS = 200_000;

    private final Contender.Factory factory;
    private final int workBytes;
    private final double workNs;

    /** {@code workNs} is only handed on into the figures. */
    Trial(Contender.Factory factory, int workBytes, double workNs) {
        this.factory = factory;
        this.workBytes = workBytes;
        this.workNs = workNs;
    }

    /**
     * Runs it once.
     *
     * @throws Sessions.OrderViolation when a session's messages came out of order, doubled or not at all
     * @throws IllegalStateException when messages were stuck or the producer failed
     */
    Measured run(Load load, int workers, long settleNs, long measureNs) throws InterruptedException {
        Sessions sessions = new Sessions(SESSIONS, workBytes);
        try (Contender contender = factory.start(workers, sessions)) {
            // The young generation begins empty, so that only a flood collects while it is measured.
            System.gc();
            Timeline times = Timeline.from(System.nanoTime(), settleNs, measureNs);
            if (!(load instanceof Load.Flood)) {
                sessions.recordBetween(times.recordFromNs(), times.toNs());
            }
            Producer producer = new Producer(load, times, sessions, contender);
            producer.start();
            Figures figures = watch(times, sessions, producer);
            producer.join();
            drain(sessions, producer);
            sessions.checkOrder(producer.sent());
            return measured(figures, sessions.latencies(), producer.lateness());
        }
    }

    private record Figures(Threads.Use others, Threads.Use producer, long compilersNs, long wallNs, long handled) {}

    private static Figures watch(Timeline times, Sessions sessions, Producer producer) {
        sleepUntil(times.fromNs());
        long fromNs = System.nanoTime();
        long handledBefore = sessions.handled();
        ThreadUse use = new ThreadUse(Threads.look());
        for (long next = times.fromNs() + LOOK_EVERY_NS; next - times.toNs() < 0; next += LOOK_EVERY_NS) {
            sleepUntil(next);
            use.add(Threads.look());
        }
        sleepUntil(times.toNs());
        long wallNs = System.nanoTime() - fromNs;
        long handled = sessions.handled() - handledBefore;
        use.add(Threads.look());
        Threads.Use ofProducer = use.of(producer.taskId());
        Threads.Use others =
                use.ofAll().minus(ofProducer).minus(use.of(Threads.ownTaskId())).minus(use.ofCompilers());
        return new Figures(others, ofProducer, use.ofCompilers().cpuNs(), wallNs, handled);
    }

    private static void drain(Sessions sessions, Producer producer) {
        if (producer.failure() != null) {
            throw new IllegalStateException("the producer failed: " + producer.failure(), producer.failure());
        }
        long limitNs = System.nanoTime() + DRAIN_LIMIT_NS;
        while (sessions.handled() < producer.sentInAll()) {
            if (System.nanoTime() - limitNs > 0) {
                throw new IllegalStateException("stuck: %d messages sent, %d handled %d s after the last"
                        .formatted(
                                producer.sentInAll(),
                                sessions.handled(),
                                TimeUnit.NANOSECONDS.toSeconds(DRAIN_LIMIT_NS)));
            }
            LockSupport.parkNanos(DRAIN_POLL_NS);
        }
    }

    private Measured measured(Figures figures, Histogram latencies, Histogram lateness) {
        double seconds = figures.wallNs() / 1e9;
        double percent = 100.0 / figures.wallNs();
        Threads.Use others = figures.others();
        Threads.Use producer = figures.producer();
        return new Measured(
                Latencies.us(latencies, 50),
                Latencies.us(latencies, 99),
                Latencies.us(latencies, 99.9),
                Latencies.us(latencies, 100),
                (others.cpuNs() + producer.cpuNs()) * percent,
                others.cpuNs() * percent,
                others.voluntary() / seconds,
                others.involuntary() / seconds,
                (producer.voluntary() + producer.involuntary()) / seconds,
                Latencies.us(lateness, 50),
                Latencies.us(lateness, 99),
                Latencies.us(lateness, 100),
                figures.handled() / seconds,
                figures.compilersNs() * percent,
                workNs);
    }

    private static void sleepUntil(long timeNs) {
        for (long left = timeNs - System.nanoTime(); left > 0; left = timeNs - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
