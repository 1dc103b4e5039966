package dev.switchboard.conversation;

import static dev.switchboard.conversation.Given.ALICE;
import static dev.switchboard.conversation.Given.BOB;
import static dev.switchboard.conversation.Given.BOT;
import static dev.switchboard.conversation.Given.CAROL;
import static dev.switchboard.conversation.Given.RULES;
import static dev.switchboard.conversation.Given.SAM;
import static dev.switchboard.conversation.Given.STRANGER;
import static dev.switchboard.conversation.Given.T0;
import static dev.switchboard.conversation.Given.after;
import static dev.switchboard.conversation.Given.agentPost;
import static dev.switchboard.conversation.Given.customerPost;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationCommand.Assign;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Label;
import dev.switchboard.conversation.ConversationCommand.LookedUp;
import dev.switchboard.conversation.ConversationCommand.Note;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.Open;
import dev.switchboard.conversation.ConversationCommand.Requested;
import dev.switchboard.conversation.ConversationCommand.Transfer;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table in {@link ConversationRules}, cell by cell: status, who, what, and the outcome in a word. */
class ConversationRulesTest {
    private static final String ANYTHING = "anything";

    static Stream<Arguments> cells() {
        return Stream.of(
                        // customer posts
                        "WAITING carol posts WAITING",
                        "OFFERED carol posts OFFERED",
                        "ASSIGNED carol posts ASSIGNED",
                        "CLOSED carol posts WAITING",
                        // the owner, who is no owner unless assigned, posts
                        "WAITING alice posts not-owner",
                        "OFFERED alice posts not-owner",
                        "ASSIGNED alice posts ASSIGNED",
                        "CLOSED alice posts closed",
                        // others post
                        "ASSIGNED bob posts not-owner",
                        "ASSIGNED sam posts forbidden",
                        "ASSIGNED stranger posts not-found",
                        // accept and decline
                        "WAITING alice accepts offer-ended",
                        "OFFERED alice accepts ASSIGNED",
                        "ASSIGNED alice accepts as-is",
                        "CLOSED alice accepts offer-ended",
                        "WAITING alice declines offer-ended",
                        "OFFERED alice declines WAITING",
                        "ASSIGNED alice declines offer-ended",
                        "CLOSED alice declines offer-ended",
                        // assign
                        "WAITING alice assigns ask-desk",
                        "OFFERED alice assigns ask-desk",
                        "ASSIGNED bob assigns not-owner",
                        "ASSIGNED alice assigns already-owner",
                        "ASSIGNED sam assigns ask-desk",
                        "WAITING sam assigns ask-desk",
                        "CLOSED sam assigns closed",
                        "CLOSED alice assigns closed",
                        "WAITING carol assigns forbidden",
                        "WAITING stranger assigns not-found",
                        // transfer
                        "WAITING sam transfers WAITING",
                        "OFFERED sam transfers WAITING",
                        "ASSIGNED alice transfers WAITING",
                        "ASSIGNED sam transfers WAITING",
                        "ASSIGNED bob transfers not-owner",
                        "ASSIGNED carol transfers forbidden",
                        "ASSIGNED stranger transfers not-found",
                        "CLOSED sam transfers closed",
                        "CLOSED alice transfers closed",
                        // close
                        "WAITING carol closes CLOSED",
                        "OFFERED carol closes CLOSED",
                        "ASSIGNED carol closes CLOSED",
                        "ASSIGNED alice closes CLOSED",
                        "ASSIGNED sam closes CLOSED",
                        "WAITING sam closes CLOSED",
                        "ASSIGNED bob closes not-owner",
                        "ASSIGNED stranger closes not-found",
                        "CLOSED carol closes closed",
                        "CLOSED sam closes closed",
                        // note and label
                        "WAITING sam notes WAITING",
                        "OFFERED sam notes OFFERED",
                        "ASSIGNED alice notes ASSIGNED",
                        "ASSIGNED sam notes ASSIGNED",
                        "CLOSED sam notes CLOSED",
                        "CLOSED alice notes closed",
                        "ASSIGNED bob notes not-owner",
                        "ASSIGNED carol notes forbidden",
                        "ASSIGNED stranger notes not-found",
                        "ASSIGNED alice labels ASSIGNED",
                        "CLOSED sam labels CLOSED",
                        "ASSIGNED bob labels not-owner",
                        "ASSIGNED carol labels forbidden",
                        // open
                        "WAITING carol opens as-is",
                        "OFFERED carol opens as-is",
                        "ASSIGNED carol opens as-is",
                        "CLOSED carol opens WAITING",
                        "ASSIGNED stranger opens not-found")
                .map(cell -> Arguments.of((Object[]) cell.split(" ")));
    }

    @ParameterizedTest(name = "{0}: {1} {2} -> {3}")
    @MethodSource("cells")
    void shouldDoWhatTheCellSays(String status, String who, String what, String outcome) {
        ConversationState state = Given.in(Status.valueOf(status));
        assertEquals(outcome, outcome(state, verdict(state, principal(who), what)));
    }

    private static Principal principal(String who) {
        return switch (who) {
            case "carol" -> CAROL;
            case "alice" -> ALICE;
            case "bob" -> BOB;
            case "sam" -> SAM;
            default -> STRANGER;
        };
    }

    private static Verdict verdict(ConversationState state, Principal by, String what) {
        long epoch = by.equals(CAROL) || by.equals(SAM) ? 0 : state.ownership().epoch();
        return switch (what) {
            case "posts" -> RULES.post(state, Given.post(by, by.person(), "n1", ANYTHING, null, false, epoch), T0);
            case "accepts" -> RULES.accept(state, by, offerTo(by), T0);
            case "declines" -> RULES.decline(state, by, offerTo(by), T0);
            case "assigns" ->
                RULES.assign(state, new Assign(by, true, by.equals(SAM) ? "bob" : by.id(), "n1", null), T0);
            case "transfers" -> RULES.transfer(state, new Transfer(by, null, "sales", epoch, null, "n1", null), T0);
            case "closes" -> RULES.close(state, new Close(by, epoch, "done", "n1", null), T0);
            case "notes" -> RULES.note(state, new Note(by, ANYTHING, epoch, "n1", null), T0);
            case "labels" -> RULES.label(state, new Label(by, List.of("vip"), List.of(), epoch, "n1", null), T0);
            case "opens" -> RULES.open(state, new Open(by, "carol", "default", Map.of(), null), T0);
            default -> throw new IllegalArgumentException(what);
        };
    }

    private static OfferId offerTo(Principal by) {
        return OfferId.parse(Given.offer(1, by.id())).orElseThrow();
    }

    private static String outcome(ConversationState state, Verdict verdict) {
        if (verdict instanceof Verdict.Refuse refuse) {
            return refuse.refusal().code().wireName();
        }
        if (verdict instanceof Verdict.AsIs) {
            return "as-is";
        }
        if (verdict instanceof Verdict.AskDesk) {
            return "ask-desk";
        }
        return after(state, verdict).ownership().status().name();
    }

    @Test
    void shouldMakeOneConversationOfTheFirstPost() {
        ConversationState state = Given.waiting();

        assertEquals(1, state.log().lastSeq());
        assertEquals("default", state.ownership().ticket().queue());
        assertEquals(1, state.ownership().epoch());
    }

    @Test
    void shouldRefuseAFirstPostToAQueueThatDoesNotExist() {
        Verdict verdict = RULES.open(ConversationState.EMPTY, new Open(CAROL, "carol", "nowhere", Map.of(), null), T0);

        assertEquals("unknown-queue", outcome(ConversationState.EMPTY, verdict));
    }

    @Test
    void shouldRefuseAnOpeningWhenTheQueueIsFull() {
        ConversationRules full = new ConversationRules(
                Given.CONV,
                Given.full(Given.queues(WhenClosed.REOPEN)),
                Given.settings(java.time.InstantSource.fixed(T0)));

        Verdict verdict = full.post(ConversationState.EMPTY, customerPost("m1", "hello"), T0);

        assertEquals("queue-full", outcome(ConversationState.EMPTY, verdict));
    }

    @Test
    void shouldNotLetACustomerOpenAnothersThread() {
        Principal eve = Principal.of(Role.CUSTOMER, "eve");

        Verdict verdict = RULES.open(ConversationState.EMPTY, new Open(eve, "carol", "default", Map.of(), null), T0);

        assertEquals("not-found", outcome(ConversationState.EMPTY, verdict));
    }

    @Test
    void shouldGiveTheFirstAnswerToARepeatAlsoAfterOwnershipMoved() {
        ConversationState state = Given.assigned();
        state = after(state, RULES.post(state, agentPost(ALICE, "a1", "hi", 2), T0));
        long seq = state.log().lastSeq();
        state = after(state, RULES.transfer(state, new Transfer(ALICE, null, "sales", 2, null, "t1", null), T0));

        Verdict again = RULES.post(state, agentPost(ALICE, "a1", "hi", 2), T0);

        assertEquals(seq, assertInstanceOf(Verdict.Again.class, again).first().seq());
    }

    @Test
    void shouldRefuseAnIdThatWasUsedForSomethingElse() {
        ConversationState state = Given.waiting();

        assertEquals("id-reused", outcome(state, RULES.post(state, customerPost("m1", "other"), T0)));
    }

    @Test
    void shouldKeepTheIdsOfCustomerAndAgentApart() {
        ConversationState state = Given.assigned();

        Verdict verdict = RULES.post(state, agentPost(ALICE, "m1", "hi", 2), T0);

        assertEquals(3, after(state, verdict).log().lastSeq());
    }

    @Test
    void shouldRefuseWhatComesBeforeItsPredecessor() {
        ConversationState state = Given.waiting();

        Verdict early = RULES.post(state, Given.post(CAROL, CAROL.person(), "m3", "3", "m2", false, 0), T0);
        state = after(state, RULES.post(state, customerPost("m2", "2"), T0));
        Verdict now = RULES.post(state, Given.post(CAROL, CAROL.person(), "m3", "3", "m2", false, 0), T0);

        assertEquals("out-of-order", outcome(state, early));
        assertEquals(3, after(state, now).log().lastSeq());
    }

    @Test
    void shouldAskTheJournalForARepeatOfLongAgo() {
        ConversationState state = Given.waiting();
        for (int i = 2; i <= RecentLog.MAX_REQUESTS + 1; i++) {
            state = after(state, RULES.post(state, customerPost("m" + i, "text"), T0));
        }
        var repeat = Given.post(CAROL, CAROL.person(), "m1", "hello", null, true, 0);
        long hash = RequestHash.of(state.identity().hashKey(), repeat.body());

        assertInstanceOf(Verdict.AskJournal.class, RULES.post(state, repeat, T0));
        LookedUp found = new LookedUp(repeat, Optional.of(new RequestRecord("m1", hash, 1, 0)), true, false);
        assertEquals(
                1,
                assertInstanceOf(Verdict.Again.class, RULES.post(state, repeat, T0, found))
                        .first()
                        .seq());
        LookedUp never = new LookedUp(repeat, Optional.empty(), true, false);
        assertInstanceOf(Verdict.Persist.class, RULES.post(state, repeat, T0, never));
    }

    @Test
    void shouldNameOwnerAndEpochToTheFormerOwner() {
        ConversationState state = Given.assigned();
        Verdict verdict = RULES.post(state, agentPost(BOB, "b1", "late", 1), T0);

        Refusal refusal = assertInstanceOf(Verdict.Refuse.class, verdict).refusal();

        assertEquals("alice", refusal.facts().get("owner"));
        assertEquals(2L, refusal.facts().get("epoch"));
    }

    @Test
    void shouldRefuseTheOwnersWriteUnderAnOldEpochAndWithoutOne() {
        ConversationState state = Given.assigned();

        assertEquals("stale-epoch", outcome(state, RULES.post(state, agentPost(ALICE, "a1", "x", 1), T0)));
        assertEquals("invalid", outcome(state, RULES.post(state, agentPost(ALICE, "a1", "x", 0), T0)));
    }

    @Test
    void shouldReleaseEverybodyElseWhenOneAccepts() {
        ConversationState state = Given.offered(Given.offered(Given.waiting(), "alice"), "bob");

        ConversationState after = after(
                state,
                RULES.accept(state, BOB, OfferId.parse(Given.offer(1, "bob")).orElseThrow(), T0));

        assertEquals("bob", after.ownership().owner());
        assertEquals(DeskIntent.Kind.CONFIRM, after.intents().get("bob").kind());
        assertEquals(DeskIntent.Kind.RELEASE, after.intents().get("alice").kind());
        Verdict late = RULES.accept(
                after, ALICE, OfferId.parse(Given.offer(1, "alice")).orElseThrow(), T0);
        assertEquals("not-owner", outcome(after, late));
    }

    @Test
    void shouldGoToTheFrontOfTheTargetsLineOnTransfer() {
        ConversationState state = Given.assigned();

        ConversationState toQueue =
                after(state, RULES.transfer(state, new Transfer(ALICE, null, "sales", 2, "VIP", "t1", null), T0));
        ConversationState toAgent =
                after(state, RULES.transfer(state, new Transfer(ALICE, "bob", null, 2, null, "t1", null), T0));

        assertEquals("sales", toQueue.ownership().ticket().queue());
        assertTrue(toQueue.ownership().ticket().front());
        assertEquals(4, toQueue.log().lastSeq(), "the note and the transfer are entries");
        assertEquals("bob", toAgent.ownership().ticket().prefer());
        assertEquals("default", toAgent.ownership().ticket().queue());
        assertNull(toAgent.ownership().owner());
        assertEquals(DeskIntent.Kind.RELEASE, toAgent.intents().get("alice").kind());
    }

    @Test
    void shouldPreferTheLastAgentWhenReopened() {
        ConversationState state = Given.closed();

        ConversationState reopened = after(state, RULES.post(state, customerPost("m2", "again"), T0));

        assertEquals("alice", reopened.ownership().ticket().prefer());
        assertEquals(5, reopened.log().lastSeq(), "reopened, then the message");
    }

    @Test
    void shouldRefuseOrOpenANewOneWhenTheQueueSaysSo() {
        ConversationState state = Given.closed();

        Verdict refused = Given.rules(WhenClosed.REFUSE).post(state, customerPost("m2", "again"), T0);
        Verdict moved = Given.rules(WhenClosed.OPEN_NEW).post(state, customerPost("m2", "again"), T0);

        assertEquals("closed", outcome(state, refused));
        assertEquals("c-carol~2", assertInstanceOf(Verdict.GoTo.class, moved).successor());
    }

    @Test
    void shouldLetAServiceActWhereItOpenedOrMay() {
        ConversationState state = Given.waiting();
        Principal allowed = new Principal(
                Role.SERVICE,
                "crm",
                java.util.Set.of(),
                0,
                java.util.Set.of(),
                java.util.Set.of("car*"),
                java.time.Instant.MAX);
        var asCarol = Given.post(allowed, CAROL.person(), "s1", "on her behalf", null, false, 0);
        var byBot = Given.post(BOT, CAROL.person(), "s1", "on her behalf", null, false, 0);

        assertEquals(2, after(state, RULES.post(state, asCarol, T0)).log().lastSeq());
        assertEquals("not-found", outcome(state, RULES.post(state, byBot, T0)));
    }

    @Test
    void shouldAssignWhenTheDeskHasTheSlotThatASupervisorAskedFor() {
        ConversationState state = Given.assigned();
        OfferSlot slot = new OfferSlot(
                "bob",
                new OfferId(Given.CONV, 2, "bob", 1).toString(),
                2,
                "default",
                true,
                null,
                Given.WHY,
                new Requested(SAM, "n1", null));

        ConversationState after = after(state, RULES.assignOffered(state, slot, T0));

        assertEquals("bob", after.ownership().owner());
        assertEquals(3, after.ownership().epoch());
        assertEquals(DeskIntent.Kind.RELEASE, after.intents().get("alice").kind());
    }

    @Test
    void shouldRaiseTheEpochAtEveryChangeOfOwner() {
        ConversationState state = Given.closed();
        assertEquals(3, state.ownership().epoch());

        Verdict verdict = RULES.post(state, customerPost("m2", "again"), T0);

        OwnerChanged reopened =
                (OwnerChanged) ((Verdict.Persist) verdict).events().get(0);
        assertEquals(4, reopened.entry().epoch());
        assertEquals(4, reopened.ticket().epoch());
    }
}
