package dev.switchboard.ports;

import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import java.time.Instant;
import java.util.Set;

/**
 * One change to the directory's tables. It is part of an event and commits in the event's own transaction, so that lists
 * are never behind the journal. Applying a change twice does no harm. Immutable.
 */
public sealed interface DirectoryChange {
    /** A conversation exists from now on. */
    record ConversationOpened(
            String conv,
            String customer,
            String queue,
            Status status,
            String openedBy,
            long epoch,
            int priority,
            Instant openedAt)
            implements DirectoryChange {}

    /** A conversation's status, owner, queue or epoch changed. {@code owner} is null when nobody owns it. */
    record ConversationChanged(String conv, Status status, String owner, String queue, long epoch, Instant at)
            implements DirectoryChange {}

    /** The conversation waits; replaces its earlier row. */
    record WaitingPut(String conv, Ticket ticket) implements DirectoryChange {}

    /** The conversation no longer waits. */
    record WaitingRemoved(String conv) implements DirectoryChange {}

    /** The entity is to be woken at that time at the latest; replaces its earlier row. */
    record DeadlinePut(EntityKind entity, String id, Instant at) implements DirectoryChange {}

    /** The entity need not be woken. */
    record DeadlineRemoved(EntityKind entity, String id) implements DirectoryChange {}

    /** A dead letter as it is now; replaces its earlier row. */
    record DeadLetterPut(String conv, Letter letter) implements DirectoryChange {}

    /** What the list of agents shows; replaces the earlier row. */
    record AgentPut(
            String agent,
            String availability,
            int capacity,
            int held,
            Set<String> queues,
            Set<String> skills,
            boolean profiled,
            Instant at)
            implements DirectoryChange {}
}
