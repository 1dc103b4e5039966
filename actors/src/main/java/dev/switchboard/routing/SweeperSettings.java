package dev.switchboard.routing;

import com.typesafe.config.Config;
import java.time.Duration;
import java.time.InstantSource;

/**
 * How the sweeper works. Immutable.
 *
 * @param every how often it looks
 * @param wakeAtOnce how many entities it wakes in one look at most
 * @param wakeAgainAfter how long it leaves an entity that it has woken to move its deadline
 * @param startLinesEvery how often it makes sure that the lines in which somebody waits are running
 * @param clock the time
 */
public record SweeperSettings(
        Duration every, int wakeAtOnce, Duration wakeAgainAfter, Duration startLinesEvery, InstantSource clock) {
    /** Reads {@code switchboard.sweeper}. */
    public static SweeperSettings of(Config config) {
        return new SweeperSettings(
                config.getDuration("every"),
                config.getInt("wake-at-once"),
                config.getDuration("wake-again-after"),
                config.getDuration("start-lines-every"),
                InstantSource.system());
    }
}
