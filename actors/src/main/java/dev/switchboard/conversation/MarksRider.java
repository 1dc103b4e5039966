package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationEvent.DeliveryFailed;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.Erased;
import dev.switchboard.conversation.ConversationEvent.LetterChanged;
import dev.switchboard.conversation.ConversationEvent.MarksMoved;
import dev.switchboard.conversation.ConversationEvent.OfferEnded;
import dev.switchboard.conversation.ConversationEvent.Offered;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.ConversationEvent.Succeeded;
import java.util.ArrayList;
import java.util.List;

/** Puts marks onto an event that is about to be persisted. Pure; thread-safe. */
final class MarksRider {
    private MarksRider() {}

    /** The same events; the first of them carries the marks, if there are any. */
    static List<ConversationEvent> withMarks(List<? extends ConversationEvent> events, Marks marks) {
        if (marks.isEmpty()) {
            return List.copyOf(events);
        }
        List<ConversationEvent> all = new ArrayList<>(events);
        all.set(0, with(all.get(0), marks));
        return all;
    }

    /** The same event with these marks. An opening carries none: nothing can have been marked before it. */
    static ConversationEvent with(ConversationEvent event, Marks marks) {
        if (event instanceof EntryAppended e) {
            return new EntryAppended(e.entry(), e.hash(), e.viaSocket(), marks, e.deadline());
        }
        if (event instanceof OwnerChanged e) {
            return new OwnerChanged(
                    e.entry(),
                    e.hash(),
                    e.status(),
                    e.queue(),
                    e.ticket(),
                    e.offer(),
                    e.decision(),
                    e.intents(),
                    marks,
                    e.deadline());
        }
        if (event instanceof Offered e) {
            return new Offered(e.offer(), e.queue(), e.epoch(), e.at(), marks, e.deadline());
        }
        if (event instanceof OfferEnded e) {
            return new OfferEnded(
                    e.offer(),
                    e.agent(),
                    e.reason(),
                    e.status(),
                    e.queue(),
                    e.epoch(),
                    e.at(),
                    e.intent(),
                    marks,
                    e.deadline());
        }
        if (event instanceof MarksMoved e) {
            return new MarksMoved(marks, e.deadline());
        }
        if (event instanceof Succeeded e) {
            return new Succeeded(e.successor(), marks);
        }
        if (event instanceof Erased e) {
            return new Erased(e.at(), e.entry(), e.by(), e.requestId(), e.hashKey(), marks, e.deadline());
        }
        if (event instanceof DeliveryFailed e) {
            return new DeliveryFailed(e.letter(), marks, e.deadline());
        }
        if (event instanceof LetterChanged e) {
            return new LetterChanged(e.letter(), marks, e.deadline());
        }
        if (event instanceof Opened) {
            throw new IllegalStateException("marks before the conversation was opened: " + marks);
        }
        throw new IllegalStateException("unknown event: " + event);
    }
}
