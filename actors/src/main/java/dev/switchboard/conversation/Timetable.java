package dev.switchboard.conversation;

import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * When time alone changes a conversation: an offer runs out, a customer has been away too long, nobody wrote for too long.
 * Pure; thread-safe. Times that can't come are {@link Instant#MAX}.
 */
final class Timetable {
    private final QueueCatalog queues;
    private final Transitions transitions;

    Timetable(QueueCatalog queues, Transitions transitions) {
        this.queues = queues;
        this.transitions = transitions;
    }

    /** What is due now, one thing at a time. {@code goneSince}: since when no customer's terminal is there; may be null. */
    Optional<ConversationEvent> due(ConversationState state, Instant goneSince, Instant now) {
        for (OpenOffer offer : state.ownership().offers().values()) {
            if (!now.isBefore(offer.deadline())) {
                return Optional.of(transitions.offerEnded(state, offer.offer(), offer.agent(), "timeout", now));
            }
        }
        if (!now.isBefore(abandonedAt(state, goneSince))) {
            return Optional.of(transitions.closed(state, null, null, 0, "abandoned", now));
        }
        if (!now.isBefore(transitions.reduceAt(state))) {
            return Optional.of(transitions.erased(state, null, null, now));
        }
        if (!now.isBefore(idleAt(state))) {
            return Optional.of(transitions.closed(state, null, null, 0, "idle", now));
        }
        return Optional.empty();
    }

    /** When {@link #due} has something next. */
    Instant next(ConversationState state, Instant goneSince) {
        Instant next = earlier(abandonedAt(state, goneSince), idleAt(state));
        next = earlier(next, transitions.reduceAt(state));
        for (OpenOffer offer : state.ownership().offers().values()) {
            next = earlier(next, offer.deadline());
        }
        return next;
    }

    private Instant abandonedAt(ConversationState state, Instant goneSince) {
        return state.ownership().ticket() == null || goneSince == null
                ? Instant.MAX
                : after(state, QueueSettings::abandonAfter, goneSince);
    }

    private Instant idleAt(ConversationState state) {
        List<Entry> recent = state.log().recent();
        return state.ownership().status() != Status.ASSIGNED || recent.isEmpty()
                ? Instant.MAX
                : after(
                        state,
                        QueueSettings::closeIdleAfter,
                        recent.get(recent.size() - 1).at());
    }

    private Instant after(ConversationState state, Function<QueueSettings, Duration> setting, Instant from) {
        return queues.find(state.ownership().queue())
                .map(setting)
                .filter(length -> !length.isZero())
                .map(from::plus)
                .orElse(Instant.MAX);
    }

    static Instant earlier(Instant a, Instant b) {
        return b.isBefore(a) ? b : a;
    }
}
