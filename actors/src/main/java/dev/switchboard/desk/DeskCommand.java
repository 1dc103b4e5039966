package dev.switchboard.desk;

import dev.switchboard.conversation.ConversationCommand.Requested;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.delivery.TerminalPush;
import java.time.Duration;
import java.time.Instant;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What can be said to a desk. Who may say it is checked at the edge; steps of other actors carry the epoch they belong
 * to and may be repeated.
 */
public sealed interface DeskCommand {
    /** A terminal of the agent is there. Answered by {@link TerminalPush.DeskAttached}; repeating it is harmless. */
    record AttachTerminal(Principal by, String terminal, ActorRef<TerminalPush> ref) implements DeskCommand {}

    /** The terminal is gone, in order. A terminal that ends without it is noticed by death watch. */
    record DetachTerminal(ActorRef<TerminalPush> ref) implements DeskCommand {}

    /** The agent chooses. */
    record ChooseAvailability(Availability availability, ActorRef<DeskReply> replyTo) implements DeskCommand {}

    /** A profile is set. */
    record SetProfile(Profile profile, ActorRef<DeskReply> replyTo) implements DeskCommand {}

    /** Asks for the desk as it is. */
    record Show(ActorRef<DeskReply> replyTo) implements DeskCommand {}

    /**
     * A line asks for a slot. Answered to the line by {@code Reserved} or {@code NotReserved}; a repeat of one already
     * reserved is answered the same.
     *
     * @param direct a person named this agent: queue and skills are not checked
     */
    record Reserve(
            String conv,
            long epoch,
            String queue,
            boolean auto,
            Duration offerTimeout,
            boolean direct,
            RoutingDecision decision)
            implements DeskCommand {}

    /**
     * A conversation asks for a slot on behalf of a person. Answered to it by {@code OfferSlot} or {@code SlotRefused}.
     */
    record ReserveFor(String conv, long epoch, String queue, RoutingDecision decision, Requested request)
            implements DeskCommand {}

    /** The conversation has recorded the offer: tell the terminals. */
    record OfferOpen(String conv, String offer, Instant deadline, TerminalPush.Preview preview)
            implements DeskCommand {}

    /** The conversation is this agent's. Acknowledged by {@code DeskAcked}. */
    record Confirm(String conv, String offer, long epoch, String queue) implements DeskCommand {}

    /**
     * The slot of that conversation is free: no late confirmation of an epoch below {@code epoch} counts any more.
     * Acknowledged by {@code DeskAcked}.
     *
     * @param offer the offer that ended; null: whatever is held for the conversation
     */
    record Release(String conv, String offer, long epoch, String reason) implements DeskCommand {}

    /** A conversation that this agent owns has just come back: its terminals must attach again. */
    record ConversationBack(String conv) implements DeskCommand {}

    /** A line has taken the announcement: watch it, and announce again when it ends. */
    record Announced(String queue, ActorRef<dev.switchboard.routing.LineCommand> line) implements DeskCommand {}

    /** The sweeper found a deadline due. */
    record WakeUp(Instant due) implements DeskCommand {}

    /** Sharding stops the entity. */
    record Stop() implements DeskCommand {}
}
