package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.OwnerGone;
import dev.switchboard.conversation.ConversationCommand.SlotQuery;
import java.time.Instant;

/**
 * What a conversation says to desks: pure decisions over its state, so that a repeated step gets the same answer.
 * Thread-safe; the {@code Conversation} carries them out.
 *
 * <pre>
 * a desk says   the state                                the answer
 * OfferSlot     not opened, epoch passed, offer ended    Release (and Leave to the line whose ticket is void)
 *               owned by that desk's agent               Confirm
 *               waits; automatic                         assigned, then Confirm, to others Release
 *               waits; by offer                          offered, then OfferOpen
 *               that offer is open                       OfferOpen
 * SlotQuery     owned by that desk's agent               Confirm
 *               not opened, epoch passed, offer ended    Release
 *               offer open, in time, agent there         OfferOpen
 *               offer open, late or agent gone           offer ends (timeout, withdrawn), then Release
 *               offer never came                         offer barred, then Release
 * OwnerGone     owned by it under that epoch             returned, then Release
 *               owned by it under another epoch          Confirm
 *               otherwise                                Release
 * </pre>
 */
final class SlotRules {
    /** The answer to a desk. */
    sealed interface Answer {
        record Confirm() implements Answer {}

        /** {@code lineToo}: the line that reserved it holds a void ticket. */
        record Release(boolean lineToo) implements Answer {}

        record StillOpen(OpenOffer offer) implements Answer {}

        /** The event that changes it; the desk is then told what the state owes it. */
        record Persist(ConversationEvent event) implements Answer {}
    }

    private final Transitions transitions;

    SlotRules(Transitions transitions) {
        this.transitions = transitions;
    }

    /** For an offer that a line made; what a person asked for is decided by {@link ConversationRules#assignOffered}. */
    Answer offerSlot(ConversationState state, OfferSlot slot, Instant now) {
        if (isOwner(state, slot.agent())) {
            return new Answer.Confirm();
        }
        if (!waitsAt(state, slot.epoch())) {
            return new Answer.Release(true);
        }
        Ownership ownership = state.ownership();
        if (ownership.endedOffers().contains(slot.offer())) {
            return new Answer.Release(false);
        }
        OpenOffer open = ownership.offers().get(slot.offer());
        if (open != null) {
            return new Answer.StillOpen(open);
        }
        Instant ends = slot.deadline() == null ? now : slot.deadline();
        OpenOffer offer = new OpenOffer(slot.offer(), slot.agent(), ends, slot.decision());
        return new Answer.Persist(
                slot.auto()
                        ? transitions.assigned(state, null, offer, null, 0, now)
                        : transitions.offered(state, offer, now));
    }

    Answer slotQuery(ConversationState state, SlotQuery query, Instant now) {
        if (isOwner(state, query.agent())) {
            return new Answer.Confirm();
        }
        if (!waitsAt(state, query.epoch())) {
            return new Answer.Release(false);
        }
        Ownership ownership = state.ownership();
        if (ownership.endedOffers().contains(query.offer())) {
            return new Answer.Release(false);
        }
        OpenOffer open = ownership.offers().get(query.offer());
        if (open != null && !query.withdraw() && now.isBefore(open.deadline())) {
            return new Answer.StillOpen(open);
        }
        String reason = open == null ? "barred" : query.withdraw() ? "withdrawn" : "timeout";
        return new Answer.Persist(transitions.offerEnded(state, query.offer(), query.agent(), reason, now));
    }

    Answer ownerGone(ConversationState state, OwnerGone gone, Instant now) {
        if (!isOwner(state, gone.agent())) {
            return new Answer.Release(false);
        }
        return state.ownership().epoch() == gone.epoch()
                ? new Answer.Persist(transitions.returned(state, gone.reason(), now))
                : new Answer.Confirm();
    }

    private static boolean isOwner(ConversationState state, String agent) {
        return state.isOpened()
                && state.ownership().status() == Status.ASSIGNED
                && agent.equals(state.ownership().owner());
    }

    private static boolean waitsAt(ConversationState state, long epoch) {
        return state.isOpened()
                && state.ownership().ticket() != null
                && state.ownership().epoch() == epoch;
    }
}
