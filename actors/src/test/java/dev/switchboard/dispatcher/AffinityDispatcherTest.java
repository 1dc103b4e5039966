package dev.switchboard.dispatcher;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.Props;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What actors and tasks may rely on, whatever the profile. */
class AffinityDispatcherTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Tells on which thread it runs, throws what it is told to, and counts the rest. */
    private static final class Probe extends AbstractActor {
        private final AtomicInteger count;
        private final Set<String> threads;

        Probe(AtomicInteger count, Set<String> threads) {
            this.count = count;
            this.threads = threads;
        }

        static Props props(AtomicInteger count, Set<String> threads) {
            return Props.create(Probe.class, () -> new Probe(count, threads));
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder()
                    .match(Exception.class, e -> {
                        throw e;
                    })
                    .matchEquals("interrupt", m -> Thread.currentThread().interrupt())
                    .matchAny(m -> {
                        threads.add(Thread.currentThread().getName());
                        count.incrementAndGet();
                    })
                    .build();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"low-latency", "balanced", "efficient", "custom"})
    void shouldRunEverySessionOnItsLaneAlone(String profile) {
        try (Switchyard yard = new Switchyard(
                "same-lane", "profile = " + profile + ", lanes-min = 3, lanes-max = 3, grow-at = 1000000")) {
            List<Set<String>> threadsOfSessions = new ArrayList<>();
            AtomicInteger count = new AtomicInteger();
            for (int i = 0; i < 50; i++) {
                Set<String> threads = ConcurrentHashMap.newKeySet();
                threadsOfSessions.add(threads);
                ActorRef session = yard.session("s" + i, Probe.props(count, threads));
                for (int m = 0; m < 100; m++) {
                    session.tell("hello", ActorRef.noSender());
                }
            }
            await().atMost(SOON).until(() -> count.get() == 5000);
            threadsOfSessions.forEach(threads -> assertEquals(1, threads.size()));
            assertEquals(
                    3,
                    threadsOfSessions.stream().flatMap(Set::stream).distinct().count());
            DispatcherView figures = yard.dispatcher.figures();
            assertEquals(
                    5000, figures.lanes().stream().mapToLong(LaneView::messages).sum());
            assertEquals(
                    0, figures.lanes().stream().mapToLong(LaneView::failures).sum());
        }
    }

    @Test
    void shouldKeepTheLaneOfASessionThatLeftAndCameBack() {
        try (Switchyard yard = new Switchyard("came-back", "lanes-min = 4, lanes-max = 4")) {
            for (int i = 0; i < 20; i++) {
                String id = "session-" + i;
                Set<String> threads = ConcurrentHashMap.newKeySet();
                AtomicInteger count = new AtomicInteger();
                for (int life = 1; life <= 2; life++) {
                    ActorRef session = yard.session(id, Probe.props(count, threads));
                    session.tell("hello", ActorRef.noSender());
                    session.tell(PoisonPill.getInstance(), ActorRef.noSender());
                    int expected = life;
                    await().atMost(SOON).until(() -> count.get() == expected && session.isTerminated());
                    await().atMost(SOON).until(() -> nameIsFree(yard, id));
                }
                assertEquals(1, threads.size());
            }
        }
    }

    private static boolean nameIsFree(Switchyard yard, String id) throws Exception {
        return yard.system
                .actorSelection("/user/" + id)
                .resolveOne(Duration.ofSeconds(1))
                .handle((found, missing) -> missing != null)
                .toCompletableFuture()
                .get(2, TimeUnit.SECONDS);
    }

    @Test
    void shouldGoOnAfterActorsThatThrowAndInterrupt() {
        try (Switchyard yard = new Switchyard("throws", "lanes-min = 1, lanes-max = 1")) {
            AtomicInteger count = new AtomicInteger();
            ActorRef session = yard.session("s", Probe.props(count, ConcurrentHashMap.newKeySet()));
            ActorRef other = yard.session("t", Probe.props(count, ConcurrentHashMap.newKeySet()));
            for (int i = 0; i < 100; i++) {
                session.tell(new IllegalStateException("as told"), ActorRef.noSender());
                session.tell(new InterruptedException("as told"), ActorRef.noSender());
                session.tell("interrupt", ActorRef.noSender());
                session.tell("hello", ActorRef.noSender());
                other.tell("hello", ActorRef.noSender());
            }
            await().atMost(SOON).until(() -> count.get() == 200);
            LaneView lane = yard.dispatcher.figures().lanes().get(0);
            assertTrue(lane.failures() > 0, "an interrupted actor throws out of its mailbox");
            assertEquals(1, lane.threads(), "the thread survives");
        }
    }

    @Test
    void shouldRunForeignMailboxesAndPlainTasks() throws Exception {
        try (Switchyard yard = new Switchyard("foreign", "lanes-min = 2, lanes-max = 2")) {
            AtomicInteger count = new AtomicInteger();
            Set<String> threads = ConcurrentHashMap.newKeySet();
            Props props = Probe.props(count, threads).withDispatcher("lanes");
            ActorRef standard = yard.system.actorOf(props, "standard");
            ActorRef bounded = yard.system.actorOf(props.withMailbox("bounded"), "bounded");
            for (int i = 0; i < 100; i++) {
                standard.tell("hello", ActorRef.noSender());
                bounded.tell("hello", ActorRef.noSender());
            }
            CountDownLatch tasks = new CountDownLatch(200);
            Set<String> nested = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 100; i++) {
                yard.dispatcher.execute(() -> {
                    String outer = Thread.currentThread().getName();
                    yard.dispatcher.execute(() -> {
                        nested.add(outer.equals(Thread.currentThread().getName()) ? "same" : "other");
                        tasks.countDown();
                    });
                    tasks.countDown();
                    Thread.currentThread().interrupt();
                });
            }
            assertTrue(tasks.await(20, TimeUnit.SECONDS));
            await().atMost(SOON).until(() -> count.get() == 200);
            assertEquals(Set.of("same"), nested, "a task's task stays on its lane");
            assertTrue(yard.dispatcher.figures().lanes().stream().allMatch(lane -> lane.tasks() > 0));
        }
    }

    @Test
    void shouldGoOnAfterATaskThatThrowsAnything() throws Exception {
        try (Switchyard yard = new Switchyard("task-throws", "lanes-min = 1, lanes-max = 1")) {
            CountDownLatch after = new CountDownLatch(1);
            yard.dispatcher.execute(() -> {
                throw new AssertionError("as told");
            });
            yard.dispatcher.execute(after::countDown);
            assertTrue(after.await(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldRestWithoutActorsAndStartAgain() {
        try (Switchyard yard = new Switchyard("rests", "lanes-min = 2, lanes-max = 2", "50ms")) {
            AtomicInteger count = new AtomicInteger();
            for (int life = 1; life <= 5; life++) {
                for (int i = 0; i < 10; i++) {
                    ActorRef session =
                            yard.session("s" + life + "-" + i, Probe.props(count, ConcurrentHashMap.newKeySet()));
                    session.tell("hello", ActorRef.noSender());
                    session.tell(PoisonPill.getInstance(), ActorRef.noSender());
                }
                int expected = 10 * life;
                await().atMost(SOON).until(() -> count.get() == expected);
                await().atMost(SOON).until(() -> yard.threads() == 0);
            }
            DispatcherView figures = yard.dispatcher.figures();
            assertEquals(
                    100, figures.lanes().stream().mapToLong(LaneView::messages).sum(), "the pills are messages too");
            assertTrue(figures.lanes().stream().allMatch(lane -> lane.threads() >= 5));
        }
    }

    @Test
    void shouldTakeLanesIntoUseForABacklogAndGiveThemUpAgain() {
        try (Switchyard yard =
                new Switchyard("grows", "lanes-min = 1, lanes-max = 3, grow-at = 200, shrink-below = 50")) {
            AtomicInteger count = new AtomicInteger();
            List<ActorRef> sessions = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                sessions.add(yard.session("s" + i, Probe.props(count, ConcurrentHashMap.newKeySet())));
            }
            await().atMost(SOON).until(() -> {
                sessions.forEach(session -> session.tell("hello", ActorRef.noSender()));
                return yard.dispatcher.figures().lanesInUse() == 3;
            });
            await().atMost(SOON).until(() -> yard.dispatcher.figures().lanesInUse() == 1);
            DispatcherView figures = yard.dispatcher.figures();
            assertTrue(figures.grown() >= 2);
            assertEquals(figures.grown(), figures.shrunk());
        }
    }

    @Test
    void shouldLetAnIdleLaneHelpOneWithABacklog() {
        try (Switchyard yard = new Switchyard("helps", "lanes-min = 2, lanes-max = 2, grow-at = 100")) {
            AtomicInteger count = new AtomicInteger();
            List<ActorRef> sessions = new ArrayList<>();
            for (int i = 0; sessions.size() < 400; i++) {
                if (LaneHash.lane(LaneHash.of("s" + i), 2) == 0) {
                    sessions.add(yard.session("s" + i, Probe.props(count, ConcurrentHashMap.newKeySet())));
                }
            }
            await().atMost(SOON).until(() -> {
                sessions.forEach(session -> session.tell("hello", ActorRef.noSender()));
                return yard.dispatcher.figures().lanes().get(0).given() > 0;
            });
            await().atMost(SOON)
                    .until(() -> yard.dispatcher.figures().lanes().get(1).messages() > 0);
        }
    }

    @Test
    void shouldTakeALaneIntoUseWhileTheOnlyOneIsHeldUp() throws Exception {
        try (Switchyard yard = new Switchyard("held-up", "lanes-min = 1, lanes-max = 2, grow-at = 200")) {
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch held = new CountDownLatch(1);
            yard.dispatcher.execute(() -> {
                held.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            assertTrue(held.await(20, TimeUnit.SECONDS));
            AtomicInteger count = new AtomicInteger();
            for (int i = 0; i < 2000; i++) {
                yard.session("s" + i, Probe.props(count, ConcurrentHashMap.newKeySet()))
                        .tell("hello", ActorRef.noSender());
            }
            await().atMost(SOON).until(() -> count.get() > 0);
            assertNotEquals(1, yard.dispatcher.figures().lanesInUse());
            release.countDown();
            await().atMost(SOON).until(() -> count.get() == 2000);
        }
    }

    @Test
    void shouldMeasureHowLongMailboxesWait() {
        try (Switchyard yard = new Switchyard("waits", "sample-every = 1, lanes-max = 1")) {
            AtomicInteger count = new AtomicInteger();
            ActorRef session = yard.session("s", Probe.props(count, ConcurrentHashMap.newKeySet()));
            AtomicLong sent = new AtomicLong();
            await().atMost(SOON).pollInterval(Duration.ofMillis(1)).until(() -> {
                session.tell("hello", ActorRef.noSender());
                return sent.incrementAndGet() == 100;
            });
            await().atMost(SOON).until(() -> count.get() == 100);
            LaneView lane = yard.dispatcher.figures().lanes().get(0);
            assertTrue(lane.mailboxWait().getTotalCount() >= 50, "most messages came one by one");
            assertEquals(lane.batches(), lane.mailboxWait().getTotalCount());
        }
    }
}
