package dev.switchboard.desk;

import dev.switchboard.desk.DeskEvent.AvailabilityChosen;
import dev.switchboard.desk.DeskEvent.DeadlineMoved;
import dev.switchboard.desk.DeskEvent.Known;
import dev.switchboard.desk.DeskEvent.ProfileSet;
import dev.switchboard.desk.DeskEvent.ReachChanged;
import dev.switchboard.desk.DeskEvent.SlotConfirmed;
import dev.switchboard.desk.DeskEvent.SlotReleased;
import dev.switchboard.desk.DeskEvent.SlotReserved;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All that a desk must know after a restart; snapshots are of this. Immutable.
 *
 * @param known false before the agent has a profile or has said hello
 * @param profile what was set; null: the defaults
 * @param availability the agent's choice
 * @param slots by conversation
 * @param released the highest epoch at which each conversation's slot was released, newest 256, the oldest first: a
 *     late step that is older does nothing
 * @param ownersGone true when every confirmed slot is to be returned: since the end of the grace period until the
 *     agent is back, or since the agent chose to leave; false again when no slot is left
 * @param idleSince when the desk last took or gave back a slot, or the agent became available; ranks the longest idle
 *     first
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
    /** How many conversations' released epochs are remembered. */
    public static final int MAX_RELEASED = 256;

    public static final DeskState EMPTY =
            new DeskState(false, null, Availability.OFFLINE, Map.of(), Map.of(), false, Instant.EPOCH, 0, null);

    public DeskState {
        slots = Frozen.copyOf(slots);
        released = Frozen.copyOf(released);
    }

    /** The epoch at which that conversation's slot was last released; 0 when not known. */
    public long releasedEpoch(String conv) {
        return released.getOrDefault(conv, 0L);
    }

    /** The state after an event. */
    public DeskState apply(DeskEvent event) {
        DeskState next = apply0(event);
        Instant row = event.deadline();
        return row == null ? next : next.withDeadline(row.equals(Instant.MAX) ? null : row);
    }

    private DeskState apply0(DeskEvent event) {
        Instant at = event.listing().at();
        if (event instanceof Known) {
            return with(true, profile, availability, slots, released, ownersGone, idleSince, offersMade);
        }
        if (event instanceof AvailabilityChosen chosen) {
            boolean starts = chosen.availability() == Availability.AVAILABLE && availability != Availability.AVAILABLE;
            boolean leaves = chosen.availability() == Availability.OFFLINE && !slots.isEmpty();
            return with(
                    true, profile, chosen.availability(), slots, released, leaves, starts ? at : idleSince, offersMade);
        }
        if (event instanceof ProfileSet set) {
            return with(true, set.profile(), availability, slots, released, ownersGone, idleSince, offersMade);
        }
        if (event instanceof SlotReserved reserved) {
            return withSlot(reserved.slot(), at, offersMade + 1);
        }
        if (event instanceof SlotConfirmed confirmed) {
            return withSlot(confirmedSlot(confirmed), at, offersMade);
        }
        if (event instanceof SlotReleased freed) {
            LinkedHashMap<String, Slot> fewer = new LinkedHashMap<>(slots);
            fewer.remove(freed.conv());
            boolean stillGone = ownersGone && !fewer.isEmpty();
            return with(
                    known,
                    profile,
                    availability,
                    Frozen.owning(fewer),
                    withReleased(freed.conv(), freed.epoch()),
                    stillGone,
                    at,
                    offersMade);
        }
        if (event instanceof ReachChanged changed) {
            return with(known, profile, availability, slots, released, changed.gone(), idleSince, offersMade);
        }
        if (event instanceof DeadlineMoved) {
            return this;
        }
        throw new IllegalStateException("unknown event: " + event);
    }

    private Slot confirmedSlot(SlotConfirmed event) {
        Slot before = slots.get(event.conv());
        return new Slot(
                event.conv(),
                event.offer(),
                event.epoch(),
                true,
                before != null && before.auto(),
                null,
                before == null ? null : before.decision(),
                event.queue());
    }

    private Map<String, Long> withReleased(String conv, long epoch) {
        LinkedHashMap<String, Long> all = new LinkedHashMap<>(released);
        Long before = all.remove(conv);
        all.put(conv, before == null ? epoch : Math.max(before, epoch));
        Iterator<String> oldest = all.keySet().iterator();
        while (all.size() > MAX_RELEASED) {
            oldest.next();
            oldest.remove();
        }
        return Frozen.owning(all);
    }

    private DeskState withSlot(Slot slot, Instant at, int offers) {
        LinkedHashMap<String, Slot> more = new LinkedHashMap<>(slots);
        more.put(slot.conv(), slot);
        return with(known, profile, availability, Frozen.owning(more), released, ownersGone, at, offers);
    }

    private DeskState withDeadline(Instant row) {
        return new DeskState(known, profile, availability, slots, released, ownersGone, idleSince, offersMade, row);
    }

    private DeskState with(
            boolean nowKnown,
            Profile newProfile,
            Availability chosen,
            Map<String, Slot> newSlots,
            Map<String, Long> newReleased,
            boolean gone,
            Instant idle,
            int offers) {
        return new DeskState(nowKnown, newProfile, chosen, newSlots, newReleased, gone, idle, offers, deadline);
    }
}
