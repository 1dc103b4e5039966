package dev.switchboard.bench.dispatch;

/**
 * The times of one measurement on {@link System#nanoTime}'s clock, fixed before it begins. Immutable.
 *
 * <p>The load begins at {@code startNs}; figures of the process are taken at {@code fromNs} and {@code toNs}; the load
 * goes on to {@code stopNs}, so that the producer still works when they are taken. Reading the figures costs some
 * processor time itself, so the latencies of messages intended just after that moment are not recorded.
 */
record Timeline(long startNs, long fromNs, long recordFromNs, long toNs, long stopNs) {
    private static final long BEFORE_START_NS = 20_000_000;
    private static final long AFTER_FIGURES_NS = 20_000_000;
    private static final long TAIL_NS = 50_000_000;

    /** A load that settles for a time and is then measured for another. */
    static Timeline from(long nowNs, long settleNs, long measureNs) {
        long start = nowNs + BEFORE_START_NS;
        long from = start + settleNs;
        return new Timeline(start, from, from + AFTER_FIGURES_NS, from + measureNs, from + measureNs + TAIL_NS);
    }

    /** Whether the latency of a message intended then is recorded. */
    boolean isRecorded(long intendedNs) {
        return intendedNs - recordFromNs >= 0 && intendedNs - toNs < 0;
    }
}
