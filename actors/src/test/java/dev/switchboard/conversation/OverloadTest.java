package dev.switchboard.conversation;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.ConversationCommand.Ack;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.Stop;
import dev.switchboard.conversation.ConversationReply.Described;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.conversation.WriteAdmission.Reason;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.EmptyStorage;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.Desk;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.DeskSettings;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.persistence.testkit.JournalOperation;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.ProcessingPolicy;
import org.apache.pekko.persistence.testkit.ProcessingResult;
import org.apache.pekko.persistence.testkit.ProcessingSuccess;
import org.apache.pekko.persistence.testkit.WriteEvents;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What conversations do when as many write as may, and when too much waits for one; over a journal that can be held. */
class OverloadTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.parseString("""
                    pekko.persistence.testkit { events.serialize = off, snapshots.serialize = off }
                    pekko.persistence.journal-plugin-fallback.circuit-breaker.call-timeout = 1000h
                    pekko.actor.testkit.typed.single-expect-default = 40s
                    switchboard.writes { at-once = 2, head-room = 1, waiting-for-one = 20, retry-after = 500ms }
                    """)
            .withFallback(PersistenceTestKitPlugin.getInstance().config())
            .withFallback(ConfigFactory.load()));
    private final PersistenceTestKit journal = PersistenceTestKit.create(kit.system());
    private final WriteAdmission admission = WriteAdmission.of(kit.system());
    private final TestProbe<ConversationReply> replies = kit.createTestProbe();
    private final Map<ActorRef<ConversationCommand>, Principal> customers = new HashMap<>();
    private CountDownLatch held = new CountDownLatch(0);

    /** Thrown by a desk's stand-in: a mistake in the middle of what follows a write. */
    private volatile RuntimeException mistake;

    @AfterEach
    void stop() {
        held.countDown();
        kit.shutdownTestKit();
    }

    private Peers nobody() {
        return new Peers() {
            @Override
            public void conversation(String id, ConversationCommand command) {
                // Nobody is there.
            }

            @Override
            public void desk(String agent, DeskCommand command) {
                // Nobody is there.
            }

            @Override
            public void line(String queue, LineCommand command) {
                if (mistake != null) {
                    throw mistake;
                }
            }
        };
    }

    private ActorRef<ConversationCommand> start(String conv) {
        TestProbe<ClusterSharding.ShardCommand> shard = kit.createTestProbe();
        ActorRef<ConversationCommand> started = kit.spawn(Conversation.create(
                conv,
                shard.ref(),
                nobody(),
                Given.queues(WhenClosed.REOPEN),
                new EmptyStorage(),
                null,
                Given.settings(InstantSource.system()),
                new DeliveryFigures()));
        customers.put(started, Principal.of(Role.CUSTOMER, conv.substring("c-".length())));
        return started;
    }

    /** Writes stay without an answer until {@link #release}. */
    private void hold() {
        CountDownLatch until = new CountDownLatch(1);
        held = until;
        journal.withPolicy(new ProcessingPolicy<JournalOperation>() {
            @Override
            public ProcessingResult tryProcess(String persistenceId, JournalOperation operation) {
                if (operation instanceof WriteEvents) {
                    try {
                        assertTrue(until.await(120, TimeUnit.SECONDS));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return ProcessingSuccess.getInstance();
            }
        });
    }

    private void release() {
        held.countDown();
    }

    private void post(ActorRef<ConversationCommand> to, String id) {
        Principal by = customers.get(to);
        to.tell(new Post(by, by.person(), "default", id, Body.text(id), null, false, 0, true, replies.ref()));
    }

    private void ready(ActorRef<ConversationCommand> conversation) {
        conversation.tell(new Describe(customers.get(conversation), replies.ref()));
        replies.receiveMessage();
    }

    private void opened(ActorRef<ConversationCommand> conversation) {
        post(conversation, "m1");
        replies.expectMessageClass(Done.class);
    }

    private void noneHeld() {
        await().atMost(LONG).until(() -> admission.held() == 0);
    }

    @Test
    void shouldRefuseRequestsAndLetStepsThroughWhenAsManyWriteAsMay() {
        ActorRef<ConversationCommand> a = start("c-a");
        ActorRef<ConversationCommand> b = start("c-b");
        ActorRef<ConversationCommand> c = start("c-c");
        ActorRef<ConversationCommand> d = start("c-d");
        opened(c);
        opened(d);
        ready(a);
        ready(b);
        hold();
        post(a, "m1");
        post(b, "m1");
        await().atMost(LONG).until(() -> admission.held() == 2);

        post(c, "m2");
        Refusal refusal = replies.expectMessageClass(Refused.class).refusal();
        assertEquals(ErrorCode.OVERLOAD, refusal.code());
        assertTrue(refusal.retryAfter().toMillis() >= 500);
        assertEquals(1, admission.refused(Reason.WRITES_AT_ONCE));

        c.tell(offer("c-c"));
        await().atMost(LONG).until(() -> admission.held() == 3);
        d.tell(offer("c-d"));
        await().atMost(LONG).until(() -> admission.stepsPutOff() > 1);
        assertEquals(3, admission.held());

        release();
        replies.expectMessageClass(Done.class);
        replies.expectMessageClass(Done.class);
        for (ActorRef<ConversationCommand> offered : List.of(c, d)) {
            await().atMost(LONG).until(() -> status(offered) == Status.OFFERED);
        }
        post(c, "m2");
        assertEquals(2, replies.expectMessageClass(Done.class).seq(), "nothing was written when it was refused");
        noneHeld();
        assertEquals(3, admission.mostHeld());
    }

    private static OfferSlot offer(String conv) {
        String offer = new OfferId(conv, 1, "alice", 1).toString();
        return new OfferSlot("alice", offer, 1, "default", false, Instant.now().plusSeconds(600), Given.WHY, null);
    }

    private Status status(ActorRef<ConversationCommand> conversation) {
        TestProbe<ConversationReply> probe = kit.createTestProbe();
        conversation.tell(new Describe(customers.get(conversation), probe.ref()));
        return assertInstanceOf(Described.class, probe.receiveMessage()).view().status();
    }

    @Test
    void shouldAnswerEveryRequestWhenTooManyWaitForOneConversation() {
        ActorRef<ConversationCommand> hot = start("c-hot");
        opened(hot);
        hold();
        post(hot, "m2");
        await().atMost(LONG).until(() -> admission.held() == 1);
        int posts = 6_000;
        for (int i = 0; i < posts; i++) {
            post(hot, "more-" + i);
            if (i % 10 == 0) {
                hot.tell(new Ack(customers.get(hot), 1, true, kit.system().<ConversationReply>ignoreRef()));
            }
        }
        await().atMost(LONG).until(() -> admission.refused(Reason.WAITING_FOR_ONE) >= posts - 20);
        release();
        int done = 0;
        for (int answers = 0; answers < posts + 1; answers++) {
            ConversationReply reply = replies.receiveMessage();
            if (reply instanceof Done) {
                done++;
            } else {
                assertEquals(
                        ErrorCode.OVERLOAD,
                        assertInstanceOf(Refused.class, reply).refusal().code());
            }
        }
        assertTrue(done >= 2, "those that waited were written");
        // The acks in between were put off, not lost: the customer has read what it said.
        await().atMost(LONG).until(() -> read(hot) == 1);
        noneHeld();
    }

    private long read(ActorRef<ConversationCommand> conversation) {
        TestProbe<ConversationReply> probe = kit.createTestProbe();
        conversation.tell(new Describe(customers.get(conversation), probe.ref()));
        ConversationReply reply = probe.receiveMessage();
        return reply instanceof Described described
                ? described.view().watermark().read()
                : -1;
    }

    @Test
    void shouldGiveThePermitBackWhenTheJournalFailsOrRejects() {
        ActorRef<ConversationCommand> a = start("c-a");
        opened(a);
        journal.failNextPersisted("conversation|c-a");
        post(a, "m2");
        assertEquals(
                ErrorCode.JOURNAL_UNAVAILABLE,
                replies.expectMessageClass(Refused.class).refusal().code());
        noneHeld();
        post(a, "m2");
        assertEquals(2, replies.expectMessageClass(Done.class).seq(), "it is back");
        journal.rejectNextPersisted("conversation|c-a");
        post(a, "m3");
        assertEquals(
                ErrorCode.JOURNAL_UNAVAILABLE,
                replies.expectMessageClass(Refused.class).refusal().code());
        noneHeld();
    }

    @Test
    void shouldGiveThePermitBackWhenTheActorFailsInTheMiddleOrStops() {
        ActorRef<ConversationCommand> a = start("c-a");
        TestProbe<Object> watcher = kit.createTestProbe();
        ready(a);
        mistake = new IllegalStateException("a mistake");
        post(a, "m1");
        replies.expectMessageClass(Done.class);
        watcher.expectTerminated(a, LONG);
        noneHeld();

        mistake = null;
        ActorRef<ConversationCommand> b = start("c-b");
        opened(b);
        hold();
        post(b, "m2");
        await().atMost(LONG).until(() -> admission.held() == 1);
        b.tell(new Stop());
        release();
        watcher.expectTerminated(b, LONG);
        noneHeld();
    }

    @Test
    void shouldLetADeskWaitForRoomAndGiveItsPermitBack() {
        ActorRef<ConversationCommand> a = start("c-a");
        ActorRef<ConversationCommand> b = start("c-b");
        ActorRef<ConversationCommand> c = start("c-c");
        opened(c);
        ready(a);
        ready(b);
        ActorRef<DeskCommand> desk = kit.spawn(Desk.create(
                "alice",
                nobody(),
                Given.queues(WhenClosed.REOPEN),
                DeskSettings.of(kit.system().settings().config().getConfig("switchboard.desk")),
                null));
        TestProbe<DeskReply> answers = kit.createTestProbe();
        desk.tell(new DeskCommand.Show(answers.ref()));
        answers.receiveMessage();
        hold();
        post(a, "m1");
        post(b, "m1");
        await().atMost(LONG).until(() -> admission.held() == 2);
        c.tell(offer("c-c"));
        await().atMost(LONG).until(() -> admission.held() == 3);

        desk.tell(new DeskCommand.ChooseAvailability(Availability.AVAILABLE, answers.ref()));
        await().atMost(LONG).until(() -> admission.stepsPutOff() > 1);
        assertEquals(3, admission.held());
        release();
        assertEquals(
                Availability.AVAILABLE,
                answers.expectMessageClass(DeskReply.Shown.class).view().availability());
        noneHeld();

        journal.resetPolicy();
        journal.failNextPersisted("desk|alice");
        desk.tell(new DeskCommand.ChooseAvailability(Availability.AWAY, answers.ref()));
        await().atMost(LONG).untilAsserted(() -> {
            desk.tell(new DeskCommand.ChooseAvailability(Availability.AWAY, answers.ref()));
            assertEquals(
                    Availability.AWAY,
                    answers.expectMessageClass(DeskReply.Shown.class).view().availability());
        });
        noneHeld();
    }

    @Test
    void shouldAnswerEveryRequestWhenTooManyWaitForOneDesk() {
        ActorRef<DeskCommand> desk = kit.spawn(Desk.create(
                "alice",
                nobody(),
                Given.queues(WhenClosed.REOPEN),
                DeskSettings.of(kit.system().settings().config().getConfig("switchboard.desk")),
                null));
        TestProbe<DeskReply> answers = kit.createTestProbe();
        desk.tell(new DeskCommand.Show(answers.ref()));
        answers.receiveMessage();
        hold();
        desk.tell(new DeskCommand.ChooseAvailability(Availability.AVAILABLE, answers.ref()));
        await().atMost(LONG).until(() -> admission.held() == 1);
        int asked = 6_000;
        for (int i = 0; i < asked; i++) {
            desk.tell(new DeskCommand.Show(answers.ref()));
        }
        await().atMost(LONG).until(() -> admission.refused(Reason.WAITING_FOR_ONE) >= asked - 20);
        release();
        int shown = 0;
        for (int i = 0; i < asked + 1; i++) {
            shown += answers.receiveMessage() instanceof DeskReply.Shown ? 1 : 0;
        }
        assertTrue(shown > 1 && shown <= 21, shown + " waited and were answered");
    }

    /** Beyond these Pekko drops commands without a word. */
    @Test
    void shouldLetNoMoreWaitThanPekkoKeeps() {
        Config defaults = ConfigFactory.load();
        int most = 600 + 600 / 2; // the upper bound of waiting-for-one, and what steps have beyond it
        assertTrue(most < defaults.getInt("pekko.persistence.typed.stash-capacity"));
        assertTrue(most < defaults.getInt("pekko.actor.typed.restart-stash-capacity"));
        assertTrue(defaults.getInt("switchboard.writes.waiting-for-one") <= 600);
    }
}
