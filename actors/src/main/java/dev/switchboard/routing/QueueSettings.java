package dev.switchboard.routing;

import java.time.Duration;
import java.util.Objects;

/**
 * How one queue works. Immutable. Every field has a default in {@code switchboard.queue-defaults} and can be set for a
 * queue over HTTP.
 *
 * @param queue its name
 * @param strategy {@code longest-idle}, {@code least-loaded} or {@code round-robin}
 * @param autoAccept true: a conversation is assigned without asking the agent
 * @param offerTo to how many agents one conversation is offered at once, 1 to 10
 * @param offerTimeout how long an offer stands, 1 s to 1 h
 * @param maxLength how many may wait; beyond it an opening is refused with {@code queue-full}
 * @param ageing after how much waiting a conversation counts as one priority higher; zero: never
 * @param relaxSkillsAfter after how much waiting one more needed skill is left out (the last by name first); zero:
 *     never
 * @param preferLastAgentFor how long a reopened conversation is left to its last agent; zero: not at all
 * @param preferTargetFor how long a transferred conversation is left to the agent it was meant for
 * @param ownerGrace how long an owner may be unreachable before the conversation returns to the line
 * @param abandonAfter how long after the loss of the customer's last socket a waiting conversation leaves the line;
 *     zero: never
 * @param closeIdleAfter after how much silence an assigned conversation is closed; zero: never
 * @param whenClosed what a customer's message to a closed conversation does
 * @param deadLetters what happens behind an entry that the receiver's terminal refused after all attempts
 */
public record QueueSettings(
        String queue,
        String strategy,
        boolean autoAccept,
        int offerTo,
        Duration offerTimeout,
        int maxLength,
        Duration ageing,
        Duration relaxSkillsAfter,
        Duration preferLastAgentFor,
        Duration preferTargetFor,
        Duration ownerGrace,
        Duration abandonAfter,
        Duration closeIdleAfter,
        WhenClosed whenClosed,
        DeadLetters deadLetters) {
    /** What a customer's message to a closed conversation does. */
    public enum WhenClosed {
        REOPEN,
        OPEN_NEW,
        REFUSE
    }

    /** What happens behind a dead letter. The order is that of the journal's codes: append only. */
    public enum DeadLetters {
        /** Later entries of the conversation wait behind it. */
        HOLD,
        /** It is kept, and later entries go on. */
        SKIP,
        /** It is recorded as discarded, and later entries go on. */
        DISCARD
    }

    /** The same with the default for dead letters: {@code HOLD}. */
    public QueueSettings(
            String queue,
            String strategy,
            boolean autoAccept,
            int offerTo,
            Duration offerTimeout,
            int maxLength,
            Duration ageing,
            Duration relaxSkillsAfter,
            Duration preferLastAgentFor,
            Duration preferTargetFor,
            Duration ownerGrace,
            Duration abandonAfter,
            Duration closeIdleAfter,
            WhenClosed whenClosed) {
        this(
                queue,
                strategy,
                autoAccept,
                offerTo,
                offerTimeout,
                maxLength,
                ageing,
                relaxSkillsAfter,
                preferLastAgentFor,
                preferTargetFor,
                ownerGrace,
                abandonAfter,
                closeIdleAfter,
                whenClosed,
                DeadLetters.HOLD);
    }

    public QueueSettings {
        Objects.requireNonNull(deadLetters, "deadLetters");
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(whenClosed, "whenClosed");
    }
}
