package dev.switchboard.delivery;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * When posts are spooled, and how they are sent afterwards. Immutable.
 *
 * @param enabled true when posts may be spooled; otherwise only what an earlier life left is sent
 * @param maxAge how old a post may be when it is sent
 * @param drainParallel how many posts are sent at once, each of another sender
 * @param probeEvery how often the database is asked whether it is back; up to eight times as long while it isn't
 */
public record SpoolSettings(boolean enabled, Duration maxAge, int drainParallel, Duration probeEvery) {
    /** Reads {@code switchboard.spool}. */
    public static SpoolSettings of(Config config) {
        return new SpoolSettings(
                config.getBoolean("enabled"),
                config.getDuration("max-age"),
                config.getInt("drain-parallel"),
                config.getDuration("probe-every"));
    }
}
