package dev.switchboard.conversation;

import java.util.List;

/** What {@link ConversationRules} say to a request. */
sealed interface Verdict {
    /** Nothing is done. */
    record Refuse(Refusal refusal) implements Verdict {
        static Refuse of(ErrorCode code, String message) {
            return new Refuse(Refusal.of(code, message));
        }
    }

    /** It was done before: the first answer again. */
    record Again(RequestRecord first) implements Verdict {}

    /** There is nothing to do: the answer is the present state. */
    record AsIs() implements Verdict {}

    /** These events do it, together. */
    record Persist(List<ConversationEvent> events) implements Verdict {
        public Persist {
            events = List.copyOf(events);
        }
    }

    /** The successor answers it; {@code first} when it has yet to be recorded. */
    record GoTo(String successor, boolean first) implements Verdict {}

    /** A slot is needed at that agent's desk, which then offers it. */
    record AskDesk(String agent, RoutingDecision decision) implements Verdict {}

    /** Only the journal knows whether it, or what it comes after, was done before. */
    record AskJournal() implements Verdict {}
}
