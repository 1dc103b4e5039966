package dev.switchboard.desk;

import com.typesafe.config.Config;
import java.time.Duration;
import java.time.InstantSource;

/**
 * How desks behave, the same for all agents. Immutable.
 *
 * @param defaultCapacity how many conversations an agent without a profile holds at most
 * @param attachTime how long terminals have to attach again after a restart before the agent counts as unreachable
 * @param answerMargin how long beyond a deadline the desk waits before it asks what became of the slot
 * @param repeatMin the first interval at which an unanswered step is repeated; it doubles up to {@code repeatMax}
 * @param repeatMax the longest interval at which an unanswered step is repeated
 * @param announceEvery how often the desk repeats to its lines what it can take
 * @param wakeEvery how soon after a crash a desk that holds slots is woken
 * @param passivateAfter after how much quiet an unused desk leaves memory
 * @param snapshotEvery a snapshot after that many events
 * @param clock the time
 */
public record DeskSettings(
        int defaultCapacity,
        Duration attachTime,
        Duration answerMargin,
        Duration repeatMin,
        Duration repeatMax,
        Duration announceEvery,
        Duration wakeEvery,
        Duration passivateAfter,
        int snapshotEvery,
        InstantSource clock) {
    /** Reads {@code switchboard.desk}. */
    public static DeskSettings of(Config config) {
        return new DeskSettings(
                config.getInt("default-capacity"),
                config.getDuration("attach-time"),
                config.getDuration("answer-margin"),
                config.getDuration("repeat-min"),
                config.getDuration("repeat-max"),
                config.getDuration("announce-every"),
                config.getDuration("wake-every"),
                config.getDuration("passivate-after"),
                config.getInt("snapshot-every"),
                InstantSource.system());
    }
}
