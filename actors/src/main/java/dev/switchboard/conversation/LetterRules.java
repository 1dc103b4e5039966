package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.DiscardLetter;
import dev.switchboard.conversation.ConversationCommand.Nack;
import dev.switchboard.conversation.ConversationCommand.RetryLetter;
import dev.switchboard.conversation.ConversationCommand.Taken;
import dev.switchboard.conversation.ConversationEvent.DeliveryFailed;
import dev.switchboard.conversation.ConversationEvent.LetterChanged;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.Letter.Action;
import dev.switchboard.conversation.Letter.Attempt;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import dev.switchboard.routing.QueueSettings.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a conversation makes of refused entries: pure decisions over its state, but for the jitter. Thread-safe. The states
 * of one letter are in {@link Letter}.
 *
 * <p>A refusal counts once for each attempt, however many of the receiver's terminals send it and however often: each names
 * the attempt that it answers, and one that was answered before changes nothing. What any terminal of the receiver has
 * acknowledged can't be refused any more.
 */
final class LetterRules {
    /** The code of an attempt at a letter whose receiver has no terminal. */
    static final String AWAY = "away";

    /** The code of an attempt that nobody answered in time. */
    static final String NO_ANSWER = "no-answer";

    private final String conv;
    private final QueueCatalog queues;
    private final ConversationSettings settings;

    LetterRules(String conv, QueueCatalog queues, ConversationSettings settings) {
        this.conv = conv;
        this.queues = queues;
        this.settings = settings;
    }

    /** What a request about a letter comes to. */
    sealed interface Outcome {
        /** Nothing is done. */
        record Refuse(Refusal refusal) implements Outcome {}

        /** That is news. */
        record Changed(ConversationEvent event, Letter letter) implements Outcome {}

        /** It is known already, or of no concern any more; {@code letter} is null when there is none. */
        record AsIs(Letter letter) implements Outcome {}
    }

    /** A terminal refuses an entry. {@code delivered}: how far the receiver got. */
    Outcome nack(ConversationState state, Relation relation, Person receiver, long delivered, Nack nack, Instant now) {
        if (relation.reads() == null) {
            return new Outcome.Refuse(ConversationRules.notFound().refusal());
        }
        if (relation == Relation.SUPERVISOR) {
            return new Outcome.AsIs(null);
        }
        long lastSeq = state.log().lastSeq(relation.reads());
        if (nack.seq() < 1 || nack.seq() > lastSeq) {
            return new Outcome.Refuse(Refusal.of(ErrorCode.BAD_ACK, "Nothing beyond " + lastSeq + " was sent.")
                    .withFact("lastSeq", lastSeq));
        }
        Optional<Letter> known = state.letters().find(receiver, nack.seq());
        if (known.isPresent()) {
            return again(state, known.get(), nack, now);
        }
        Optional<Letter> head = state.letters().head(receiver);
        boolean behind = head.isPresent() && head.get().seq() < nack.seq();
        if (delivered >= nack.seq() || behind || nack.attempt() > 1) {
            return new Outcome.AsIs(null);
        }
        if (state.letters().open().size() >= settings.letters().perConversation()) {
            return new Outcome.Refuse(
                    Refusal.of(ErrorCode.OVERLOAD, "The conversation has as many refused entries as it may.")
                            .retryAfter(settings.letters().backoffMin()));
        }
        return failed(state, first(state, receiver, nack.seq(), now), attempt(1, now, nack), now);
    }

    private Outcome again(ConversationState state, Letter letter, Nack nack, Instant now) {
        boolean answersIt = letter.state() != Letter.State.DEAD && nack.attempt() == letter.count() + 1;
        return answersIt
                ? failed(state, letter, attempt(letter.count() + 1, now, nack), now)
                : new Outcome.AsIs(letter);
    }

    private static Attempt attempt(int number, Instant now, Nack nack) {
        return new Attempt(number, now, nack.terminal(), nack.code(), nack.reason());
    }

    private Letter first(ConversationState state, Person receiver, long seq, Instant now) {
        Ownership ownership = state.ownership();
        Entry entry = state.log().recent().stream()
                .filter(each -> each.seq() == seq)
                .findAny()
                .orElse(null);
        return new Letter(
                new LetterId(conv, ownership.epoch(), receiver, seq).toString(),
                receiver,
                seq,
                ownership.queue(),
                entry == null ? null : entry.from(),
                entry == null ? null : entry.clientMsgId(),
                Letter.State.RETRYING,
                policyOf(ownership.queue()),
                0,
                List.of(),
                List.of(),
                now,
                null,
                now,
                now);
    }

    private DeadLetters policyOf(String queue) {
        return queues.find(queue).map(QueueSettings::deadLetters).orElse(DeadLetters.HOLD);
    }

    private Outcome.Changed failed(ConversationState state, Letter letter, Attempt attempt, Instant now) {
        boolean last = letter.state() != Letter.State.RETRYING
                || attempt.number() >= settings.letters().attempts();
        Letter after = last
                ? letter.died(attempt, letter.isListed() ? letter.policy() : policyOf(letter.queue()))
                : letter.failed(attempt, now.plus(settings.letters().backoff(attempt.number())));
        return new Outcome.Changed(new DeliveryFailed(after, Marks.NONE, deadline(state, after)), after);
    }

    /** The row of the conversation moves earlier where the letter needs it; null where it is early enough. */
    private static Instant deadline(ConversationState state, Letter letter) {
        Instant due = letter.dueAt();
        return due != null && (state.deadline() == null || due.isBefore(state.deadline())) ? due : null;
    }

    /** A retried entry behind which nothing waits was acknowledged by itself. */
    Outcome taken(ConversationState state, Person receiver, Taken taken, Instant now) {
        Optional<Letter> letter = state.letters().find(receiver, taken.seq()).filter(each -> each.isOpen(now));
        return letter.<Outcome>map(each -> delivered(each, now)).orElseGet(() -> new Outcome.AsIs(null));
    }

    private static Outcome.Changed delivered(Letter letter, Instant now) {
        Letter after = letter.with(Letter.State.DELIVERED, null, now);
        return new Outcome.Changed(new LetterChanged(after, Marks.NONE, null), after);
    }

    /** What a receiver's acknowledgement up to that seq settles: all that was held up at or before it. */
    List<ConversationEvent> acked(ConversationState state, Person receiver, long seq, Instant now) {
        List<ConversationEvent> settled = new ArrayList<>(1);
        for (Letter letter : state.letters().open()) {
            if (letter.blocks() && letter.seq() <= seq && letter.receiver().equals(receiver)) {
                settled.add(delivered(letter, now).event());
            }
        }
        return settled;
    }

    /** Somebody wants it tried once more. {@code present}: a terminal of the receiver, who may have it, is there. */
    Outcome retry(ConversationState state, RetryLetter retry, boolean present, Instant now) {
        Optional<Letter> found = state.letters().byId(retry.letter()).filter(Letter::isListed);
        Outcome.Refuse no = mayNot(found, retry.by());
        if (no != null) {
            return no;
        }
        Letter letter = found.orElseThrow();
        if (letter.state() == Letter.State.RETRIED || letter.knows(retry.key())) {
            return new Outcome.AsIs(letter);
        }
        Letter acted = letter.acted(new Action("retry", retry.by().person(), now, retry.key()));
        if (!present) {
            Attempt missed = new Attempt(letter.count() + 1, now, null, AWAY, "No terminal of the receiver is there.");
            return failed(state, acted, missed, now);
        }
        Letter after =
                acted.with(Letter.State.RETRIED, now.plus(settings.letters().retryTimeout()), now);
        return new Outcome.Changed(new LetterChanged(after, Marks.NONE, deadline(state, after)), after);
    }

    Outcome discard(ConversationState state, DiscardLetter discard, Instant now) {
        Optional<Letter> found = state.letters().byId(discard.letter()).filter(Letter::isListed);
        Outcome.Refuse no = mayNot(found, discard.by());
        if (no != null) {
            return no;
        }
        Letter after = found.orElseThrow()
                .acted(new Action("discard", discard.by().person(), now, discard.key()))
                .with(Letter.State.DISCARDED, null, now);
        return new Outcome.Changed(new LetterChanged(after, Marks.NONE, null), after);
    }

    private static Outcome.Refuse mayNot(Optional<Letter> letter, Principal by) {
        boolean directs = by.role() == Role.OPERATOR
                || (by.role() == Role.SUPERVISOR
                        && letter.map(Letter::queue).filter(by::claimsQueue).isPresent());
        return letter.isPresent() && directs
                ? null
                : new Outcome.Refuse(Refusal.of(ErrorCode.NOT_FOUND, "There is no such dead letter."));
    }

    /**
     * What time alone settles: a retry that nobody answered, as one more failed attempt; and what its receiver has by the
     * watermark, though the write that should have said so didn't come about.
     */
    Optional<ConversationEvent> overdue(ConversationState state, Progress progress, Instant now) {
        for (Letter letter : state.letters().open()) {
            if (letter.blocks() && progress.effective(state, letter.receiver()).delivered() >= letter.seq()) {
                return Optional.of(delivered(letter, now).event());
            }
        }
        return state.letters()
                .unanswered(now)
                .map(letter -> failed(
                                state,
                                letter,
                                new Attempt(letter.count() + 1, now, null, NO_ANSWER, "No terminal answered in time."),
                                now)
                        .event());
    }

    /**
     * The events with what they do to letters: what was being tried with an owner ends with its ownership, and its dead
     * letters when somebody else has it, who gets everything from its own watermark.
     */
    List<ConversationEvent> withSuperseded(
            ConversationState state, List<? extends ConversationEvent> events, Instant now) {
        if (state.letters().isEmpty()) {
            return List.copyOf(events);
        }
        List<ConversationEvent> all = new ArrayList<>(events);
        for (ConversationEvent event : events) {
            if (event instanceof OwnerChanged changed) {
                for (Letter letter : state.letters().open()) {
                    boolean ofStaff = letter.receiver().role().isStaff();
                    boolean ends = letter.state() == Letter.State.RETRYING || changed.status() == Status.ASSIGNED;
                    if (ofStaff && ends) {
                        all.add(new LetterChanged(letter.with(Letter.State.SUPERSEDED, null, now), Marks.NONE, null));
                    }
                }
            }
        }
        return all;
    }

    /** True when everything before {@code seq} that the receiver may see was delivered: then it may be passed over. */
    static boolean reaches(RecentLog log, Entry.Visibility reader, long delivered, long seq) {
        if (delivered >= seq - 1) {
            return true;
        }
        List<Entry> recent = log.recent();
        if (recent.isEmpty() || recent.get(0).seq() > delivered + 1) {
            return false;
        }
        return recent.stream()
                .noneMatch(entry -> entry.seq() > delivered && entry.seq() < seq && reader.sees(entry.visibility()));
    }
}
