package dev.switchboard.conversation;

import com.typesafe.config.Config;
import java.time.Duration;
import java.time.InstantSource;

/**
 * How conversations behave, the same for all queues. Immutable.
 *
 * @param passivateAfter after how much quiet a conversation without terminals leaves memory
 * @param marksAfter after how much quiet watermarks are persisted by themselves
 * @param attachTime how long terminals have to attach again after a restart before anyone counts as absent
 * @param repeatMin the first interval at which an unacknowledged step is repeated; it doubles up to {@code repeatMax}
 * @param repeatMax the longest interval at which an unacknowledged step is repeated
 * @param snapshotEvery a snapshot after that many events
 * @param snapshotChars or after that many characters of bodies
 * @param reduceClosedAfter how long after its last entry a closed conversation is reduced by itself; zero: never
 * @param letters how refused entries are tried again
 * @param clock the time
 */
public record ConversationSettings(
        Duration passivateAfter,
        Duration marksAfter,
        Duration attachTime,
        Duration repeatMin,
        Duration repeatMax,
        int snapshotEvery,
        long snapshotChars,
        Duration reduceClosedAfter,
        LetterSettings letters,
        InstantSource clock) {
    /** Reads {@code switchboard.conversation} and {@code switchboard.dead-letters}. */
    public static ConversationSettings of(Config switchboard) {
        Config config = switchboard.getConfig("conversation");
        return new ConversationSettings(
                config.getDuration("passivate-after"),
                config.getDuration("marks-after"),
                config.getDuration("attach-time"),
                config.getDuration("repeat-min"),
                config.getDuration("repeat-max"),
                config.getInt("snapshot-every"),
                config.getMemorySize("snapshot-size").toBytes(),
                config.getDuration("reduce-closed-after"),
                LetterSettings.of(switchboard.getConfig("dead-letters")),
                InstantSource.system());
    }
}
