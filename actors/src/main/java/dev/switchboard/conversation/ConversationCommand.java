package dev.switchboard.conversation;

import dev.switchboard.delivery.TerminalPush;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What can be said to a conversation. Requests of people carry who asks and where the answer goes; steps of other actors
 * carry the epoch they belong to, may be repeated, and are answered to the sender's entity, not to a ref.
 */
public sealed interface ConversationCommand {
    /** A request of a person. */
    sealed interface Request extends ConversationCommand {
        Principal by();

        ActorRef<ConversationReply> replyTo();
    }

    /** Requests that append an entry, under their client's id. {@code clientMsgId} is null when the client gave none. */
    sealed interface Change extends Request {
        String clientMsgId();
    }

    // ---- the life of a conversation, as people ask for it ----

    /**
     * Opens the conversation, or answers the live one; reopens a closed one by the queue's setting.
     *
     * @param customer whose conversation it is
     * @param queue the queue it is opened in; one that exists keeps its own
     * @param attributes free facts about it, checked for size at the edge
     */
    record Open(
            Principal by,
            String customer,
            String queue,
            Map<String, String> attributes,
            ActorRef<ConversationReply> replyTo)
            implements Request {}

    /**
     * A message. A customer's first one opens the conversation in {@code queue}.
     *
     * @param sender whose message it is: the caller, or the customer that a service acts for
     * @param queue the queue that a first message opens the conversation in
     * @param after the sender's previous id, or null: it must have been accepted before
     * @param repeat true when it may have been sent before
     * @param epoch the ownership epoch an agent writes under; 0 for others
     * @param viaSocket true when it came over a socket
     */
    record Post(
            Principal by,
            Person sender,
            String queue,
            String clientMsgId,
            Body body,
            String after,
            boolean repeat,
            long epoch,
            boolean viaSocket,
            ActorRef<ConversationReply> replyTo)
            implements Change {}

    /** An agent takes an offer. */
    record Accept(Principal by, String offer, ActorRef<ConversationReply> replyTo) implements Request {}

    /** An agent declines an offer. */
    record Decline(Principal by, String offer, ActorRef<ConversationReply> replyTo) implements Request {}

    /** A person gives the conversation to an agent who has room, at once and without asking that agent. */
    record Assign(
            Principal by, boolean servesQueue, String agent, String clientMsgId, ActorRef<ConversationReply> replyTo)
            implements Change {}

    /** Ends ownership and puts the conversation to the front of a line. One of {@code toAgent}, {@code toQueue} is null. */
    record Transfer(
            Principal by,
            String toAgent,
            String toQueue,
            long epoch,
            String note,
            String clientMsgId,
            ActorRef<ConversationReply> replyTo)
            implements Change {}

    /** Closes the conversation. {@code epoch} is 0 for those who are not agents. */
    record Close(Principal by, long epoch, String reason, String clientMsgId, ActorRef<ConversationReply> replyTo)
            implements Change {}

    /** A note that the customer never sees. */
    record Note(Principal by, String text, long epoch, String clientMsgId, ActorRef<ConversationReply> replyTo)
            implements Change {}

    /** Adds and removes labels. */
    record Label(
            Principal by,
            List<String> add,
            List<String> remove,
            long epoch,
            String clientMsgId,
            ActorRef<ConversationReply> replyTo)
            implements Change {}

    /** An operator erases what was said up to now, for good. Answered when it is done, or after a while that it will be. */
    record Erase(Principal by, String clientMsgId, ActorRef<ConversationReply> replyTo) implements Change {}

    /** Everything up to {@code seq} arrived, or with {@code read} was read. */
    record Ack(Principal by, long seq, boolean read, ActorRef<ConversationReply> replyTo) implements Request {}

    // ---- entries that a terminal can't take ----

    /** Requests about entries that were refused. */
    sealed interface OfLetter extends Request {}

    /**
     * A terminal can't take an entry.
     *
     * @param terminal its name within the person
     * @param attempt the attempt that this answers, from 1: a repeat of it counts once
     * @param code the terminal's word for why
     * @param reason more about it, or null
     */
    record Nack(
            Principal by,
            String terminal,
            long seq,
            int attempt,
            String code,
            String reason,
            ActorRef<ConversationReply> replyTo)
            implements OfLetter {}

    /** A terminal acknowledged an entry that was sent to it again out of its turn. */
    record Taken(Principal by, long seq, ActorRef<ConversationReply> replyTo) implements OfLetter {}

    /** A dead letter is to be tried once more. {@code key}: the request's id. */
    record RetryLetter(Principal by, String letter, String key, ActorRef<ConversationReply> replyTo)
            implements OfLetter {}

    /** A dead letter is given up. {@code key}: the request's id. */
    record DiscardLetter(Principal by, String letter, String key, ActorRef<ConversationReply> replyTo)
            implements OfLetter {}

    /** Asks for the unsettled letter of an entry that the caller may see, if there is one. */
    record FindLetter(Principal by, long seq, ActorRef<ConversationReply> replyTo) implements OfLetter {}

    /** Asks for the conversation as the caller may see it. */
    record Describe(Principal by, ActorRef<ConversationReply> replyTo) implements Request {}

    /** The sender is typing: told to the other side, never kept. */
    record Typing(Principal by) implements ConversationCommand {}

    // ---- terminals ----

    /**
     * A terminal wants what is written from now on, and what it lacks. It is answered by {@link TerminalPush.Attached} or
     * {@link TerminalPush.AttachRefused}, and watched until it ends or detaches. Repeating it is harmless.
     *
     * @param terminal its name within the person
     * @param after the last seq it has; −1: from the person's delivered watermark
     * @param watcher true for a supervisor who watches: its acks move nothing
     */
    record Attach(Principal by, String terminal, long after, boolean watcher, ActorRef<TerminalPush> ref)
            implements ConversationCommand {}

    /** The terminal wants nothing any more. */
    record Detach(ActorRef<TerminalPush> ref) implements ConversationCommand {}

    /** A message of the customer's that was spooled is settled: told to the customer's terminals. */
    record TellSender(TerminalPush.MessageState state) implements ConversationCommand {}

    // ---- steps of other actors ----

    /**
     * A desk has reserved a slot and offers itself. Repeated by the desk until it is answered by {@code OfferOpen},
     * {@code SlotConfirmed} or {@code SlotReleased}.
     *
     * @param epoch the epoch at which the conversation waited when the slot was reserved
     * @param queue the line that it was reserved for: told to forget the conversation when the epoch has passed
     * @param auto true: assign at once; false: ask the agent
     * @param deadline when the agent's time to answer ends; null with {@code auto}
     * @param request for a slot that a person asked for by {@link Assign}: what to answer; null otherwise
     */
    record OfferSlot(
            String agent,
            String offer,
            long epoch,
            String queue,
            boolean auto,
            Instant deadline,
            RoutingDecision decision,
            Requested request)
            implements ConversationCommand {}

    /**
     * Who asked for an assignment, so that the conversation can answer. The ref is null when the slot is asked about again
     * after a restart: nobody waits for the answer then.
     */
    record Requested(Principal by, String clientMsgId, ActorRef<ConversationReply> replyTo) {}

    /**
     * A desk asks whether the reservation still stands: at its deadline, or when its agent went away. Answered by
     * {@code SlotConfirmed} or {@code SlotReleased}; with the latter the offer is barred for ever.
     *
     * @param withdraw true when the agent can't take it any more
     */
    record SlotQuery(String agent, String offer, long epoch, boolean withdraw) implements ConversationCommand {}

    /** A desk has no slot for a request of a person. */
    record SlotRefused(String agent, Requested request, Refusal refusal) implements ConversationCommand {}

    /** The owner is unreachable beyond the grace period, or went offline: back to the line. Repeated until released. */
    record OwnerGone(String agent, long epoch, String reason) implements ConversationCommand {}

    /** A desk acknowledges the intents up to that epoch. */
    record DeskAcked(String agent, long epoch) implements ConversationCommand {}

    /** A line has taken the ticket of that epoch. */
    record LineAcked(String queue, long epoch) implements ConversationCommand {}

    /**
     * The place in line, to be told to the customer. {@code etaLow} and {@code etaHigh} are seconds, or −1 when nothing
     * honest can be said.
     */
    record Positioned(long epoch, int position, long etaLow, long etaHigh) implements ConversationCommand {
        /** As the customer's terminals are told it. */
        TerminalPush.Queued push(String conv) {
            return new TerminalPush.Queued(conv, position, etaLow, etaHigh);
        }
    }

    /** The sweeper found a deadline due. */
    record WakeUp(Instant due) implements ConversationCommand {}

    /** Sharding stops the entity: it writes its marks first. */
    record Stop() implements ConversationCommand {}

    // ---- what a conversation tells itself ----

    /** Something may be due: an offer's end, an absence, a repeat. */
    record Tick() implements ConversationCommand {}

    /** A terminal ended without detaching. */
    record TerminalEnded(ActorRef<TerminalPush> ref) implements ConversationCommand {}

    /** The storage has forgotten what came before the entry of that seq, or, with a failure, not yet. */
    record StorageErased(long marker, Throwable failure) implements ConversationCommand {}

    /**
     * The journal was asked about an old request.
     *
     * @param known the first answer to the post itself, or empty
     * @param afterKnown true when the post's {@code after} was accepted once
     * @param failed true when the journal couldn't answer
     */
    record LookedUp(Post post, Optional<RequestRecord> known, boolean afterKnown, boolean failed)
            implements ConversationCommand {}
}
