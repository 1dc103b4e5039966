package dev.switchboard.routing;

import dev.switchboard.conversation.Ticket;
import dev.switchboard.desk.DeskCommand;
import java.time.Instant;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;

/** What can be said to a waiting line. Every step may be repeated and may come late: the ticket's epoch tells. */
public sealed interface LineCommand {
    /**
     * A conversation waits. Acknowledged by {@code LineAcked}. A repeat updates the exclusions.
     *
     * @param declinedBy agents to whom it isn't offered again in this epoch
     * @param offered how many offers are open
     */
    record Enqueue(String conv, Ticket ticket, Set<String> declinedBy, int offered) implements LineCommand {
        public Enqueue {
            declinedBy = Set.copyOf(declinedBy);
        }
    }

    /** The conversation no longer waits at that epoch or an older one. Not acknowledged: it is asked again at need. */
    record Leave(String conv, long epoch) implements LineCommand {}

    /** The desk reserved a slot; the conversation will be asked by the desk. */
    record Reserved(String conv, long epoch, String agent) implements LineCommand {}

    /** The desk has no slot; it says so also by its next announcement. */
    record NotReserved(String conv, long epoch, String agent, String reason) implements LineCommand {}

    /**
     * A desk serves this line and can take conversations; replaces its earlier announcement. Answered by
     * {@code Announced}. The desk's ref is watched.
     *
     * @param free how many slots are free
     * @param held how many are held
     * @param idleSince for the longest-idle strategy
     */
    record DeskOpen(
            String agent,
            int free,
            int held,
            int capacity,
            Set<String> skills,
            Instant idleSince,
            ActorRef<DeskCommand> desk)
            implements LineCommand {
        public DeskOpen {
            skills = Set.copyOf(skills);
        }
    }

    /** A desk doesn't serve this line, or can't take conversations now. */
    record DeskClosed(String agent, String reason) implements LineCommand {}

    /** Asks for the line as it is. */
    record Show(ActorRef<LineReply> replyTo) implements LineCommand {}

    /** Asks why a conversation still waits. */
    record Explain(String conv, ActorRef<LineReply> replyTo) implements LineCommand {}

    /** The queue's settings may have changed: read them again. */
    record SettingsChanged() implements LineCommand {}

    /** Sharding stops the entity. */
    record Stop() implements LineCommand {}
}
