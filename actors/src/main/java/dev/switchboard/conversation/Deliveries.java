package dev.switchboard.conversation;

import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.delivery.TrafficFigures.WaitEnd;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * Tells terminals how far they may go while entries are refused, and senders what became of them. Not thread-safe: its
 * conversation's actor alone uses it. What it tells follows from the state and the clock, so nothing here is persisted.
 */
final class Deliveries {
    private final String conv;
    private final Attachments attachments;
    private final DeliveryFigures figures;

    /** The holds as they were told last. */
    private Map<Person, Long> told = Map.of();

    Deliveries(String conv, Attachments attachments, DeliveryFigures figures) {
        this.conv = conv;
        this.attachments = attachments;
        this.figures = figures;
    }

    /** After a recovery: terminals learn the holds when they attach again. */
    void restart(ConversationState state, Instant now) {
        told = Map.of();
        refresh(state, now);
    }

    /** Tells those whose hold has changed since, by an event or by time. Costs nothing while nothing is refused. */
    void refresh(ConversationState state, Instant now) {
        refresh(state, now, null, 0);
    }

    private void refresh(ConversationState state, Instant now, Person giver, long passed) {
        if (state.letters().isEmpty() && told.isEmpty()) {
            return;
        }
        Map<Person, Long> before = told;
        told = state.letters().holds(now);
        attachments.hold(told);
        Map<Person, Long> all = new HashMap<>(before);
        all.putAll(told);
        for (Person receiver : all.keySet()) {
            if (!receiver.equals(giver) && !Objects.equals(before.get(receiver), told.get(receiver))) {
                openHead(state, receiver).ifPresent(head -> attachments.toReceiver(receiver, again(head)));
                tell(state, receiver, 0);
            }
        }
        if (giver != null) {
            tell(state, giver, passed);
        }
    }

    private TerminalPush.Again again(Letter letter) {
        return new TerminalPush.Again(conv, letter.seq(), letter.count() + 1, !letter.blocks());
    }

    /** The entry at which a receiver is held, if that one may go to it. */
    private Optional<Letter> openHead(ConversationState state, Person receiver) {
        return state.letters().head(receiver).filter(head -> holdFrom(receiver) == head.seq() + 1);
    }

    /**
     * Greets a terminal that has attached, with what it missed and may have.
     *
     * @param after the last seq that it has; negative when it has to load the conversation anew
     */
    void greet(
            ActorRef<ConversationCommand> conversation,
            ConversationState state,
            ActorRef<TerminalPush> terminal,
            ConversationView view,
            Person receiver,
            Entry.Visibility reads,
            long after) {
        boolean anew = after < 0;
        long from = anew ? Math.max(0, state.log().past().startsAt() - 1) : after;
        long holdFrom = attachments.isWatcher(terminal) ? 0 : holdFrom(receiver);
        long lastSeq = holdFrom == 0 ? state.log().lastSeq(reads) : Math.max(from, lastSeq(state, receiver, reads));
        List<TerminalPush.EntryPush> missed =
                state.log().holdsAllAfter(from) ? Attachments.missed(conv, state.log(), reads, from, holdFrom) : null;
        if (missed != null && figures.ledger().isOn() && !attachments.isWatcher(terminal)) {
            for (TerminalPush.EntryPush push : missed) {
                if (push.entry().kind() == Entry.Kind.MESSAGE
                        && !receiver.equals(push.entry().from())) {
                    figures.ledger().routed(conv, push.entry().seq());
                }
            }
        }
        terminal.tell(new TerminalPush.Attached(
                conversation, view.withLastSeq(lastSeq), from, anew, missed, holdFrom, attempt(state, receiver)));
        TerminalPush.Again owed = holdFrom == 0 ? null : owed(state, receiver, from);
        if (owed != null) {
            terminal.tell(owed);
        }
    }

    /** What a terminal that attaches must be sent although it says that it has it; null for nothing. */
    private TerminalPush.Again owed(ConversationState state, Person receiver, long after) {
        return state.letters().isEmpty()
                ? null
                : openHead(state, receiver)
                        .filter(head -> head.seq() <= after)
                        .map(this::again)
                        .orElse(null);
    }

    /** Tells a receiver's terminals how far they may go. {@code passed}: the entry that is given up, or 0. */
    void tell(ConversationState state, Person receiver, long passed) {
        Entry.Visibility reads = ConversationViews.readerOf(receiver.role());
        attachments.toReceiver(
                receiver,
                new TerminalPush.Hold(
                        conv, holdFrom(receiver), lastSeq(state, receiver, reads), attempt(state, receiver), passed));
    }

    /** From which seq on nothing may go to that receiver; 0 for no bound. */
    long holdFrom(Person receiver) {
        return told.isEmpty() ? 0 : told.getOrDefault(receiver, 0L);
    }

    /** The last seq that may go to that receiver now. */
    long lastSeq(ConversationState state, Person receiver, Entry.Visibility reads) {
        long from = holdFrom(receiver);
        if (from == 0) {
            return state.log().lastSeq(reads);
        }
        return reads == Entry.Visibility.STAFF ? from - 1 : ConversationViews.publicAtMost(state.log(), from - 1);
    }

    /** The number of the attempt that is under way, or next, at the entry where that receiver is held. */
    int attempt(ConversationState state, Person receiver) {
        return state.letters().isEmpty()
                ? 1
                : state.letters()
                        .head(receiver)
                        .map(letter -> letter.count() + 1)
                        .orElse(1);
    }

    /** An entry was persisted: it is counted. */
    void accepted(ConversationState before, ConversationEvent event, Entry entry, Instant now) {
        figures.traffic().accepted(entry);
        figures.load().count(conv);
        if (figures.ledger().isOn() && entry.kind() == Entry.Kind.MESSAGE && attachments.tellsOthers(entry)) {
            figures.ledger().routed(conv, entry.seq());
        }
        Ticket ticket = event instanceof ConversationEvent.OwnerChanged && before.isOpened()
                ? before.ownership().ticket()
                : null;
        if (ticket != null && ((ConversationEvent.OwnerChanged) event).status() != Status.WAITING) {
            boolean assigned = ((ConversationEvent.OwnerChanged) event).status() == Status.ASSIGNED;
            figures.traffic().waited(ticket.queue(), assigned ? WaitEnd.ASSIGNED : WaitEnd.CLOSED, ticket.since(), now);
        }
    }

    /** A receiver has acknowledged more: what others wrote of that is counted. */
    void acknowledged(RecentLog log, Person receiver, Entry.Visibility reads, Watermark earlier, Watermark later) {
        long before = earlier.delivered();
        long after = later.delivered();
        if (later.read() > earlier.read()) {
            figures.ledger().acknowledged(conv, later.read(), receiver, true);
        }
        long others = after - before;
        for (long seq = after; seq > before; seq--) {
            long index = log.recent().size() - 1 - (log.lastSeq() - seq);
            if (index < 0) {
                break;
            }
            Entry entry = log.recent().get((int) index);
            if (!reads.sees(entry.visibility()) || receiver.equals(entry.from())) {
                others--;
            }
        }
        if (others > 0) {
            figures.traffic().delivered(receiver.role(), others);
            figures.ledger().acknowledged(conv, after, receiver, false);
        }
    }

    static boolean isOfLetter(ConversationEvent event) {
        return event instanceof ConversationEvent.DeliveryFailed || event instanceof ConversationEvent.LetterChanged;
    }

    /** What follows from one persisted change of a letter. */
    void changed(ConversationState after, Letter letter, boolean failed, Instant now) {
        figures.count(letter, failed);
        if (failed && !letter.attempts().isEmpty()) {
            Letter.Attempt attempt = letter.attempts().get(letter.attempts().size() - 1);
            figures.ledger().refused(conv, letter.seq(), letter.receiver(), attempt.number(), attempt.code());
        }
        boolean givenUp =
                letter.state() == Letter.State.DISCARDED || (letter.state() == Letter.State.DEAD && !letter.blocks());
        refresh(after, now, givenUp ? letter.receiver() : null, letter.seq());
        if (letter.state() == Letter.State.RETRIED && !letter.blocks()) {
            attachments.toReceiver(letter.receiver(), again(letter));
        }
        if (letter.sender() != null && letter.clientMsgId() != null) {
            Optional<Letter.Attempt> latest = letter.attempts().isEmpty()
                    ? Optional.empty()
                    : Optional.of(letter.attempts().get(letter.attempts().size() - 1));
            attachments.toReceiver(
                    letter.sender(),
                    new TerminalPush.MessageState(
                            conv,
                            letter.clientMsgId(),
                            letter.seq(),
                            letter.state().wireName(),
                            letter.count(),
                            failed ? latest.map(Letter.Attempt::code).orElse(null) : null));
        }
    }
}
