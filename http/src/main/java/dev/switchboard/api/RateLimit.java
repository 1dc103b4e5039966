package dev.switchboard.api;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A token bucket for each key. Thread-safe; never blocks.
 *
 * <p>A bucket is one number: the time at which it will be full again (the generic cell rate algorithm). Taking a token
 * moves that time on by one interval; a token is refused when the bucket would then be full later than {@code burst}
 * intervals from now. A bucket whose time has passed is full and says nothing, so it can be dropped: only keys that
 * asked within the last {@code burst} intervals are held, and a look over all of them is made once in that time.
 */
public final class RateLimit {
    private final long intervalNanos;
    private final long depthNanos;
    private final LongSupplier nanoClock;
    private final ConcurrentHashMap<String, Long> fullAt = new ConcurrentHashMap<>();
    private final AtomicLong nextSweep;

    /**
     * Makes the buckets.
     *
     * @param perSecond how many tokens a second come back
     * @param burst how many tokens a full bucket has
     * @param nanoClock a clock that only moves forward, in nanoseconds
     */
    public RateLimit(int perSecond, int burst, LongSupplier nanoClock) {
        if (perSecond < 1 || burst < 1) {
            throw new IllegalArgumentException(
                    "perSecond and burst must be at least 1, not " + perSecond + ", " + burst);
        }
        this.intervalNanos = Duration.ofSeconds(1).toNanos() / perSecond;
        this.depthNanos = intervalNanos * burst;
        this.nanoClock = nanoClock;
        this.nextSweep = new AtomicLong(nanoClock.getAsLong() + depthNanos);
    }

    /** Takes a token: zero when there was one, otherwise how long until there is one. */
    public Duration take(String key) {
        long now = nanoClock.getAsLong();
        sweep(now);
        long[] waitNanos = {0};
        fullAt.compute(key, (k, before) -> {
            long base = before == null || before - now < 0 ? now : before;
            long after = base + intervalNanos;
            if (after - now > depthNanos) {
                waitNanos[0] = after - now - depthNanos;
                return before;
            }
            return after;
        });
        return waitNanos[0] == 0 ? Duration.ZERO : Duration.ofNanos(waitNanos[0]);
    }

    /** How many keys are held. */
    public int size() {
        return fullAt.size();
    }

    private void sweep(long now) {
        long due = nextSweep.get();
        if (now - due < 0
                || !nextSweep.compareAndSet(
                        due, now + Math.max(depthNanos, Duration.ofSeconds(1).toNanos()))) {
            return;
        }
        for (Map.Entry<String, Long> bucket : fullAt.entrySet()) {
            Long full = bucket.getValue();
            if (full - now < 0) {
                fullAt.remove(bucket.getKey(), full);
            }
        }
    }
}
