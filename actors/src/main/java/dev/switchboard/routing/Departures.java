package dev.switchboard.routing;

import java.time.Duration;
import java.time.Instant;

/**
 * How fast a line moves, from its latest departures; what it says about a place in line is honest or nothing. Used by
 * one line alone.
 */
final class Departures {
    /** Fewer departures than that say nothing. */
    static final int ENOUGH = 5;

    private static final int KEPT = 50;
    private static final Duration RECENT = Duration.ofMinutes(15);

    /** Seconds, or −1 for both when nothing honest can be said. */
    record Eta(long lowSeconds, long highSeconds) {
        static final Eta UNKNOWN = new Eta(-1, -1);
    }

    /** So many departures in so many seconds; none when that says nothing. */
    record Pace(int sample, double seconds) {
        static final Pace UNKNOWN = new Pace(0, 0);

        /**
         * When that place is reached, if the line goes on as it did: the time that so many departures took lately,
         * give or take what chance makes of that many and of the sample's size.
         */
        Eta eta(int position) {
            if (sample == 0) {
                return Eta.UNKNOWN;
            }
            double mean = position * seconds / sample;
            double spread = Math.sqrt(1.0 / position + 1.0 / sample);
            return new Eta((long) Math.floor(mean * Math.max(0, 1 - spread)), (long) Math.ceil(mean * (1 + spread)));
        }
    }

    private final Instant[] times = new Instant[KEPT];
    private int count;

    void add(Instant at) {
        times[count++ % KEPT] = at;
    }

    Pace pace(Instant now) {
        int sample = 0;
        Instant first = now;
        for (int i = Math.max(0, count - KEPT); i < count; i++) {
            Instant at = times[i % KEPT];
            if (Duration.between(at, now).compareTo(RECENT) <= 0) {
                sample++;
                first = at.isBefore(first) ? at : first;
            }
        }
        double seconds = Duration.between(first, now).toMillis() / 1000.0;
        return sample < ENOUGH || seconds <= 0 ? Pace.UNKNOWN : new Pace(sample, seconds);
    }
}
