package dev.switchboard.server.demo;

import java.time.Duration;

/**
 * How fast the simulated people live. Immutable.
 *
 * @param slowness what every time is multiplied with: 1 is a person's pace, 0.05 is twenty times faster
 */
public record Pace(double slowness) {
    public Pace {
        if (!(slowness > 0) || slowness > 100) {
            throw new IllegalArgumentException("slowness must be above 0 and at most 100, not " + slowness);
        }
    }

    /** As people do it. */
    public static Pace human() {
        return new Pace(1);
    }

    /** A person's time at this pace, in milliseconds; at least 1. */
    long millis(Duration ofAPerson) {
        return Math.max(1, Math.round(ofAPerson.toMillis() * slowness));
    }
}
