package dev.switchboard.delivery;

import com.typesafe.config.Config;
import java.time.Duration;
import java.time.InstantSource;

/**
 * How bulk retries are carried out. Immutable.
 *
 * @param maxOpen how many may be unfinished
 * @param lookEvery how often the node that carries them out looks for new ones
 * @param keep how long finished ones are kept
 * @param clock the time
 */
public record BulkRetrySettings(int maxOpen, Duration lookEvery, Duration keep, InstantSource clock) {
    /** The shipped ones. */
    public static final BulkRetrySettings USUAL =
            new BulkRetrySettings(10, Duration.ofSeconds(1), Duration.ofDays(30), InstantSource.system());

    /** Reads {@code switchboard.dead-letters.bulk}. */
    public static BulkRetrySettings of(Config config) {
        return new BulkRetrySettings(
                config.getInt("jobs"),
                config.getDuration("look-every"),
                config.getDuration("keep"),
                InstantSource.system());
    }
}
