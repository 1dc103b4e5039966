package dev.switchboard.conversation;

import dev.switchboard.routing.QueueSettings.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * An entry that a receiver's terminal refused at least once, and what became of it. Immutable. It begins as a delivery that
 * is tried again and becomes a dead letter when the attempts are used up:
 *
 * <pre>
 * state       refused                acknowledged  retry asked            discard asked  its owner changes
 * retrying    retrying, else dead    delivered     –                      –              superseded
 * dead        –                      delivered     retried; away: dead    discarded      superseded by the next owner
 * retried     dead                   delivered     –                      discarded      superseded by the next owner
 * </pre>
 *
 * <p>{@code delivered}, {@code discarded} and {@code superseded} are final: the conversation then forgets the letter, and
 * its row in the directory keeps it. With the queue's setting {@code discard}, dead is discarded at once.
 *
 * @param id its id, see {@link LetterId}
 * @param receiver whose terminals refused it
 * @param seq the entry
 * @param queue the conversation's queue when it was refused first
 * @param sender who wrote the entry; null when nobody did, or the entry is older than what the conversation remembers
 * @param clientMsgId the sender's id of it; null where {@code sender} is
 * @param state what became of it
 * @param policy what it does to later entries once it is dead
 * @param count how many attempts failed
 * @param attempts the latest failed attempts, oldest first, at most {@link #MAX_KEPT}
 * @param actions what people did with it, oldest first, the latest {@link #MAX_KEPT}
 * @param firstAt when it was refused first
 * @param diedAt when it became a dead letter; null before
 * @param dueAt when it is tried again ({@code retrying}), or counts as unanswered ({@code retried}); null otherwise
 * @param at when it last changed
 */
public record Letter(
        String id,
        Person receiver,
        long seq,
        String queue,
        Person sender,
        String clientMsgId,
        State state,
        DeadLetters policy,
        int count,
        List<Attempt> attempts,
        List<Action> actions,
        Instant firstAt,
        Instant diedAt,
        Instant dueAt,
        Instant at) {
    /** How many attempts and actions are kept. */
    public static final int MAX_KEPT = 20;

    /** Where a letter is in its life. The order is that of the journal's codes: append only. */
    public enum State {
        RETRYING,
        DEAD,
        RETRIED,
        DELIVERED,
        DISCARDED,
        SUPERSEDED;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        public String wireName() {
            return wireName;
        }

        /** True when nothing can follow. */
        public boolean isFinal() {
            return this == DELIVERED || this == DISCARDED || this == SUPERSEDED;
        }

        /** The state of that wire name, if there is one. */
        public static Optional<State> ofWireName(String name) {
            for (State state : values()) {
                if (state.wireName.equals(name)) {
                    return Optional.of(state);
                }
            }
            return Optional.empty();
        }
    }

    /** One attempt that failed. {@code terminal} is null when none was there; {@code reason} may be null. */
    public record Attempt(int number, Instant at, String terminal, String code, String reason) {
        Attempt withoutReason() {
            return new Attempt(number, at, terminal, code, null);
        }
    }

    /**
     * What somebody did: {@code retry} or {@code discard}.
     *
     * @param key the request's id: a repeat of it does nothing
     */
    public record Action(String what, Person by, Instant at, String key) {}

    public Letter {
        attempts = List.copyOf(attempts);
        actions = List.copyOf(actions);
    }

    /** True when later entries wait behind it: while it is tried again, and then if its queue holds. */
    public boolean blocks() {
        return state == State.RETRYING || (policy == DeadLetters.HOLD && !state.isFinal());
    }

    /** True when the entry itself may go to the receiver now. */
    public boolean isOpen(Instant now) {
        return state == State.RETRIED || (state == State.RETRYING && !now.isBefore(dueAt));
    }

    /** True once it has been a dead letter: the directory then has a row of it. */
    public boolean isListed() {
        return diedAt != null;
    }

    /** True when that request was carried out on it before. */
    public boolean knows(String key) {
        return actions.stream().anyMatch(action -> action.key().equals(key));
    }

    Letter with(State next, Instant due, Instant now) {
        return new Letter(
                id,
                receiver,
                seq,
                queue,
                sender,
                clientMsgId,
                next,
                policy,
                count,
                attempts,
                actions,
                firstAt,
                diedAt,
                due,
                now);
    }

    /** Without what terminals said about why they refused; their codes stay. */
    public Letter withoutReasons() {
        return new Letter(
                id,
                receiver,
                seq,
                queue,
                sender,
                clientMsgId,
                state,
                policy,
                count,
                attempts.stream().map(Attempt::withoutReason).toList(),
                actions,
                firstAt,
                diedAt,
                dueAt,
                at);
    }

    Letter acted(Action action) {
        return new Letter(
                id,
                receiver,
                seq,
                queue,
                sender,
                clientMsgId,
                state,
                policy,
                count,
                attempts,
                latest(actions, action),
                firstAt,
                diedAt,
                dueAt,
                at);
    }

    /** One more attempt failed, and it is tried again at that time. */
    Letter failed(Attempt attempt, Instant due) {
        return new Letter(
                id,
                receiver,
                seq,
                queue,
                sender,
                clientMsgId,
                State.RETRYING,
                policy,
                attempt.number(),
                latest(attempts, attempt),
                actions,
                firstAt,
                diedAt,
                due,
                attempt.at());
    }

    /** One more attempt failed, and it was the last one for now. */
    Letter died(Attempt attempt, DeadLetters then) {
        return new Letter(
                id,
                receiver,
                seq,
                queue,
                sender,
                clientMsgId,
                then == DeadLetters.DISCARD ? State.DISCARDED : State.DEAD,
                then,
                attempt.number(),
                latest(attempts, attempt),
                actions,
                firstAt,
                diedAt == null ? attempt.at() : diedAt,
                null,
                attempt.at());
    }

    private static <T> List<T> latest(List<T> before, T one) {
        List<T> all = new ArrayList<>(before);
        all.add(one);
        return all.subList(Math.max(0, all.size() - MAX_KEPT), all.size());
    }
}
