package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Assign;
import dev.switchboard.conversation.ConversationCommand.Requested;
import dev.switchboard.delivery.TerminalPush.Preview;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import java.time.Duration;
import java.time.Instant;

/**
 * Sends a conversation's steps to desks and its line, and repeats those that are not acknowledged. Not thread-safe: its
 * conversation's actor alone uses it. What is owed is in the conversation's state; only when to repeat it is kept here.
 */
final class Steps {
    private final String conv;
    private final Peers peers;
    private final ConversationSettings settings;
    private long ackedByLine = -1;
    private Duration interval;
    private Instant repeatAt = Instant.MAX;

    Steps(String conv, Peers peers, ConversationSettings settings) {
        this.conv = conv;
        this.peers = peers;
        this.settings = settings;
        this.interval = settings.repeatMin();
    }

    /** Sends all that the state owes, and begins to repeat it. Called after every event that changes what is owed. */
    void restart(ConversationState state, Instant now) {
        interval = settings.repeatMin();
        ackedByLine = -1;
        for (DeskIntent intent : state.intents().values()) {
            send(intent, state.ownership());
        }
        enqueue(state);
        repeatAt = now.plus(interval);
    }

    /** Sends again what is not acknowledged, if it is time. */
    void repeat(ConversationState state, Progress progress, Instant now) {
        if (now.isBefore(repeatAt) || !areOpen(state, progress)) {
            return;
        }
        for (DeskIntent intent : state.intents().values()) {
            if (!progress.isSettled(intent)) {
                send(intent, state.ownership());
            }
        }
        if (lineIsOwed(state)) {
            enqueue(state);
        }
        Duration doubled = interval.multipliedBy(2);
        interval = doubled.compareTo(settings.repeatMax()) > 0 ? settings.repeatMax() : doubled;
        repeatAt = now.plus(interval);
    }

    boolean areOpen(ConversationState state, Progress progress) {
        if (lineIsOwed(state)) {
            return true;
        }
        for (DeskIntent intent : state.intents().values()) {
            if (!progress.isSettled(intent)) {
                return true;
            }
        }
        return false;
    }

    /** When to repeat next; {@link Instant#MAX} when all is acknowledged. */
    Instant nextRepeat(ConversationState state, Progress progress) {
        return areOpen(state, progress) ? repeatAt : Instant.MAX;
    }

    void lineAcked(long epoch) {
        ackedByLine = Math.max(ackedByLine, epoch);
    }

    private boolean lineIsOwed(ConversationState state) {
        Ticket ticket = state.isOpened() ? state.ownership().ticket() : null;
        return ticket != null && ackedByLine < ticket.epoch();
    }

    private void enqueue(ConversationState state) {
        Ticket ticket = state.ownership().ticket();
        if (ticket != null) {
            Ownership ownership = state.ownership();
            peers.line(
                    ticket.queue(),
                    new LineCommand.Enqueue(
                            conv,
                            ticket,
                            ownership.declinedBy(),
                            ownership.offers().size()));
        }
    }

    private void send(DeskIntent intent, Ownership ownership) {
        peers.desk(
                intent.agent(),
                intent.kind() == DeskIntent.Kind.CONFIRM
                        ? new DeskCommand.Confirm(conv, intent.offer(), intent.epoch(), ownership.queue())
                        : new DeskCommand.Release(conv, intent.offer(), intent.epoch(), "released"));
    }

    // ---- answers to steps of others: sent once, since the other side repeats its question ----

    void leave(Ticket ticket) {
        peers.line(ticket.queue(), new LineCommand.Leave(conv, ticket.epoch()));
    }

    void confirm(Ownership ownership, String offer) {
        peers.desk(ownership.owner(), new DeskCommand.Confirm(conv, offer, ownership.epoch(), ownership.queue()));
    }

    void release(String agent, String offer, long epoch) {
        peers.desk(agent, new DeskCommand.Release(conv, offer, epoch, "ended"));
    }

    void offerOpen(OpenOffer offer, Preview preview) {
        peers.desk(offer.agent(), new DeskCommand.OfferOpen(conv, offer.offer(), offer.deadline(), preview));
    }

    void back(Ownership ownership) {
        peers.desk(ownership.owner(), new DeskCommand.ConversationBack(conv));
    }

    void askForSlot(ConversationState state, Assign assign, RoutingDecision decision) {
        Ownership ownership = state.ownership();
        peers.desk(
                assign.agent(),
                new DeskCommand.ReserveFor(
                        conv,
                        ownership.epoch(),
                        ownership.queue(),
                        decision,
                        new Requested(assign.by(), assign.clientMsgId(), assign.replyTo())));
    }
}
