package dev.switchboard.conversation;

import java.time.Instant;

/**
 * An offer that has not ended. Immutable.
 *
 * @param offer its id, see {@link OfferId}
 * @param agent to whom it was made
 * @param deadline when it ends by itself
 * @param decision why that agent
 */
public record OpenOffer(String offer, String agent, Instant deadline, RoutingDecision decision) {}
