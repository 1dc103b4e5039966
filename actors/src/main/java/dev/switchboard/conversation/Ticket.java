package dev.switchboard.conversation;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/**
 * A conversation's place in a waiting line. It is part of the event that makes the conversation wait and, in the same
 * transaction, a row of the directory's {@code waiting} table, from which a line is rebuilt. Immutable.
 *
 * @param queue the line
 * @param epoch the ownership epoch at which it waits; an older ticket of the same conversation is void
 * @param customer whose conversation it is
 * @param priority 0 (default) to 9 (most urgent)
 * @param skills what the agent must have
 * @param since from when its waiting counts; it is kept through transfers and returns
 * @param front true for one that was already served: it goes before all that were not
 * @param prefer the agent to try first (transfer target, or the last agent); may be null
 * @param preferUntil until when others leave it to {@code prefer}; null with it
 * @param direct true when {@code prefer} was named by a person, so that queue and skills don't matter for that agent
 */
public record Ticket(
        String queue,
        long epoch,
        String customer,
        int priority,
        Set<String> skills,
        Instant since,
        boolean front,
        String prefer,
        Instant preferUntil,
        boolean direct) {
    public Ticket {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(customer, "customer");
        Objects.requireNonNull(since, "since");
        skills = Set.copyOf(skills);
    }
}
