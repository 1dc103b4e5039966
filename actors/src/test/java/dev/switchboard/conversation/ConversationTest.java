package dev.switchboard.conversation;

import static dev.switchboard.conversation.Given.ALICE;
import static dev.switchboard.conversation.Given.CAROL;
import static dev.switchboard.conversation.Given.CONV;
import static dev.switchboard.conversation.Given.OSCAR;
import static dev.switchboard.conversation.Given.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.ConversationCommand.Accept;
import dev.switchboard.conversation.ConversationCommand.Ack;
import dev.switchboard.conversation.ConversationCommand.Attach;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.DeskAcked;
import dev.switchboard.conversation.ConversationCommand.Erase;
import dev.switchboard.conversation.ConversationCommand.LineAcked;
import dev.switchboard.conversation.ConversationCommand.Note;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.OwnerGone;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.WakeUp;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.Eraser;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.FishingOutcomes;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The conversation's actor over a journal in memory, with a clock that the test moves. */
class ConversationTest {
    /** Nothing is serialized, and a jump of the clock is no reason for the journal to give up. */
    private static final String SETTINGS = """
            pekko.persistence.testkit { events.serialize = off, snapshots.serialize = off }
            pekko.persistence.journal-plugin-fallback {
              circuit-breaker { call-timeout = 1000h, reset-timeout = 1000h }
              recovery-event-timeout = 1000h
            }
            pekko.actor.testkit.typed.single-expect-default = 10s
            """;

    private static final Duration QUIET = Duration.ofMillis(100);

    private final ActorTestKit kit = ActorTestKit.create(ManualTime.config()
            .withFallback(ConfigFactory.parseString(SETTINGS))
            .withFallback(PersistenceTestKitPlugin.getInstance().config())
            .withFallback(ConfigFactory.load()));
    private final ManualTime time = ManualTime.get(kit.system());
    private final PersistenceTestKit journal = PersistenceTestKit.create(kit.system());
    private final TestProbe<DeskCommand> desks = kit.createTestProbe();
    private final TestProbe<LineCommand> lines = kit.createTestProbe();
    private final TestProbe<ClusterSharding.ShardCommand> shard = kit.createTestProbe();
    private final TestProbe<ConversationReply> replies = kit.createTestProbe();
    /** What the storage makes of erasures; each is one call. */
    private final BlockingQueue<CompletableFuture<Void>> erasures = new LinkedBlockingQueue<>();

    private final Eraser eraser = (conv, marker) -> {
        CompletableFuture<Void> done = new CompletableFuture<>();
        erasures.add(done);
        return done;
    };
    private Duration reduceClosedAfter = Duration.ZERO;
    private Instant now = T0;
    private ActorRef<ConversationCommand> conversation = start();

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
    }

    private ActorRef<ConversationCommand> start() {
        Peers peers = new Peers() {
            @Override
            public void conversation(String conv, ConversationCommand command) {
                throw new AssertionError("a conversation has nothing to say to another one");
            }

            @Override
            public void desk(String agent, DeskCommand command) {
                desks.ref().tell(command);
            }

            @Override
            public void line(String queue, LineCommand command) {
                lines.ref().tell(command);
            }
        };
        return kit.spawn(Conversation.create(
                CONV,
                shard.ref(),
                peers,
                Given.queues(WhenClosed.REOPEN),
                new NoLog(),
                eraser,
                Given.settings(reduceClosedAfter, () -> now),
                new DeliveryFigures()));
    }

    private void restart() {
        kit.stop(conversation);
        conversation = start();
    }

    private void pass(Duration duration) {
        now = now.plus(duration);
        time.timePasses(duration);
    }

    private Done carolPosts(String id) {
        conversation.tell(
                new Post(CAROL, CAROL.person(), "default", id, Body.text(id), null, false, 0, true, replies.ref()));
        return replies.expectMessageClass(Done.class);
    }

    private TestProbe<TerminalPush> attach(Principal who, String terminal, long after) {
        TestProbe<TerminalPush> probe = kit.createTestProbe();
        conversation.tell(new Attach(who, terminal, after, false, probe.ref()));
        return probe;
    }

    private void offerToAlice(boolean auto) {
        conversation.tell(new OfferSlot(
                "alice", Given.offer(1, "alice"), 1, "default", auto, now.plusSeconds(20), Given.WHY, null));
    }

    private Done assignToAlice() {
        offerToAlice(false);
        conversation.tell(new Accept(ALICE, Given.offer(1, "alice"), replies.ref()));
        return replies.expectMessageClass(Done.class);
    }

    private <T> T nextDesk(Class<T> kind) {
        return kind.cast(desks.fishForMessage(
                        Duration.ofSeconds(10),
                        message -> kind.isInstance(message)
                                ? FishingOutcomes.complete()
                                : FishingOutcomes.continueAndIgnore())
                .get(0));
    }

    private <T> T nextLine(Class<T> kind) {
        return kind.cast(lines.fishForMessage(
                        Duration.ofSeconds(10),
                        message -> kind.isInstance(message)
                                ? FishingOutcomes.complete()
                                : FishingOutcomes.continueAndIgnore())
                .get(0));
    }

    private static <T> T next(TestProbe<TerminalPush> terminal, Class<T> kind) {
        return kind.cast(terminal.fishForMessage(
                        Duration.ofSeconds(10),
                        message -> kind.isInstance(message)
                                ? FishingOutcomes.complete()
                                : FishingOutcomes.continueAndIgnore())
                .get(0));
    }

    @Test
    void shouldNumberEntriesDenselyAndKeepThemThroughARestart() {
        assertEquals(1, carolPosts("m1").seq());
        assertEquals(2, carolPosts("m2").seq());

        restart();

        assertEquals(3, carolPosts("m3").seq());
        Done again = carolPosts("m1");
        assertEquals(1, again.seq());
        assertTrue(again.duplicate());
    }

    @Test
    void shouldRepeatTheTicketUntilTheLineHasIt() {
        carolPosts("m1");
        assertEquals(1, nextLine(LineCommand.Enqueue.class).ticket().epoch());
        pass(Duration.ofSeconds(1));
        nextLine(LineCommand.Enqueue.class);

        conversation.tell(new LineAcked("default", 1));
        pass(Duration.ofSeconds(2));
        pass(Duration.ofSeconds(10));

        lines.expectNoMessage(QUIET);
    }

    @Test
    void shouldEnqueueAgainAfterARestart() {
        carolPosts("m1");
        nextLine(LineCommand.Enqueue.class);
        conversation.tell(new LineAcked("default", 1));

        restart();

        nextLine(LineCommand.Enqueue.class);
    }

    @Test
    void shouldRepeatTheConfirmationUntilTheDeskAcknowledgesAlsoAfterARestart() {
        carolPosts("m1");
        assignToAlice();
        nextDesk(DeskCommand.Confirm.class);
        pass(Duration.ofSeconds(1));
        nextDesk(DeskCommand.Confirm.class);

        restart();
        assertEquals(2, nextDesk(DeskCommand.Confirm.class).epoch());
        conversation.tell(new DeskAcked("alice", 2));
        nextDesk(DeskCommand.ConversationBack.class);
        pass(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(10));

        desks.expectNoMessage(QUIET);
    }

    @Test
    void shouldOfferThenAssignAndTellTheLineToForget() {
        carolPosts("m1");
        offerToAlice(false);
        DeskCommand.OfferOpen open = nextDesk(DeskCommand.OfferOpen.class);
        assertEquals("m1", open.preview().text());

        conversation.tell(new Accept(ALICE, open.offer(), replies.ref()));

        Done done = replies.expectMessageClass(Done.class);
        assertEquals(2, done.epoch());
        assertEquals(2, done.lastSeq());
        assertEquals(1, nextLine(LineCommand.Leave.class).epoch());
    }

    @Test
    void shouldEndAnOfferAtItsDeadlineAndTellLineAndDesk() {
        carolPosts("m1");
        offerToAlice(false);
        nextDesk(DeskCommand.OfferOpen.class);

        pass(Duration.ofSeconds(20));

        assertEquals(
                Given.offer(1, "alice"), nextDesk(DeskCommand.Release.class).offer());
        LineCommand.Enqueue last = nextLine(LineCommand.Enqueue.class);
        while (!last.declinedBy().contains("alice")) {
            last = nextLine(LineCommand.Enqueue.class);
        }
        assertEquals(0, last.offered());
    }

    @Test
    void shouldEndAnOfferThatRanOutWhileTheNodeWasDown() {
        carolPosts("m1");
        offerToAlice(false);
        nextDesk(DeskCommand.OfferOpen.class);
        kit.stop(conversation);
        now = now.plusSeconds(25);

        conversation = start();
        conversation.tell(new WakeUp(now));

        assertEquals(
                Given.offer(1, "alice"), nextDesk(DeskCommand.Release.class).offer());
    }

    @Test
    void shouldPushToEveryTerminalWhatItMaySee() {
        carolPosts("m1");
        TestProbe<TerminalPush> carol = attach(CAROL, "phone", -1);
        TerminalPush.Attached attached = carol.expectMessageClass(TerminalPush.Attached.class);
        assertEquals(1, attached.missed().size());
        assignToAlice();
        TestProbe<TerminalPush> alice = attach(ALICE, "desk", -1);
        assertEquals(
                2,
                alice.expectMessageClass(TerminalPush.Attached.class).missed().size());
        assertEquals(2, next(carol, TerminalPush.EntryPush.class).entry().seq());

        conversation.tell(new Note(ALICE, "careful", 2, "n1", replies.ref()));
        assertEquals(3, replies.expectMessageClass(Done.class).seq());
        carolPosts("m2");

        assertEquals(3, next(alice, TerminalPush.EntryPush.class).entry().seq());
        assertEquals(3, next(alice, TerminalPush.EntryPush.class).prev());
        TerminalPush.EntryPush seen = next(carol, TerminalPush.EntryPush.class);
        assertEquals(4, seen.entry().seq());
        assertEquals(2, seen.prev(), "the note in between is not for the customer");
    }

    @Test
    void shouldRefuseStrangersTerminals() {
        carolPosts("m1");

        TestProbe<TerminalPush> terminal = attach(Given.STRANGER, "x", -1);

        assertEquals(
                ErrorCode.NOT_FOUND,
                terminal.expectMessageClass(TerminalPush.AttachRefused.class)
                        .refusal()
                        .code());
    }

    @Test
    void shouldReplaceATerminalOfTheSameName() {
        carolPosts("m1");
        TestProbe<TerminalPush> first = attach(CAROL, "phone", -1);
        first.expectMessageClass(TerminalPush.Attached.class);

        attach(CAROL, "phone", -1).expectMessageClass(TerminalPush.Attached.class);

        first.expectMessageClass(TerminalPush.Replaced.class);
    }

    @Test
    void shouldSayWhenAClientHasMoreThanThereIs() {
        carolPosts("m1");

        TerminalPush.Attached attached = attach(CAROL, "phone", 7).expectMessageClass(TerminalPush.Attached.class);

        assertTrue(attached.anew());
        assertEquals(1, attached.missed().size());
    }

    @Test
    void shouldMoveWatermarksOnlyForwardAndTellTheOtherSide() {
        carolPosts("m1");
        assignToAlice();
        TestProbe<TerminalPush> carol = attach(CAROL, "phone", -1);
        carol.expectMessageClass(TerminalPush.Attached.class);

        conversation.tell(new Ack(ALICE, 2, true, replies.ref()));
        replies.expectMessageClass(Done.class);
        conversation.tell(new Ack(ALICE, 1, false, replies.ref()));
        replies.expectMessageClass(Done.class);
        conversation.tell(new Ack(ALICE, 3, false, replies.ref()));

        assertEquals(
                ErrorCode.BAD_ACK,
                replies.expectMessageClass(Refused.class).refusal().code());
        assertEquals(
                new Watermark(2, 2), next(carol, TerminalPush.Receipt.class).watermark());
        carol.expectNoMessage(QUIET);
    }

    @Test
    void shouldPersistWatermarksAfterQuietAndKeepThemThroughARestart() {
        carolPosts("m1");
        conversation.tell(new Ack(CAROL, 1, true, replies.ref()));
        replies.expectMessageClass(Done.class);

        pass(Duration.ofSeconds(30));
        journal.expectNextPersistedClass("conversation|" + CONV, ConversationEvent.Opened.class);
        journal.expectNextPersistedClass("conversation|" + CONV, ConversationEvent.EntryAppended.class);
        journal.expectNextPersistedClass("conversation|" + CONV, ConversationEvent.MarksMoved.class);
        restart();

        TerminalPush.Attached attached = attach(CAROL, "phone", -1).expectMessageClass(TerminalPush.Attached.class);
        assertEquals(1, attached.after());
        assertEquals(new Watermark(1, 1), attached.view().watermark());
    }

    @Test
    void shouldReturnToTheFrontWhenTheOwnerIsGone() {
        carolPosts("m1");
        assignToAlice();

        conversation.tell(new OwnerGone("alice", 2, "unreachable"));

        LineCommand.Enqueue enqueue = nextLine(LineCommand.Enqueue.class);
        while (enqueue.ticket().epoch() < 3) {
            enqueue = nextLine(LineCommand.Enqueue.class);
        }
        assertTrue(enqueue.ticket().front());
        assertEquals(3, nextDesk(DeskCommand.Release.class).epoch());
    }

    @Test
    void shouldLetGoOfTheFormerOwnersTerminals() {
        carolPosts("m1");
        assignToAlice();
        TestProbe<TerminalPush> alice = attach(ALICE, "desk", -1);
        alice.expectMessageClass(TerminalPush.Attached.class);

        conversation.tell(new OwnerGone("alice", 2, "unreachable"));

        next(alice, TerminalPush.LetGo.class);
        carolPosts("m2");
        alice.expectNoMessage(QUIET);
    }

    @Test
    void shouldLeaveTheLineWhenTheCustomerIsGoneForTooLong() {
        TestProbe<TerminalPush> carol = kit.createTestProbe();
        carolPosts("m1");
        conversation.tell(new Attach(CAROL, "phone", -1, false, carol.ref()));
        carol.expectMessageClass(TerminalPush.Attached.class);
        pass(Duration.ofMinutes(5));
        TestProbe<TerminalPush> sam = attach(Given.SAM, "watch", -1);
        carol.stop();
        assertFalse(next(sam, TerminalPush.Presence.class).online());
        assertStatusStays(Status.WAITING);

        pass(Duration.ofMinutes(2));

        assertStatusBecomes(Status.CLOSED);
    }

    @Test
    void shouldNotCountACustomerAsGoneBeforeItHadTimeToAttachAfterARestart() {
        carolPosts("m1");
        restart();
        assertStatusStays(Status.WAITING);

        pass(Duration.ofMinutes(2).plusSeconds(9));
        assertStatusStays(Status.WAITING);
        pass(Duration.ofSeconds(2));

        assertStatusBecomes(Status.CLOSED);
    }

    @Test
    void shouldNeverCountACustomerWhoUsesHttpOnlyAsGone() {
        conversation.tell(new Post(
                CAROL, CAROL.person(), "default", "m1", Body.text("m1"), null, false, 0, false, replies.ref()));
        replies.expectMessageClass(Done.class);

        pass(Duration.ofHours(1));

        assertStatusStays(Status.WAITING);
    }

    @Test
    void shouldCloseAnIdleConversationAndReopenItForItsCustomer() {
        carolPosts("m1");
        assignToAlice();
        conversation.tell(new DeskAcked("alice", 2));

        pass(Duration.ofHours(1));

        assertStatusBecomes(Status.CLOSED);
        assertEquals(5, carolPosts("m2").seq(), "closed is 3, reopened is 4");
        assertStatusBecomes(Status.WAITING);
    }

    @Test
    void shouldAnswerWhenTheJournalFailsAndComeBackByItself() {
        carolPosts("m1");
        TestProbe<TerminalPush> carol = attach(CAROL, "phone", 1);
        carol.expectMessageClass(TerminalPush.Attached.class);
        journal.failNextPersisted("conversation|" + CONV);

        conversation.tell(
                new Post(CAROL, CAROL.person(), "default", "m2", Body.text("m2"), null, false, 0, true, replies.ref()));

        assertEquals(
                ErrorCode.JOURNAL_UNAVAILABLE,
                replies.expectMessageClass(Refused.class).refusal().code());
        conversation.tell(
                new Post(CAROL, CAROL.person(), "default", "m2", Body.text("m2"), null, true, 0, true, replies.ref()));
        pass(Duration.ofSeconds(1));
        assertEquals(2, replies.expectMessageClass(Done.class).seq());
        assertEquals(1, next(carol, TerminalPush.EntryPush.class).entry().seq(), "the last entry, once more");
        assertEquals(2, next(carol, TerminalPush.EntryPush.class).entry().seq());
    }

    @Test
    void shouldLeaveMemoryOnlyWhenNothingIsOwedAndNobodyIsThere() {
        carolPosts("m1");
        TestProbe<TerminalPush> carol = attach(CAROL, "phone", -1);
        carol.expectMessageClass(TerminalPush.Attached.class);
        conversation.tell(new Close(CAROL, 0, "bye", "x1", replies.ref()));
        replies.expectMessageClass(Done.class);
        pass(Duration.ofMinutes(3));
        pass(Duration.ofMinutes(3));
        shard.expectNoMessage(QUIET);

        conversation.tell(new ConversationCommand.Detach(carol.ref()));
        assertStatusStays(Status.CLOSED);
        pass(Duration.ofMinutes(3));
        pass(Duration.ofMinutes(3));

        shard.expectMessageClass(ClusterSharding.Passivate.class);
    }

    @Test
    void shouldArmTheNextDeadlineWhenWokenTooSoon() {
        carolPosts("m1");
        TestProbe<TerminalPush> carol = attach(CAROL, "phone", -1);
        carol.expectMessageClass(TerminalPush.Attached.class);
        journal.expectNextPersistedClass("conversation|" + CONV, ConversationEvent.Opened.class);
        journal.expectNextPersistedClass("conversation|" + CONV, ConversationEvent.EntryAppended.class);
        pass(Duration.ofSeconds(131));

        conversation.tell(new WakeUp(now));

        ConversationEvent.MarksMoved moved =
                journal.expectNextPersistedClass("conversation|" + CONV, ConversationEvent.MarksMoved.class);
        assertTrue(moved.deadline().isAfter(now));
        assertNotEquals(Instant.MAX, moved.deadline());
    }

    private void assertStatusBecomes(Status status) {
        kit.createTestProbe().awaitAssert(Duration.ofSeconds(10), () -> {
            assertEquals(status, status());
            return null;
        });
    }

    private void assertStatusStays(Status status) {
        assertEquals(status, status());
    }

    private Status status() {
        conversation.tell(new ConversationCommand.Describe(CAROL, replies.ref()));
        ConversationReply reply = replies.receiveMessage();
        return assertInstanceOf(ConversationReply.Described.class, reply).view().status();
    }

    // ---- erasure ----

    private CompletableFuture<Void> nextErasure() throws InterruptedException {
        CompletableFuture<Void> next = erasures.poll(10, TimeUnit.SECONDS);
        assertNotNull(next, "the storage was not asked");
        return next;
    }

    private void erase(String id) {
        conversation.tell(new Erase(OSCAR, id, replies.ref()));
    }

    @Test
    void shouldAnswerAnErasureWhenTheStorageHasForgottenToo() throws Exception {
        carolPosts("m1");
        erase("e1");
        CompletableFuture<Void> first = nextErasure();
        erase("e1");
        replies.expectNoMessage(QUIET);
        first.complete(null);
        assertEquals(new ConversationReply.Erased(CONV, 2, true, false), replies.receiveMessage());
        assertEquals(new ConversationReply.Erased(CONV, 2, true, true), replies.receiveMessage());
        // Nothing was said since: nothing is done.
        erase("e2");
        assertEquals(new ConversationReply.Erased(CONV, 2, true, true), replies.receiveMessage());
        assertTrue(erasures.isEmpty());
    }

    @Test
    void shouldAnswerThatItWillBeErasedWhenTheStorageTakesLong() throws Exception {
        carolPosts("m1");
        erase("e1");
        CompletableFuture<Void> first = nextErasure();
        pass(Duration.ofSeconds(6));
        assertEquals(new ConversationReply.Erased(CONV, 2, false, false), replies.receiveMessage());
        first.completeExceptionally(new IllegalStateException("away"));
        // It is tried again by itself, after a pause.
        kit.createTestProbe().awaitAssert(Duration.ofSeconds(10), () -> {
            pass(Duration.ofSeconds(1));
            assertFalse(erasures.isEmpty());
            return null;
        });
        nextErasure().complete(null);
        erase("e1");
        assertEquals(new ConversationReply.Erased(CONV, 2, true, true), replies.receiveMessage());
    }

    @Test
    void shouldBeginAnErasureAgainAfterARestart() throws Exception {
        carolPosts("m1");
        erase("e1");
        assertFalse(nextErasure().isDone());
        restart();
        nextErasure().complete(null);
        erase("e1");
        assertEquals(new ConversationReply.Erased(CONV, 2, true, true), replies.receiveMessage());
        restart();
        carolPosts("m2");
        assertTrue(erasures.isEmpty(), "it was carried out");
    }

    @Test
    void shouldTellTerminalsAndDesksOfAnErasure() throws Exception {
        carolPosts("m1");
        offerToAlice(false);
        assertEquals("m1", nextDesk(DeskCommand.OfferOpen.class).preview().text());
        TestProbe<TerminalPush> terminal = attach(CAROL, "phone", 1);
        terminal.expectMessageClass(TerminalPush.Attached.class);
        erase("e1");
        assertEquals("", nextDesk(DeskCommand.OfferOpen.class).preview().text());
        TerminalPush.EntryPush told = terminal.expectMessageClass(TerminalPush.EntryPush.class);
        assertEquals(Entry.Kind.ERASED, told.entry().kind());
        assertEquals(2, told.entry().seq());
        assertNull(told.entry().from());
        nextErasure().complete(null);
        replies.expectMessageClass(ConversationReply.Erased.class);
        TestProbe<TerminalPush> other = attach(CAROL, "laptop", 0);
        TerminalPush.Attached attached = other.expectMessageClass(TerminalPush.Attached.class);
        assertEquals(2, attached.missed().size());
        assertNull(attached.missed().get(0).entry().body());
    }

    @Test
    void shouldReduceAClosedConversationAfterItsTime() throws Exception {
        reduceClosedAfter = Duration.ofDays(30);
        restart();
        carolPosts("m1");
        conversation.tell(new Close(CAROL, 0, "thanks", "x1", replies.ref()));
        replies.expectMessageClass(Done.class);
        now = now.plus(Duration.ofDays(29));
        conversation.tell(new WakeUp(now));
        assertStatusStays(Status.CLOSED);
        assertTrue(erasures.isEmpty());
        now = now.plus(Duration.ofDays(2));
        conversation.tell(new WakeUp(now));
        nextErasure().complete(null);
        TestProbe<TerminalPush> terminal = attach(CAROL, "phone", 0);
        TerminalPush.Attached attached = terminal.expectMessageClass(TerminalPush.Attached.class);
        assertTrue(attached.anew(), "what came after 0 is gone");
        assertEquals(
                List.of(Entry.Kind.ERASED),
                attached.missed().stream().map(push -> push.entry().kind()).toList());
        // It is done once; a message that reopens it is told from the next seq on.
        conversation.tell(new WakeUp(now));
        assertStatusStays(Status.CLOSED);
        assertTrue(erasures.isEmpty());
        assertEquals(5, carolPosts("m2").seq());
    }

    @Test
    void shouldLetOnlyOperatorsErase() {
        carolPosts("m1");
        for (Principal other : List.of(CAROL, ALICE, Given.SAM, Given.BOT, Given.STRANGER)) {
            conversation.tell(new Erase(other, "e1", replies.ref()));
            assertEquals(
                    ErrorCode.FORBIDDEN,
                    replies.expectMessageClass(Refused.class).refusal().code());
        }
        assertTrue(erasures.isEmpty());
    }

    /** No test here asks the journal about old requests. */
    private static final class NoLog implements EntryLog {
        @Override
        public CompletionStage<Page> readUpwards(
                String conv, Entry.Visibility reader, long since, long before, int limit) {
            return CompletableFuture.failedFuture(new AssertionError("not asked"));
        }

        @Override
        public CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit) {
            return CompletableFuture.failedFuture(new AssertionError("not asked"));
        }

        @Override
        public CompletionStage<Long> lastSeq(String conv, Entry.Visibility reader) {
            return CompletableFuture.failedFuture(new AssertionError("not asked"));
        }

        @Override
        public CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId) {
            return CompletableFuture.failedFuture(new AssertionError("not asked"));
        }
    }
}
