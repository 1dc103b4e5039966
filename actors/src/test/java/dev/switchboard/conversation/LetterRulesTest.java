package dev.switchboard.conversation;

import static dev.switchboard.conversation.Given.ALICE;
import static dev.switchboard.conversation.Given.BOB;
import static dev.switchboard.conversation.Given.CAROL;
import static dev.switchboard.conversation.Given.CONV;
import static dev.switchboard.conversation.Given.SAM;
import static dev.switchboard.conversation.Given.STRANGER;
import static dev.switchboard.conversation.Given.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationCommand.DiscardLetter;
import dev.switchboard.conversation.ConversationCommand.Nack;
import dev.switchboard.conversation.ConversationCommand.RetryLetter;
import dev.switchboard.conversation.ConversationCommand.Taken;
import dev.switchboard.conversation.ConversationEvent.LetterChanged;
import dev.switchboard.conversation.Letter.State;
import dev.switchboard.conversation.LetterRules.Outcome;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import dev.switchboard.routing.QueueSettings.DeadLetters;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of a refused entry's states, a cell each, and who counts as having refused what. Three attempts are allowed. */
class LetterRulesTest {
    private static final Principal OPERATOR = Principal.of(Role.OPERATOR, "olga");

    /** What can happen to a letter. */
    private enum Happening {
        NACK,
        ACK,
        TAKEN,
        RETRY,
        RETRY_AWAY,
        DISCARD,
        RETURNED,
        ASSIGNED,
        TIME
    }

    private static LetterRules rules(DeadLetters policy) {
        QueueSettings plain = Given.queue("default", WhenClosed.REOPEN);
        QueueSettings queue = new QueueSettings(
                plain.queue(),
                plain.strategy(),
                plain.autoAccept(),
                plain.offerTo(),
                plain.offerTimeout(),
                plain.maxLength(),
                plain.ageing(),
                plain.relaxSkillsAfter(),
                plain.preferLastAgentFor(),
                plain.preferTargetFor(),
                plain.ownerGrace(),
                plain.abandonAfter(),
                plain.closeIdleAfter(),
                plain.whenClosed(),
                policy);
        QueueCatalog queues = new QueueCatalog() {
            @Override
            public Optional<QueueSettings> find(String name) {
                return Optional.of(queue);
            }

            @Override
            public Collection<QueueSettings> all() {
                return List.of(queue);
            }
        };
        return new LetterRules(CONV, queues, Given.settings(InstantSource.fixed(T0)));
    }

    private static Nack nack(Principal by, long seq, int attempt) {
        return new Nack(by, "desk", seq, attempt, "too-hard", "really", null);
    }

    private static ConversationState apply(ConversationState state, Outcome outcome) {
        return state.apply(assertInstanceOf(Outcome.Changed.class, outcome).event());
    }

    private static Outcome refuse(LetterRules rules, ConversationState state, long seq, int attempt) {
        return rules.nack(state, Relation.OWNER, ALICE.person(), 0, nack(ALICE, seq, attempt), T0);
    }

    /** Alice owns it and has refused entry 1 so often that it is in that state. */
    private static ConversationState in(LetterRules rules, State wanted) {
        ConversationState state = apply(Given.assigned(), refuse(rules, Given.assigned(), 1, 1));
        if (wanted == State.RETRYING) {
            return state;
        }
        state = apply(state, refuse(rules, state, 1, 2));
        state = apply(state, refuse(rules, state, 1, 3));
        return wanted == State.DEAD ? state : apply(state, rules.retry(state, retry(state, "k1"), true, T0));
    }

    private static String id(ConversationState state) {
        return state.letters().open().get(0).id();
    }

    private static RetryLetter retry(ConversationState state, String key) {
        return new RetryLetter(OPERATOR, id(state), key, null);
    }

    static Stream<Arguments> cells() {
        return Stream.of(
                Arguments.of(State.RETRYING, Happening.NACK, State.RETRYING),
                Arguments.of(State.RETRYING, Happening.ACK, State.DELIVERED),
                Arguments.of(State.RETRYING, Happening.TAKEN, null),
                Arguments.of(State.RETRYING, Happening.RETRY, null),
                Arguments.of(State.RETRYING, Happening.RETRY_AWAY, null),
                Arguments.of(State.RETRYING, Happening.DISCARD, null),
                Arguments.of(State.RETRYING, Happening.RETURNED, State.SUPERSEDED),
                Arguments.of(State.RETRYING, Happening.ASSIGNED, State.SUPERSEDED),
                Arguments.of(State.RETRYING, Happening.TIME, null),
                Arguments.of(State.DEAD, Happening.NACK, null),
                Arguments.of(State.DEAD, Happening.ACK, State.DELIVERED),
                Arguments.of(State.DEAD, Happening.TAKEN, null),
                Arguments.of(State.DEAD, Happening.RETRY, State.RETRIED),
                Arguments.of(State.DEAD, Happening.RETRY_AWAY, State.DEAD),
                Arguments.of(State.DEAD, Happening.DISCARD, State.DISCARDED),
                Arguments.of(State.DEAD, Happening.RETURNED, null),
                Arguments.of(State.DEAD, Happening.ASSIGNED, State.SUPERSEDED),
                Arguments.of(State.DEAD, Happening.TIME, null),
                Arguments.of(State.RETRIED, Happening.NACK, State.DEAD),
                Arguments.of(State.RETRIED, Happening.ACK, State.DELIVERED),
                Arguments.of(State.RETRIED, Happening.TAKEN, State.DELIVERED),
                Arguments.of(State.RETRIED, Happening.RETRY, null),
                Arguments.of(State.RETRIED, Happening.RETRY_AWAY, null),
                Arguments.of(State.RETRIED, Happening.DISCARD, State.DISCARDED),
                Arguments.of(State.RETRIED, Happening.RETURNED, null),
                Arguments.of(State.RETRIED, Happening.ASSIGNED, State.SUPERSEDED),
                Arguments.of(State.RETRIED, Happening.TIME, State.DEAD));
    }

    /** {@code after} is null where nothing changes. */
    @ParameterizedTest
    @MethodSource("cells")
    void shouldFollowTheTable(State before, Happening happening, State after) {
        LetterRules rules = rules(DeadLetters.HOLD);
        ConversationState state = in(rules, before);
        Letter letter = state.letters().open().get(0);
        assertEquals(before, letter.state());
        Optional<Letter> changed = happen(rules, state, happening);
        assertEquals(Optional.ofNullable(after), changed.map(Letter::state));
    }

    private static Optional<Letter> happen(LetterRules rules, ConversationState state, Happening happening) {
        int next = state.letters().open().get(0).count() + 1;
        return switch (happening) {
            case NACK -> changed(refuse(rules, state, 1, next));
            case ACK -> first(rules.acked(state, ALICE.person(), 1, T0));
            case TAKEN -> changed(rules.taken(state, ALICE.person(), new Taken(ALICE, 1, null), T0));
            case RETRY -> changed(rules.retry(state, retry(state, "k2"), true, T0));
            case RETRY_AWAY -> changed(rules.retry(state, retry(state, "k2"), false, T0));
            case DISCARD -> changed(rules.discard(state, new DiscardLetter(OPERATOR, id(state), "k3", null), T0));
            case RETURNED ->
                first(rules.withSuperseded(
                        state, List.of(Given.RULES.transitions().returned(state, "gone", T0)), T0));
            case ASSIGNED -> {
                OpenOffer toBob = new OpenOffer("o", "bob", T0, Given.WHY);
                yield first(rules.withSuperseded(
                        state,
                        List.of(Given.RULES.transitions().assigned(state, BOB.person(), toBob, null, 0, T0)),
                        T0));
            }
            case TIME ->
                first(rules.overdue(state, new Progress(), T0.plusSeconds(60)).stream()
                        .toList());
        };
    }

    private static Optional<Letter> changed(Outcome outcome) {
        return outcome instanceof Outcome.Changed changed ? Optional.of(changed.letter()) : Optional.empty();
    }

    private static Optional<Letter> first(List<ConversationEvent> events) {
        return events.stream()
                .map(event -> event instanceof LetterChanged changed
                        ? changed.letter()
                        : event instanceof ConversationEvent.DeliveryFailed failed ? failed.letter() : null)
                .filter(letter -> letter != null)
                .findFirst();
    }

    @Test
    void shouldCountOneRefusalOfEachAttemptHoweverOftenItIsSaid() {
        LetterRules rules = rules(DeadLetters.HOLD);
        ConversationState once = in(rules, State.RETRYING);
        assertInstanceOf(Outcome.AsIs.class, refuse(rules, once, 1, 1));
        assertEquals(1, once.letters().open().get(0).count());
        ConversationState twice = apply(once, refuse(rules, once, 1, 2));
        assertInstanceOf(Outcome.AsIs.class, refuse(rules, twice, 1, 2));
        assertEquals(T0.plusSeconds(2), twice.letters().open().get(0).dueAt(), "the time between attempts doubles");
    }

    @Test
    void shouldKeepThreeReasonsAndNothingButThem() {
        LetterRules rules = rules(DeadLetters.HOLD);
        Letter dead = in(rules, State.DEAD).letters().open().get(0);
        assertEquals(
                List.of(1, 2, 3),
                dead.attempts().stream().map(Letter.Attempt::number).toList());
        assertEquals("too-hard", dead.attempts().get(2).code());
        assertTrue(dead.isListed());
        assertEquals("m1", dead.clientMsgId());
        assertEquals(CAROL.person(), dead.sender());
    }

    @Test
    void shouldIgnoreTheRefusalOfWhatAnotherTerminalHas() {
        Outcome outcome = rules(DeadLetters.HOLD)
                .nack(Given.assigned(), Relation.OWNER, ALICE.person(), 1, nack(ALICE, 1, 1), T0);
        assertNull(assertInstanceOf(Outcome.AsIs.class, outcome).letter());
    }

    @Test
    void shouldIgnoreTheRefusalOfWhatWaitsBehindAnother() {
        LetterRules rules = rules(DeadLetters.HOLD);
        assertInstanceOf(Outcome.AsIs.class, refuse(rules, in(rules, State.DEAD), 2, 1));
    }

    @Test
    void shouldRefuseWhatWasNotSentAndWhoDoesNotReceive() {
        LetterRules rules = rules(DeadLetters.HOLD);
        assertInstanceOf(Outcome.Refuse.class, refuse(rules, Given.assigned(), 3, 1));
        assertInstanceOf(
                Outcome.Refuse.class,
                rules.nack(Given.assigned(), Relation.STRANGER, STRANGER.person(), 0, nack(STRANGER, 1, 1), T0));
        assertInstanceOf(
                Outcome.AsIs.class,
                rules.nack(Given.assigned(), Relation.SUPERVISOR, SAM.person(), 0, nack(SAM, 1, 1), T0));
    }

    @Test
    void shouldRefuseMoreThanAConversationMayKeep() {
        LetterRules rules = rules(DeadLetters.SKIP);
        ConversationState state = Given.assigned();
        for (int i = 2; i <= 6; i++) {
            state = Given.after(state, Given.RULES.post(state, Given.customerPost("m" + i, "hello"), T0));
        }
        for (long seq = 1; seq <= 4; seq++) {
            for (int attempt = 1; attempt <= 3; attempt++) {
                state = apply(state, refuse(rules, state, seq, attempt));
            }
        }
        Outcome.Refuse full = assertInstanceOf(Outcome.Refuse.class, refuse(rules, state, 5, 1));
        assertEquals(ErrorCode.OVERLOAD, full.refusal().code());
    }

    @Test
    void shouldHoldLaterEntriesOnlyWhereTheQueueSaysSo() {
        ConversationState held = in(rules(DeadLetters.HOLD), State.DEAD);
        assertEquals(1L, held.letters().holds(T0).get(ALICE.person()));
        ConversationState retried = in(rules(DeadLetters.HOLD), State.RETRIED);
        assertEquals(2L, retried.letters().holds(T0).get(ALICE.person()), "the entry itself may go");
        assertTrue(in(rules(DeadLetters.SKIP), State.DEAD).letters().holds(T0).isEmpty());
        assertEquals(
                1L,
                in(rules(DeadLetters.SKIP), State.RETRYING).letters().holds(T0).get(ALICE.person()),
                "until it is decided, later ones wait everywhere");
        assertTrue(in(rules(DeadLetters.DISCARD), State.DEAD).letters().isEmpty());
    }

    @Test
    void shouldOpenTheHoldWhenTheNextAttemptIsDue() {
        Letters letters = in(rules(DeadLetters.HOLD), State.RETRYING).letters();
        assertEquals(1L, letters.holds(T0).get(ALICE.person()));
        assertEquals(T0.plusSeconds(1), letters.nextDue(T0));
        assertEquals(2L, letters.holds(T0.plusSeconds(1)).get(ALICE.person()));
    }

    @Test
    void shouldDoTheSameRequestOnce() {
        LetterRules rules = rules(DeadLetters.HOLD);
        ConversationState dead = in(rules, State.DEAD);
        ConversationState missed = apply(dead, rules.retry(dead, retry(dead, "k1"), false, T0));
        Letter letter = missed.letters().open().get(0);
        assertEquals(4, letter.count());
        assertEquals("away", letter.attempts().get(3).code());
        assertInstanceOf(Outcome.AsIs.class, rules.retry(missed, retry(missed, "k1"), false, T0));
        assertEquals(OPERATOR.person(), letter.actions().get(0).by());
    }

    @Test
    void shouldListenToOperatorsAndSupervisorsOfTheQueueOnly() {
        LetterRules rules = rules(DeadLetters.HOLD);
        ConversationState dead = in(rules, State.DEAD);
        Principal elsewhere = Principal.of(Role.SUPERVISOR, "sue").withQueues(java.util.Set.of("sales"));
        assertInstanceOf(
                Outcome.Refuse.class, rules.retry(dead, new RetryLetter(elsewhere, id(dead), "k", null), true, T0));
        assertInstanceOf(
                Outcome.Refuse.class, rules.retry(dead, new RetryLetter(ALICE, id(dead), "k", null), true, T0));
        assertInstanceOf(Outcome.Changed.class, rules.retry(dead, new RetryLetter(SAM, id(dead), "k", null), true, T0));
    }

    @Test
    void shouldReadBackEveryIdItMakes() {
        LetterId id = new LetterId("c-carol~2", 7, new Person(Role.AGENT, "al.ice@x"), 41);
        assertEquals(Optional.of(id), LetterId.parse(id.toString()));
        assertFalse(LetterId.parse("c-carol!7!nobody!alice!41").isPresent());
        assertFalse(LetterId.parse("c-carol!x!agent!alice!41").isPresent());
    }
}
