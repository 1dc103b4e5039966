package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Attach;
import dev.switchboard.conversation.ConversationCommand.LookedUp;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.Request;
import dev.switchboard.conversation.ConversationCommand.SlotRefused;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.delivery.Recovered;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;

/**
 * What a conversation answers that can't be read: a refusal to whoever asks, and to actors only what can't be wrong.
 * Confined to its conversation's actor.
 *
 * <pre>
 * said by            answer
 * a person           unreadable, with the incident; not-found for a customer whose conversation it isn't
 * a desk that offers released, and the line forgets the conversation: it isn't to hold an agent's capacity. When it is
 *                    mended it enters the line again
 * a desk that owns   nothing: it may well be the owner's, and keeps its slot until that can be read
 * anybody else       nothing, which they repeat
 * </pre>
 */
final class UnreadableConversation {
    private final String conv;
    private final Peers peers;
    private final Steps steps;
    private final Recovered<ConversationEvent> recovered;

    UnreadableConversation(String conv, Peers peers, Steps steps, Recovered<ConversationEvent> recovered) {
        this.conv = conv;
        this.peers = peers;
        this.steps = steps;
        this.recovered = recovered;
    }

    /** @param state as far as it could be read */
    void answer(ConversationState state, ConversationCommand command) {
        if (command instanceof Request request) {
            if (request.replyTo() != null) {
                request.replyTo().tell(new Refused(refusal(state, request.by())));
            }
        } else if (command instanceof Attach attach) {
            attach.ref().tell(new TerminalPush.AttachRefused(conv, refusal(state, attach.by())));
        } else if (command instanceof LookedUp found) {
            found.post().replyTo().tell(new Refused(refusal(state, found.post().by())));
        } else if (command instanceof SlotRefused refused) {
            refused.request().replyTo().tell(new Refused(refused.refusal()));
        } else if (command instanceof OfferSlot slot) {
            steps.release(slot.agent(), slot.offer(), slot.epoch());
            peers.line(slot.queue(), new LineCommand.Leave(conv, slot.epoch()));
            if (slot.request() != null && slot.request().replyTo() != null) {
                slot.request()
                        .replyTo()
                        .tell(new Refused(refusal(state, slot.request().by())));
            }
        }
    }

    /**
     * What somebody is to it can't be told for sure, since that may be what is unreadable. Staff and services learn what
     * is wrong; customers only of their own.
     */
    private Refusal refusal(ConversationState state, Principal by) {
        String customer = state.isOpened() ? state.identity().customer() : ConversationIds.customerOf(conv);
        return by.role() == Role.CUSTOMER && !by.id().equals(customer)
                ? ConversationRules.notFound().refusal()
                : recovered.refusal();
    }
}
