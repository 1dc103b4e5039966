package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.DiscardLetter;
import dev.switchboard.conversation.ConversationCommand.FindLetter;
import dev.switchboard.conversation.ConversationCommand.Nack;
import dev.switchboard.conversation.ConversationCommand.OfLetter;
import dev.switchboard.conversation.ConversationCommand.RetryLetter;
import dev.switchboard.conversation.ConversationCommand.Taken;
import java.time.Instant;

/** What people ask about refused entries, brought to the rules. Not thread-safe: its conversation's actor alone uses it. */
final class LetterRequests {
    private final LetterRules rules;
    private final Attachments attachments;
    private final Deliveries deliveries;
    private final Progress progress;

    LetterRequests(LetterRules rules, Attachments attachments, Deliveries deliveries, Progress progress) {
        this.rules = rules;
        this.attachments = attachments;
        this.deliveries = deliveries;
        this.progress = progress;
    }

    /** What the request comes to; a refusal that is no news is answered to the receiver's terminals at once. */
    LetterRules.Outcome outcome(ConversationState state, OfLetter request, Instant now) {
        Relation relation = Relation.of(request.by(), state);
        Person receiver = ConversationViews.receiver(state, request.by(), relation);
        if (request instanceof FindLetter find) {
            return relation.reads() == null
                    ? new LetterRules.Outcome.Refuse(
                            ConversationRules.notFound().refusal())
                    : new LetterRules.Outcome.AsIs(state.letters().open().stream()
                            .filter(letter -> letter.seq() == find.seq())
                            .findFirst()
                            .orElse(null));
        }
        if (request instanceof Nack nack) {
            long delivered = progress.effective(state, receiver).delivered();
            LetterRules.Outcome outcome = rules.nack(state, relation, receiver, delivered, nack, now);
            if (outcome instanceof LetterRules.Outcome.AsIs asIs) {
                boolean over = asIs.letter() == null
                        ? delivered >= nack.seq()
                        : !asIs.letter().blocks();
                deliveries.tell(state, receiver, over ? nack.seq() : 0);
            }
            return outcome;
        }
        if (request instanceof Taken taken) {
            return rules.taken(state, receiver, taken, now);
        }
        if (request instanceof RetryLetter retry) {
            // The terminals of a former owner were let go.
            boolean present = state.letters()
                    .byId(retry.letter())
                    .filter(letter -> attachments.isThere(letter.receiver()))
                    .isPresent();
            return rules.retry(state, retry, present, now);
        }
        return rules.discard(state, (DiscardLetter) request, now);
    }

    /** What was given up moves its receiver's watermark on, unless something before it isn't there yet. */
    void passOver(ConversationState state, Letter letter, Instant now) {
        Person receiver = letter.receiver();
        Entry.Visibility reads = ConversationViews.readerOf(receiver.role());
        long delivered = progress.effective(state, receiver).delivered();
        if (!letter.blocks() && LetterRules.reaches(state.log(), reads, delivered, letter.seq())) {
            progress.mark(state, receiver, letter.seq(), 0, now);
        }
    }
}
