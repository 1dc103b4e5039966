package dev.switchboard.desk;

import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.AgentPut;
import dev.switchboard.ports.DirectoryChange.DeadlinePut;
import dev.switchboard.ports.DirectoryChange.DeadlineRemoved;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.JournaledEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a desk persists. Every event carries what the list of agents shows after it, and the new deadline (null leaves
 * the row, {@link Instant#MAX} removes it). Immutable.
 */
public sealed interface DeskEvent extends JournaledEvent {
    Listing listing();

    Instant deadline();

    /** What the list of agents shows of a desk. */
    record Listing(
            Availability availability,
            int capacity,
            int held,
            Set<String> queues,
            Set<String> skills,
            boolean profiled,
            Instant at) {
        public Listing {
            queues = Set.copyOf(queues);
            skills = Set.copyOf(skills);
        }
    }

    /** The agent said hello for the first time. */
    record Known(Listing listing, Instant deadline) implements DeskEvent {}

    /** The agent chose. */
    record AvailabilityChosen(Availability availability, Listing listing, Instant deadline) implements DeskEvent {}

    /** A profile was set. */
    record ProfileSet(Profile profile, Listing listing, Instant deadline) implements DeskEvent {}

    /** A slot is held for a conversation that has not confirmed it. */
    record SlotReserved(Slot slot, Listing listing, Instant deadline) implements DeskEvent {}

    /** The conversation is this agent's since that epoch. It may come without a reservation. */
    record SlotConfirmed(String conv, String offer, long epoch, String queue, Listing listing, Instant deadline)
            implements DeskEvent {}

    /** The slot is free; steps for that conversation of that epoch or older do nothing from now on. */
    record SlotReleased(String conv, long epoch, Listing listing, Instant deadline) implements DeskEvent {}

    /** The agent was unreachable beyond the grace period, or is back. */
    record ReachChanged(boolean gone, Listing listing, Instant deadline) implements DeskEvent {}

    /** Nothing but a new deadline. */
    record DeadlineMoved(Listing listing, Instant deadline) implements DeskEvent {}

    @Override
    default List<DirectoryChange> directoryChanges(String agent) {
        List<DirectoryChange> changes = new ArrayList<>(2);
        Listing shown = listing();
        changes.add(new AgentPut(
                agent,
                shown.availability().wireName(),
                shown.capacity(),
                shown.held(),
                shown.queues(),
                shown.skills(),
                shown.profiled(),
                shown.at()));
        if (deadline() != null) {
            changes.add(
                    deadline().equals(Instant.MAX)
                            ? new DeadlineRemoved(EntityKind.DESK, agent)
                            : new DeadlinePut(EntityKind.DESK, agent, deadline()));
        }
        return changes;
    }

    /** For tests and tools: every kind of event, so that none is forgotten by a serializer. */
    static Set<Class<? extends DeskEvent>> kinds() {
        return Set.of(
                Known.class,
                AvailabilityChosen.class,
                ProfileSet.class,
                SlotReserved.class,
                SlotConfirmed.class,
                SlotReleased.class,
                ReachChanged.class,
                DeadlineMoved.class);
    }
}
