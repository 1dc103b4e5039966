package dev.switchboard.directory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Times as the tables hold them: microseconds since 1970; times beyond what that holds become the last or first one.
 */
final class Micros {
    private static final Instant LAST = Instant.EPOCH.plus(Long.MAX_VALUE, ChronoUnit.MICROS);
    private static final Instant FIRST = Instant.EPOCH.plus(Long.MIN_VALUE, ChronoUnit.MICROS);

    private Micros() {}

    static long of(Instant at) {
        if (!at.isBefore(LAST)) {
            return Long.MAX_VALUE;
        }
        if (!at.isAfter(FIRST)) {
            return Long.MIN_VALUE;
        }
        return Math.addExact(Math.multiplyExact(at.getEpochSecond(), 1_000_000L), at.getNano() / 1_000);
    }

    static Instant toInstant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
