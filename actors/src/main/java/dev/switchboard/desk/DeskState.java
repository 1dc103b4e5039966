package dev.switchboard.desk;

import java.time.Instant;
import java.util.Map;

/**
 * All that a desk must know after a restart; snapshots are of this. Immutable.
 *
 * @param known false before the agent has a profile or has said hello
 * @param profile what was set; null: the defaults
 * @param availability the agent's choice
 * @param slots by conversation
 * @param released the highest epoch at which each conversation's slot was released, newest 256: a late step that is older
 *     does nothing
 * @param ownersGone true from the end of the grace period until the agent is back: every confirmed slot is to be returned
 * @param idleSince since when the desk has held fewer slots than before; ranks the longest idle first
 * @param offersMade counts offers, so that their ids differ
 * @param deadline when the deadline row says the desk must be awake; null when there is no row
 */
public record DeskState(
        boolean known,
        Profile profile,
        Availability availability,
        Map<String, Slot> slots,
        Map<String, Long> released,
        boolean ownersGone,
        Instant idleSince,
        int offersMade,
        Instant deadline) {
    public static final DeskState EMPTY =
            new DeskState(false, null, Availability.OFFLINE, Map.of(), Map.of(), false, Instant.EPOCH, 0, null);

    public DeskState {
        slots = Map.copyOf(slots);
        released = Map.copyOf(released);
    }
}
