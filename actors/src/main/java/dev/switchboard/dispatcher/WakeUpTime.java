package dev.switchboard.dispatcher;

/**
 * How long wake-ups take lately: a decaying median. Each sample moves it by a fixed share of itself towards the sample,
 * however far that is, so it settles where as many are longer as are shorter; one wake-up in ten that waits for
 * milliseconds for a processor doesn't move it, and a wrong beginning is forgotten in some dozens. Called by one lane's
 * thread alone; any thread reads it.
 */
final class WakeUpTime {
    /** Shorter and longer wake-ups are no property of a machine in use. */
    static final long LEAST_NS = 500;

    static final long MOST_NS = 200_000;

    private static final double STEP = 1.0 / 16;
    private static final double FORGOTTEN = 1.0 / 64;

    private final long firstNs;
    private volatile double medianNs;
    private boolean seen;

    WakeUpTime(long firstNs) {
        this.firstNs = firstNs;
        this.medianNs = firstNs;
    }

    void took(long nanos) {
        seen = true;
        double now = medianNs;
        double next = nanos < now ? now * (1 - STEP) : now * (1 + STEP);
        medianNs = Math.max(LEAST_NS, Math.min(next, MOST_NS));
    }

    /**
     * The time passes. Without a wake-up since the last call, what was seen is slowly forgotten in favour of the first
     * figure: a lane that stopped parking because wake-ups took long, when the machine was busy, would never see another.
     */
    void passes() {
        double now = medianNs;
        if (!seen && now > firstNs) {
            medianNs = now - (now - firstNs) * FORGOTTEN;
        }
        seen = false;
    }

    long medianNs() {
        return (long) medianNs;
    }
}
