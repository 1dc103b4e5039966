package dev.switchboard.serialization;

import dev.switchboard.conversation.Letter;
import dev.switchboard.routing.QueueSettings.DeadLetters;

/** The form of a refused entry, as events, snapshots and the directory's rows have it. As {@link Parts}. Stateless. */
final class LetterParts {
    private static final Letter.State[] STATES = Letter.State.values();
    private static final DeadLetters[] POLICIES = DeadLetters.values();

    private LetterParts() {}

    static void letter(Out out, Letter letter) {
        out.version(1);
        out.text(letter.id());
        out.optional(letter.receiver(), Parts::person);
        out.number(letter.seq());
        out.text(letter.queue());
        out.optional(letter.sender(), Parts::person);
        out.text(letter.clientMsgId());
        out.constant(letter.state());
        out.constant(letter.policy());
        out.number(letter.count());
        out.list(letter.attempts(), LetterParts::attempt);
        out.list(letter.actions(), LetterParts::action);
        out.time(letter.firstAt());
        out.time(letter.diedAt());
        out.time(letter.dueAt());
        out.time(letter.at());
    }

    static Letter letter(In in) {
        in.version(1);
        return new Letter(
                in.text(),
                in.optional(Parts::person),
                in.number(),
                in.text(),
                in.optional(Parts::person),
                in.text(),
                in.constant(STATES),
                in.constant(POLICIES),
                in.smallNumber(),
                in.list(LetterParts::attempt),
                in.list(LetterParts::action),
                in.time(),
                in.time(),
                in.time(),
                in.time());
    }

    private static void attempt(Out out, Letter.Attempt attempt) {
        out.number(attempt.number());
        out.time(attempt.at());
        out.text(attempt.terminal());
        out.text(attempt.code());
        out.text(attempt.reason());
    }

    private static Letter.Attempt attempt(In in) {
        return new Letter.Attempt(in.smallNumber(), in.time(), in.text(), in.text(), in.text());
    }

    private static void action(Out out, Letter.Action action) {
        out.text(action.what());
        out.optional(action.by(), Parts::person);
        out.time(action.at());
        out.text(action.key());
    }

    private static Letter.Action action(In in) {
        return new Letter.Action(in.text(), in.optional(Parts::person), in.time(), in.text());
    }
}
