package dev.switchboard.socket;

import java.time.Duration;

/**
 * How many requests one socket may make: so many a second in the long run, so many at once. Not thread-safe. It is one
 * number, the time at which the allowance will be whole again (the generic cell rate algorithm).
 */
final class Pace {
    private final long intervalNanos;
    private final long depthNanos;
    private long wholeAt;

    Pace(int perSecond, int burst, long nowNanos) {
        this.intervalNanos = Duration.ofSeconds(1).toNanos() / perSecond;
        this.depthNanos = intervalNanos * burst;
        this.wholeAt = nowNanos;
    }

    /** Zero when a request may be made now, and it counts; otherwise the nanoseconds until one may. */
    long take(long nowNanos) {
        long base = wholeAt - nowNanos < 0 ? nowNanos : wholeAt;
        long wait = base + intervalNanos - nowNanos - depthNanos;
        if (wait > 0) {
            return wait;
        }
        wholeAt = base + intervalNanos;
        return 0;
    }
}
