package dev.switchboard.desk;

import dev.switchboard.conversation.RoutingDecision;
import java.time.Instant;

/**
 * A unit of an agent's capacity held by one conversation. Immutable. See {@code Desk} for its states.
 *
 * @param conv the conversation
 * @param offer the offer for which it was reserved
 * @param epoch while reserved: the epoch at which the conversation waited; once confirmed: the epoch of the ownership
 * @param confirmed false while it is a reservation
 * @param auto the conversation is to be assigned without asking the agent
 * @param deadline while reserved: when the desk asks the conversation what became of it
 * @param decision why this agent
 * @param queue the queue from which it came
 */
public record Slot(
        String conv,
        String offer,
        long epoch,
        boolean confirmed,
        boolean auto,
        Instant deadline,
        RoutingDecision decision,
        String queue) {}
