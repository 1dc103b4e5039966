package dev.switchboard.spool;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * What the spool may hold. Immutable.
 *
 * @param maxBytes how many bytes of posts it keeps at most
 * @param refusedKept for how long it says that a post was refused
 */
record SpoolLimits(long maxBytes, Duration refusedKept) {
    /** Reads {@code switchboard.spool}. */
    static SpoolLimits of(Config spool) {
        return new SpoolLimits(spool.getBytes("max-bytes"), spool.getDuration("refused-kept"));
    }
}
