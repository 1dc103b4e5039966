package dev.switchboard.desk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.DeskAcked;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.OwnerGone;
import dev.switchboard.conversation.ConversationCommand.Requested;
import dev.switchboard.conversation.ConversationCommand.SlotQuery;
import dev.switchboard.conversation.ConversationCommand.SlotRefused;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand.Announced;
import dev.switchboard.desk.DeskCommand.AttachTerminal;
import dev.switchboard.desk.DeskCommand.ChooseAvailability;
import dev.switchboard.desk.DeskCommand.Confirm;
import dev.switchboard.desk.DeskCommand.OfferOpen;
import dev.switchboard.desk.DeskCommand.Release;
import dev.switchboard.desk.DeskCommand.Reserve;
import dev.switchboard.desk.DeskCommand.ReserveFor;
import dev.switchboard.desk.DeskCommand.SetProfile;
import dev.switchboard.desk.DeskCommand.Show;
import dev.switchboard.desk.DeskCommand.WakeUp;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineCommand.DeskClosed;
import dev.switchboard.routing.LineCommand.DeskOpen;
import dev.switchboard.routing.LineCommand.Leave;
import dev.switchboard.routing.LineCommand.NotReserved;
import dev.switchboard.routing.LineCommand.Reserved;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.FishingOutcomes;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.PersistenceTestKitSnapshotPlugin;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.apache.pekko.persistence.testkit.javadsl.SnapshotTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The desk's two tables, cell by cell, over a journal in memory and with a clock that the test moves. */
class DeskTest {
    private static final Duration QUIET = Duration.ofMillis(80);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String CONV = "c-carol";
    private static final Instant T0 = Instant.parse("2026-01-05T09:00:00Z");
    private static final RoutingDecision WHY = new RoutingDecision(T0, "ann", "longest-idle", "Idle.", List.of());
    private static final Principal ANN = Principal.of(Role.AGENT, "ann");
    private static final Principal SAM = Principal.of(Role.SUPERVISOR, "sam");
    private static final TerminalPush.Preview PREVIEW =
            new TerminalPush.Preview("carol", "default", "hello", T0, Map.of());

    private static final ActorTestKit KIT = ActorTestKit.create(ManualTime.config()
            .withFallback(ConfigFactory.parseString(
                    "pekko.persistence.testkit { events.serialize = off, snapshots.serialize = off }"))
            .withFallback(PersistenceTestKitPlugin.getInstance().config())
            .withFallback(PersistenceTestKitSnapshotPlugin.config())
            .withFallback(ConfigFactory.load()));
    private static final ManualTime TIME = ManualTime.get(KIT.system());

    private final PersistenceTestKit journal = PersistenceTestKit.create(KIT.system());
    private final TestProbe<ConversationCommand> conversations = KIT.createTestProbe();
    private final TestProbe<LineCommand> lines = KIT.createTestProbe();
    private final TestProbe<ClusterSharding.ShardCommand> shard = KIT.createTestProbe();
    private final TestProbe<DeskReply> replies = KIT.createTestProbe();
    private Instant now = T0;
    private ActorRef<DeskCommand> desk;
    private TestProbe<TerminalPush> terminal;

    @BeforeEach
    void begin() {
        journal.clearAll();
        SnapshotTestKit.create(KIT.system()).clearAll();
        desk = start();
    }

    @AfterEach
    void stopDesk() {
        KIT.stop(desk);
        conversations.stop();
        lines.stop();
        shard.stop();
        replies.stop();
    }

    @AfterAll
    static void stop() {
        KIT.shutdownTestKit();
    }

    private static final DeskSettings SETTINGS = new DeskSettings(
            3,
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60),
            Duration.ofMinutes(2),
            50,
            () -> Instant.EPOCH);

    private ActorRef<DeskCommand> start() {
        Peers peers = new Peers() {
            @Override
            public void conversation(String conv, ConversationCommand command) {
                conversations.ref().tell(command);
            }

            @Override
            public void desk(String agent, DeskCommand command) {
                throw new AssertionError("a desk has nothing to say to another one");
            }

            @Override
            public void line(String queue, LineCommand command) {
                lines.ref().tell(command);
            }
        };
        DeskSettings settings = new DeskSettings(
                SETTINGS.defaultCapacity(),
                SETTINGS.attachTime(),
                SETTINGS.answerMargin(),
                SETTINGS.repeatMin(),
                SETTINGS.repeatMax(),
                SETTINGS.announceEvery(),
                SETTINGS.wakeEvery(),
                SETTINGS.passivateAfter(),
                SETTINGS.snapshotEvery(),
                () -> now);
        return KIT.spawn(Desk.create("ann", peers, queues(), settings, shard.ref()));
    }

    private static QueueCatalog queues() {
        QueueSettings settings = new QueueSettings(
                "default",
                "longest-idle",
                false,
                1,
                Duration.ofSeconds(20),
                1000,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(30),
                Duration.ZERO,
                Duration.ZERO,
                QueueSettings.WhenClosed.REOPEN);
        return new QueueCatalog() {
            @Override
            public Optional<QueueSettings> find(String queue) {
                return queue.equals("default") ? Optional.of(settings) : Optional.empty();
            }

            @Override
            public Collection<QueueSettings> all() {
                return List.of(settings);
            }
        };
    }

    // ---- what the tests do ----

    private void restart() {
        KIT.stop(desk);
        desk = start();
        view();
    }

    private void pass(Duration duration) {
        // In steps, as time passes: a timer that is armed by a timer is not missed. Each step costs the test 0.1 s.
        Duration longest = Duration.ofSeconds(Math.max(1, Math.min(10, duration.toSeconds() / 15)));
        for (Duration left = duration; !left.isZero(); ) {
            Duration step = left.compareTo(longest) > 0 ? longest : left;
            now = now.plus(step);
            TIME.timePasses(step);
            view();
            left = left.minus(step);
        }
    }

    private DeskView view() {
        desk.tell(new Show(replies.ref()));
        return replies.expectMessageClass(DeskReply.Shown.class, SOON).view();
    }

    private TestProbe<TerminalPush> attach(String name) {
        TestProbe<TerminalPush> probe = KIT.createTestProbe();
        desk.tell(new AttachTerminal(ANN, name, probe.ref()));
        probe.expectMessageClass(TerminalPush.DeskAttached.class, SOON);
        return probe;
    }

    private void choose(Availability availability) {
        desk.tell(new ChooseAvailability(availability, replies.ref()));
        replies.expectMessageClass(DeskReply.Shown.class, SOON);
    }

    private void ready() {
        terminal = attach("t1");
        choose(Availability.AVAILABLE);
        nextLine(DeskOpen.class);
    }

    private void reserve(String conv, long epoch) {
        desk.tell(new Reserve(conv, epoch, "default", false, Duration.ofSeconds(20), false, WHY));
    }

    private OfferSlot reserved(String conv, long epoch) {
        reserve(conv, epoch);
        nextLine(Reserved.class);
        return nextConversation(OfferSlot.class);
    }

    private OfferSlot owned(String conv) {
        OfferSlot slot = reserved(conv, 1);
        desk.tell(new Confirm(conv, slot.offer(), 2, "default"));
        nextConversation(DeskAcked.class);
        return slot;
    }

    private <T> T nextLine(Class<T> kind) {
        return next(lines, kind);
    }

    private <T> T nextConversation(Class<T> kind) {
        return next(conversations, kind);
    }

    private <T> T nextPush(Class<T> kind) {
        return next(terminal, kind);
    }

    private static <M, T> T next(TestProbe<M> probe, Class<T> kind) {
        return kind.cast(probe.fishForMessage(
                        SOON,
                        message -> kind.isInstance(message)
                                ? FishingOutcomes.complete()
                                : FishingOutcomes.continueAndIgnore())
                .get(0));
    }

    /** Nothing of that kind comes; what else came is forgotten. */
    private <M> void none(TestProbe<M> probe, Class<?> kind) {
        view();
        List<M> all = new java.util.ArrayList<>();
        try {
            while (true) {
                all.add(probe.receiveMessage(QUIET));
            }
        } catch (AssertionError quiet) {
            assertTrue(all.stream().noneMatch(kind::isInstance), all.toString());
        }
    }

    private DeskState stored() {
        DeskState state = DeskState.EMPTY;
        for (Object event : journal.persistedInStorage(EntityKind.DESK.persistenceId("ann"))) {
            state = state.apply((DeskEvent) event);
        }
        return state;
    }

    // ---- the table of slots ----

    @Nested
    class WhenFree {
        @Test
        void shouldReserveIfThereIsRoom() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            assertEquals("c-carol!1!ann!1", slot.offer());
            assertEquals("default", slot.queue());
            assertFalse(slot.auto());
            assertEquals(T0.plusSeconds(20), slot.deadline());
            assertFalse(view().slots().get(0).confirmed());
        }

        @Test
        void shouldRefuseWithTheReasonWhenItCannot() {
            reserve(CONV, 1);
            assertEquals("offline", nextLine(NotReserved.class).reason());
            choose(Availability.AVAILABLE);
            reserve(CONV, 1);
            assertEquals("unreachable", nextLine(NotReserved.class).reason());
            terminal = attach("t1");
            desk.tell(new Reserve(CONV, 1, "other", false, Duration.ofSeconds(20), false, WHY));
            assertEquals("not-serving", nextLine(NotReserved.class).reason());
            choose(Availability.AWAY);
            reserve(CONV, 1);
            assertEquals("away", nextLine(NotReserved.class).reason());
            assertTrue(view().slots().isEmpty());
        }

        @Test
        void shouldNeverHoldMoreThanItsCapacity() {
            ready();
            for (int i = 0; i < 3; i++) {
                reserved("c-" + i, 1);
            }
            reserve("c-3", 1);
            assertEquals("full", nextLine(NotReserved.class).reason());
            assertEquals(3, view().slots().size());
        }

        @Test
        void shouldServeAnotherQueueWhenAPersonNamedTheAgent() {
            ready();
            desk.tell(new Reserve(CONV, 1, "other", false, Duration.ofSeconds(20), true, WHY));
            nextLine(Reserved.class);
        }

        @Test
        void shouldConfirmEvenWithoutAReservation() {
            ready();
            desk.tell(new Confirm(CONV, null, 2, "default"));
            assertEquals(2, nextConversation(DeskAcked.class).epoch());
            assertEquals(CONV, nextPush(TerminalPush.TakeUp.class).conv());
            assertTrue(view().slots().get(0).confirmed());
        }

        @Test
        void shouldIgnoreButAcknowledgeAConfirmationAsOldAsTheRelease() {
            ready();
            desk.tell(new Release(CONV, null, 3, "released"));
            assertEquals(3, nextConversation(DeskAcked.class).epoch());
            desk.tell(new Confirm(CONV, null, 3, "default"));
            assertEquals(3, nextConversation(DeskAcked.class).epoch());
            assertTrue(view().slots().isEmpty());
            desk.tell(new Confirm(CONV, null, 4, "default"));
            nextConversation(DeskAcked.class);
            assertEquals(1, view().slots().size());
        }

        @Test
        void shouldTellTheLineToForgetWhatIsOlderThanTheRelease() {
            ready();
            desk.tell(new Release(CONV, null, 3, "released"));
            nextConversation(DeskAcked.class);
            reserve(CONV, 2);
            assertEquals(2, nextLine(Leave.class).epoch());
            assertTrue(view().slots().isEmpty());
        }
    }

    @Nested
    class WhenReserved {
        @Test
        void shouldAnswerARepeatTheSameWithoutAnotherSlot() {
            ready();
            reserved(CONV, 1);
            reserve(CONV, 1);
            nextLine(Reserved.class);
            assertEquals(1, view().slots().size());
        }

        @Test
        void shouldReserveAnewForANewerEpoch() {
            ready();
            reserved(CONV, 1);
            OfferSlot second = reserved(CONV, 3);
            assertEquals("c-carol!3!ann!2", second.offer());
            assertEquals(1, view().slots().size());
            assertEquals("withdrawn", nextPush(TerminalPush.OfferOver.class).reason());
        }

        @Test
        void shouldTellTheLineToForgetAnOlderEpoch() {
            ready();
            reserved(CONV, 3);
            reserve(CONV, 1);
            assertEquals(1, nextLine(Leave.class).epoch());
            assertEquals(3, view().slots().get(0).epoch());
        }

        @Test
        void shouldConfirmAndTellTheTerminals() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            desk.tell(new Confirm(CONV, slot.offer(), 2, "default"));
            assertEquals("accepted", nextPush(TerminalPush.OfferOver.class).reason());
            assertEquals(CONV, nextPush(TerminalPush.TakeUp.class).conv());
            Slot held = view().slots().get(0);
            assertTrue(held.confirmed());
            assertEquals(2, held.epoch());
        }

        @Test
        void shouldFreeWhenItsOfferEnds() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            desk.tell(new Release(CONV, slot.offer(), 1, "released"));
            assertEquals(1, nextConversation(DeskAcked.class).epoch());
            assertEquals("declined", nextLine(NotReserved.class).reason());
            assertTrue(view().slots().isEmpty());
        }

        @Test
        void shouldFreeWhenItsEpochHasPassedAndTellTheLine() {
            ready();
            reserved(CONV, 1);
            desk.tell(new Release(CONV, null, 2, "released"));
            nextConversation(DeskAcked.class);
            assertEquals("taken", nextPush(TerminalPush.OfferOver.class).reason());
            assertEquals(1, nextLine(Leave.class).epoch());
        }

        @Test
        void shouldKeepTheSlotWhenAnotherOfferOrOwnershipEnds() {
            ready();
            reserved(CONV, 3);
            desk.tell(new Release(CONV, null, 3, "released"));
            nextConversation(DeskAcked.class);
            desk.tell(new Release(CONV, "c-carol!1!ann!0", 1, "released"));
            nextConversation(DeskAcked.class);
            assertEquals(1, view().slots().size());
        }

        @Test
        void shouldNotFreeByTimeAlone() {
            ready();
            reserved(CONV, 1);
            pass(Duration.ofMinutes(5));
            assertEquals(1, view().slots().size());
        }
    }

    @Nested
    class WhenConfirmed {
        @Test
        void shouldNotReserveForAnOlderEpoch() {
            ready();
            owned(CONV);
            reserve(CONV, 1);
            assertEquals("stale", nextLine(NotReserved.class).reason());
            assertEquals(1, nextLine(Leave.class).epoch());
        }

        @Test
        void shouldReserveAnewForANewerEpoch() {
            ready();
            owned(CONV);
            assertEquals("c-carol!3!ann!2", reserved(CONV, 3).offer());
            assertFalse(view().slots().get(0).confirmed());
        }

        @Test
        void shouldTakeANewerConfirmationAndIgnoreAnOlderOne() {
            ready();
            owned(CONV);
            desk.tell(new Confirm(CONV, null, 4, "default"));
            nextConversation(DeskAcked.class);
            assertEquals(4, view().slots().get(0).epoch());
            desk.tell(new Confirm(CONV, null, 2, "default"));
            nextConversation(DeskAcked.class);
            assertEquals(4, view().slots().get(0).epoch());
        }

        @Test
        void shouldFreeByItsOwnOrANewerEpochOnly() {
            ready();
            owned(CONV);
            desk.tell(new Release(CONV, null, 1, "released"));
            nextConversation(DeskAcked.class);
            assertEquals(1, view().slots().size());
            desk.tell(new Release(CONV, null, 3, "closed"));
            nextConversation(DeskAcked.class);
            assertTrue(view().slots().isEmpty());
            assertEquals("closed", nextPush(TerminalPush.LetGo.class).reason());
        }

        @Test
        void shouldAnswerARepeatedReleaseWithoutWritingItAgain() {
            ready();
            owned(CONV);
            desk.tell(new Release(CONV, null, 3, "closed"));
            nextConversation(DeskAcked.class);
            int events = journal.persistedInStorage(EntityKind.DESK.persistenceId("ann"))
                    .size();
            desk.tell(new Release(CONV, null, 3, "closed"));
            nextConversation(DeskAcked.class);
            assertEquals(
                    events,
                    journal.persistedInStorage(EntityKind.DESK.persistenceId("ann"))
                            .size());
        }
    }

    // ---- what is owed to conversations ----

    @Nested
    class Steps {
        @Test
        void shouldRepeatTheOfferUntilTheConversationHasIt() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            pass(Duration.ofSeconds(1));
            assertEquals(slot.offer(), nextConversation(OfferSlot.class).offer());
            desk.tell(new OfferOpen(CONV, slot.offer(), now.plusSeconds(15), PREVIEW));
            assertEquals(slot.offer(), nextPush(TerminalPush.OfferMade.class).offer());
            none(conversations, OfferSlot.class);
            pass(Duration.ofSeconds(10));
            none(conversations, ConversationCommand.class);
        }

        @Test
        void shouldShowAnOfferOnceAndAgainToATerminalThatComesLater() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            OfferOpen open = new OfferOpen(CONV, slot.offer(), now.plusSeconds(15), PREVIEW);
            desk.tell(open);
            desk.tell(open);
            nextPush(TerminalPush.OfferMade.class);
            none(terminal, TerminalPush.OfferMade.class);
            TestProbe<TerminalPush> second = attach("t2");
            next(second, TerminalPush.OfferMade.class);
            none(terminal, TerminalPush.OfferMade.class);
        }

        @Test
        void shouldAskWhatBecameOfAnOfferAfterItsTimeAndAgainUntilAnswered() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            desk.tell(new OfferOpen(CONV, slot.offer(), slot.deadline(), PREVIEW));
            pass(Duration.ofSeconds(22));
            none(conversations, SlotQuery.class);
            pass(Duration.ofSeconds(1));
            assertFalse(nextConversation(SlotQuery.class).withdraw());
            pass(Duration.ofSeconds(1));
            nextConversation(SlotQuery.class);
            desk.tell(new Release(CONV, slot.offer(), 1, "released"));
            nextConversation(DeskAcked.class);
            assertEquals("timeout", nextPush(TerminalPush.OfferOver.class).reason());
            pass(Duration.ofSeconds(30));
            none(conversations, ConversationCommand.class);
        }

        @Test
        void shouldWithdrawAnOfferWhenItsAgentCannotTakeItAnyMore() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            desk.tell(new OfferOpen(CONV, slot.offer(), slot.deadline(), PREVIEW));
            choose(Availability.AWAY);
            assertTrue(nextConversation(SlotQuery.class).withdraw());
            desk.tell(new Release(CONV, slot.offer(), 1, "released"));
            assertEquals("withdrawn", nextPush(TerminalPush.OfferOver.class).reason());
        }

        @Test
        void shouldWithdrawAnOfferWhenTheLastTerminalEnds() {
            ready();
            reserved(CONV, 1);
            terminal.stop();
            assertTrue(nextConversation(SlotQuery.class).withdraw());
            assertEquals(1, view().slots().size());
        }

        @Test
        void shouldOfferAgainAfterACrash() {
            ready();
            OfferSlot slot = reserved(CONV, 1);
            restart();
            OfferSlot again = nextConversation(OfferSlot.class);
            assertEquals(slot, again);
        }
    }

    // ---- a person's assign ----

    @Nested
    class AskedByAPerson {
        private final TestProbe<dev.switchboard.conversation.ConversationReply> asker = KIT.createTestProbe();

        private void ask(Principal by) {
            desk.tell(new ReserveFor(CONV, 1, "other", WHY, new Requested(by, "id1", asker.ref())));
        }

        @Test
        void shouldOfferASlotToBeTakenAtOnce() {
            ready();
            ask(SAM);
            OfferSlot slot = nextConversation(OfferSlot.class);
            assertTrue(slot.auto());
            assertEquals("id1", slot.request().clientMsgId());
        }

        @Test
        void shouldUseTheSlotThatIsReservedAlready() {
            ready();
            OfferSlot first = reserved(CONV, 1);
            ask(SAM);
            OfferSlot slot = nextConversation(OfferSlot.class);
            assertEquals(first.offer(), slot.offer());
            assertTrue(slot.auto());
        }

        @Test
        void shouldRefuseForAnotherWhoIsNotAvailableButNotForOneself() {
            terminal = attach("t1");
            ask(SAM);
            assertEquals(
                    ErrorCode.AGENT_UNAVAILABLE,
                    nextConversation(SlotRefused.class).refusal().code());
            ask(ANN);
            nextConversation(OfferSlot.class);
            none(conversations, SlotQuery.class);
        }

        @Test
        void shouldRefuseWhenThereIsNoRoom() {
            ready();
            for (int i = 0; i < 3; i++) {
                reserved("c-" + i, 1);
            }
            ask(ANN);
            assertEquals(
                    ErrorCode.AGENT_FULL,
                    nextConversation(SlotRefused.class).refusal().code());
        }
    }

    // ---- the table of reachability ----

    @Nested
    class Reach {
        @Test
        void shouldKeepConversationsWhileUnreachableWithinTheGrace() {
            ready();
            owned(CONV);
            terminal.stop();
            nextLine(DeskClosed.class);
            pass(Duration.ofSeconds(29));
            none(conversations, OwnerGone.class);
            terminal = attach("t1");
            pass(Duration.ofSeconds(60));
            none(conversations, OwnerGone.class);
        }

        @Test
        void shouldReturnConversationsAfterTheGraceUntilReleased() {
            ready();
            owned(CONV);
            terminal.stop();
            nextLine(DeskClosed.class);
            pass(Duration.ofSeconds(30));
            OwnerGone gone = nextConversation(OwnerGone.class);
            assertEquals(2, gone.epoch());
            assertEquals("unreachable", gone.reason());
            assertTrue(stored().ownersGone());
            pass(Duration.ofSeconds(1));
            nextConversation(OwnerGone.class);
            desk.tell(new Release(CONV, null, 3, "released"));
            nextConversation(DeskAcked.class);
            pass(Duration.ofSeconds(30));
            none(conversations, OwnerGone.class);
            assertFalse(stored().ownersGone());
        }

        @Test
        void shouldGiveTimeToAttachAfterARestartBeforeTheGraceBegins() {
            ready();
            owned(CONV);
            restart();
            pass(Duration.ofSeconds(39));
            none(conversations, OwnerGone.class);
            pass(Duration.ofSeconds(1));
            nextConversation(OwnerGone.class);
        }

        @Test
        void shouldGoOnReturningAfterACrash() {
            ready();
            owned(CONV);
            terminal.stop();
            nextLine(DeskClosed.class);
            pass(Duration.ofSeconds(30));
            nextConversation(OwnerGone.class);
            restart();
            nextConversation(OwnerGone.class);
        }

        @Test
        void shouldKeepConversationsWhenTheAgentIsBackBeforeTheyWereReturned() {
            ready();
            owned(CONV);
            terminal.stop();
            nextLine(DeskClosed.class);
            pass(Duration.ofSeconds(30));
            nextConversation(OwnerGone.class);
            terminal = attach("t1");
            assertFalse(stored().ownersGone());
            pass(Duration.ofSeconds(60));
            none(conversations, OwnerGone.class);
        }

        @Test
        void shouldKeepConversationsWhenAwayAndReturnThemAtOnceWhenOffline() {
            ready();
            owned(CONV);
            choose(Availability.AWAY);
            none(conversations, OwnerGone.class);
            choose(Availability.OFFLINE);
            assertEquals("offline", nextConversation(OwnerGone.class).reason());
        }

        @Test
        void shouldNotReturnWhatAnOfflineAgentTookItself() {
            terminal = attach("t1");
            desk.tell(new Confirm(CONV, null, 2, "default"));
            nextConversation(DeskAcked.class);
            pass(Duration.ofSeconds(60));
            none(conversations, OwnerGone.class);
        }
    }

    // ---- terminals, lines, time ----

    @Nested
    class Around {
        @Test
        void shouldBecomeKnownByTheFirstHelloOnly() {
            assertFalse(stored().known());
            attach("t1");
            assertTrue(stored().known());
            attach("t2");
            assertEquals(
                    1,
                    journal.persistedInStorage(EntityKind.DESK.persistenceId("ann"))
                            .size());
        }

        @Test
        void shouldReplaceATerminalOfTheSameName() {
            TestProbe<TerminalPush> first = attach("t1");
            TestProbe<TerminalPush> second = attach("t1");
            next(first, TerminalPush.Replaced.class);
            first.stop();
            assertTrue(view().reachable());
            desk.tell(new Confirm(CONV, null, 2, "default"));
            next(second, TerminalPush.TakeUp.class);
        }

        @Test
        void shouldAnnounceEveryChangeAndAgainFromTimeToTime() {
            terminal = attach("t1");
            assertEquals("offline", nextLine(DeskClosed.class).reason());
            choose(Availability.AVAILABLE);
            assertEquals(3, nextLine(DeskOpen.class).free());
            reserve(CONV, 1);
            assertEquals(2, nextLine(DeskOpen.class).free());
            nextLine(Reserved.class);
            pass(Duration.ofSeconds(15));
            assertEquals(2, nextLine(DeskOpen.class).free());
            desk.tell(new SetProfile(new Profile(1, Set.of("german"), Set.of("default")), replies.ref()));
            assertEquals("full", nextLine(DeskClosed.class).reason());
        }

        @Test
        void shouldTellALineThatItServesItNoMore() {
            ready();
            desk.tell(new SetProfile(new Profile(5, Set.of(), Set.of("other")), replies.ref()));
            replies.expectMessageClass(DeskReply.Shown.class);
            LineCommand first = lines.receiveMessage(SOON);
            LineCommand second = lines.receiveMessage(SOON);
            List<LineCommand> both = List.of(first, second);
            assertTrue(both.contains(new DeskClosed("ann", "not-serving")), both.toString());
            assertTrue(both.stream().anyMatch(DeskOpen.class::isInstance), both.toString());
        }

        @Test
        void shouldAnnounceItselfAtOnceWhenALineEnds() {
            ready();
            TestProbe<LineCommand> line = KIT.createTestProbe();
            desk.tell(new Announced("default", line.ref()));
            view();
            none(lines, DeskOpen.class);
            line.stop();
            nextLine(DeskOpen.class);
        }

        @Test
        void shouldKeepADeadlineRowWhileItHoldsSlots() {
            ready();
            assertNull(stored().deadline());
            OfferSlot slot = reserved(CONV, 1);
            assertEquals(slot.deadline().plusSeconds(3), stored().deadline());
            desk.tell(new Confirm(CONV, slot.offer(), 2, "default"));
            nextConversation(DeskAcked.class);
            pass(Duration.ofSeconds(24));
            assertTrue(stored().deadline().isAfter(now.plusSeconds(50)));
            desk.tell(new Release(CONV, null, 3, "closed"));
            nextConversation(DeskAcked.class);
            assertNull(stored().deadline());
        }

        @Test
        void shouldClearARowThatItDoesNotNeed() {
            attach("t1");
            desk.tell(new WakeUp(now));
            view();
            List<Object> events = journal.persistedInStorage(EntityKind.DESK.persistenceId("ann"));
            DeskEvent last = assertInstanceOf(DeskEvent.DeadlineMoved.class, events.get(events.size() - 1));
            assertEquals(Instant.MAX, last.deadline());
        }

        @Test
        void shouldLeaveMemoryOnlyWhenNobodyNeedsIt() {
            terminal = attach("t1");
            pass(Duration.ofMinutes(3));
            shard.expectNoMessage(QUIET);
            terminal.stop();
            pass(Duration.ofSeconds(121));
            assertNotNull(shard.receiveMessage(SOON));
        }

        @Test
        void shouldStayInMemoryWhileItHoldsASlot() {
            ready();
            owned(CONV);
            terminal.stop();
            pass(Duration.ofMinutes(5));
            shard.expectNoMessage(QUIET);
        }

        @Test
        void shouldComeBackAsItWasFromASnapshot() {
            ready();
            for (int i = 1; i <= 60; i++) {
                desk.tell(new Confirm("c-" + i, null, 2, "default"));
                nextConversation(DeskAcked.class);
                desk.tell(new Release("c-" + i, null, 3, "closed"));
                nextConversation(DeskAcked.class);
            }
            owned(CONV);
            restart();
            DeskView view = view();
            assertEquals(Availability.AVAILABLE, view.availability());
            assertEquals(CONV, view.slots().get(0).conv());
            desk.tell(new Confirm("c-60", null, 3, "default"));
            nextConversation(DeskAcked.class);
            assertEquals(1, view().slots().size());
        }
    }
}
