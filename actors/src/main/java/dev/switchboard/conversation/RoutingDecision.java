package dev.switchboard.conversation;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Why a conversation went to an agent: kept with the offer, so that it can be read later. Immutable.
 *
 * @param at when it was decided
 * @param agent who was chosen
 * @param strategy the strategy's name, or {@code direct} when a person named the agent
 * @param reason one sentence
 * @param considered at most ten agents with the verdict on each, as in {@code bob: full (3 of 3)}
 */
public record RoutingDecision(Instant at, String agent, String strategy, String reason, List<String> considered) {
    public RoutingDecision {
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(agent, "agent");
        considered = List.copyOf(considered);
    }
}
