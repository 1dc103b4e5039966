package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationEvent.DeliveryFailed;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.Erased;
import dev.switchboard.conversation.ConversationEvent.LetterChanged;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import java.util.Map;
import java.util.Set;

/**
 * What an erasure leaves of a conversation's events and state. Pure; thread-safe. Doing it twice changes nothing more.
 *
 * <p>Gone: bodies of messages and notes, labels, reasons that a person or a terminal gave, the attributes given at the opening, and the
 * key and hashes by which a body could be guessed and checked. Kept: numbers, kinds of lifecycle entries, who and when,
 * the clients' ids of requests, owners, queues and epochs: the fact, and what order and repeats need.
 */
public final class Erasing {
    private static final byte[] NO_KEY = new byte[RequestHash.KEY_BYTES];

    private Erasing() {}

    /** What is left of an event; the same object when it holds nothing to erase. */
    public static ConversationEvent erased(ConversationEvent event) {
        if (event instanceof Opened e) {
            return new Opened(e.at(), e.customer(), e.openedBy(), e.ticket(), Map.of(), NO_KEY, e.deadline());
        }
        if (event instanceof EntryAppended e) {
            return e.entry().erased().equals(e.entry()) && e.hash() == 0
                    ? e
                    : new EntryAppended(e.entry().erased(), 0, e.viaSocket(), e.marks(), e.deadline());
        }
        if (event instanceof OwnerChanged e) {
            return e.entry().erased().equals(e.entry()) && e.hash() == 0
                    ? e
                    : new OwnerChanged(
                            e.entry().erased(),
                            0,
                            e.status(),
                            e.queue(),
                            e.ticket(),
                            e.offer(),
                            e.decision(),
                            e.intents(),
                            e.marks(),
                            e.deadline());
        }
        if (event instanceof DeliveryFailed e) {
            return new DeliveryFailed(e.letter().withoutReasons(), e.marks(), e.deadline());
        }
        if (event instanceof LetterChanged e) {
            return new LetterChanged(e.letter().withoutReasons(), e.marks(), e.deadline());
        }
        return event;
    }

    static ConversationState apply(ConversationState state, Erased event) {
        if (event.isCarriedOut()) {
            return with(
                    state,
                    state.identity(),
                    state.log().withPast(state.log().past().erased()),
                    state.labels(),
                    state.letters());
        }
        RecentLog log = state.log().erased(event.entry(), event.by(), event.requestId());
        return with(
                state,
                erased(state.identity(), event.hashKey()),
                log,
                Set.of(),
                state.letters().withoutReasons());
    }

    /** What is left of a state from before an erasure, for snapshots. */
    public static ConversationState erased(ConversationState state) {
        return state.isOpened()
                ? with(
                        state,
                        erased(state.identity(), NO_KEY),
                        state.log().erased(),
                        Set.of(),
                        state.letters().withoutReasons())
                : state;
    }

    private static Identity erased(Identity who, byte[] hashKey) {
        return new Identity(
                who.customer(), who.openedBy(), who.openedAt(), who.priority(), who.skills(), Map.of(), hashKey);
    }

    private static ConversationState with(
            ConversationState state, Identity identity, RecentLog log, Set<String> labels, Letters letters) {
        return new ConversationState(
                identity,
                state.ownership(),
                log,
                state.watermarks(),
                state.intents(),
                state.decisions(),
                labels,
                state.customerOnSocket(),
                state.deadline(),
                state.successor(),
                letters);
    }
}
