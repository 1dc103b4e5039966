package dev.switchboard.dispatcher;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.dispatch.Dispatcher;
import org.apache.pekko.dispatch.ExecutorServiceFactory;
import org.apache.pekko.dispatch.ExecutorServiceFactoryProvider;
import org.apache.pekko.dispatch.Mailbox;
import org.apache.pekko.dispatch.MessageQueue;
import org.junit.jupiter.api.Test;
import scala.concurrent.duration.Duration;
import scala.concurrent.duration.FiniteDuration;

/** What the dispatcher takes for granted of Pekko's insides, so that a new version of Pekko that changes it shows here. */
class PekkoInternalsTest {
    private static final class Silent extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(m -> {}).build();
        }
    }

    /** Keeps what Pekko gives it to run, and runs it on a thread of its own. */
    private static final class Keeper implements ExecutorServiceFactoryProvider {
        final List<Runnable> given = new CopyOnWriteArrayList<>();
        final AtomicReference<ThreadFactory> threads = new AtomicReference<>();

        @Override
        public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory factory) {
            threads.set(factory);
            Lanes lanes = new Lanes(
                    AffinitySettings.of(com.typesafe.config.ConfigFactory.empty(), 1),
                    new WaitCosts(10_000, 10_000, 5_000, 5_000),
                    SpinSlots.OF_PROCESS);
            ExecutorServiceFactory ours = lanes.createExecutorServiceFactory(id, factory);
            return () -> new java.util.concurrent.AbstractExecutorService() {
                private final java.util.concurrent.ExecutorService executor = ours.createExecutorService();

                @Override
                public void execute(Runnable task) {
                    given.add(task);
                    executor.execute(task);
                }

                @Override
                public void shutdown() {
                    executor.shutdown();
                }

                @Override
                public List<Runnable> shutdownNow() {
                    return executor.shutdownNow();
                }

                @Override
                public boolean isShutdown() {
                    return executor.isShutdown();
                }

                @Override
                public boolean isTerminated() {
                    return executor.isTerminated();
                }

                @Override
                public boolean awaitTermination(long time, java.util.concurrent.TimeUnit unit)
                        throws InterruptedException {
                    return executor.awaitTermination(time, unit);
                }
            };
        }
    }

    @Test
    void shouldGetMailboxesWithTheirQueueAndActorAndTasksWithout() {
        try (Switchyard yard = new Switchyard("internals", "lanes-max = 1")) {
            Keeper keeper = new Keeper();
            Dispatcher dispatcher = new Dispatcher(
                    yard.dispatcher.configurator(),
                    "keeper",
                    5,
                    Duration.Zero(),
                    keeper,
                    FiniteDuration.apply(1, "second"));
            assertTrue(yard.system.dispatchers().registerConfigurator("keeper", configurator(yard, dispatcher)));
            ActorRef ours = yard.system.actorOf(
                    Props.create(Silent.class, Silent::new)
                            .withDispatcher("keeper")
                            .withMailbox("sessions"),
                    "ours");
            ActorRef foreign =
                    yard.system.actorOf(Props.create(Silent.class, Silent::new).withDispatcher("keeper"), "foreign");
            ours.tell("x", ActorRef.noSender());
            foreign.tell("x", ActorRef.noSender());
            dispatcher.execute(() -> {});
            await().until(() -> keeper.given.size() >= 3);

            List<String> foreignNames = new ArrayList<>();
            boolean sessions = false;
            boolean tasks = false;
            for (Runnable given : keeper.given) {
                MessageQueue queue = PekkoInternals.queueOf(given);
                if (queue == null) {
                    tasks = true;
                } else if (queue instanceof SessionQueue session) {
                    sessions = true;
                    assertEquals(LaneHash.lane(LaneHash.of("ours"), 7), session.lane(7));
                    assertSame(queue, ((Mailbox) given).messageQueue());
                } else {
                    assertEquals(LaneHash.of("foreign"), PekkoInternals.sessionHash(given));
                    foreignNames.add("foreign");
                }
            }
            assertTrue(sessions && tasks && !foreignNames.isEmpty());
            assertNull(PekkoInternals.queueOf(() -> {}));
        }
    }

    private static org.apache.pekko.dispatch.MessageDispatcherConfigurator configurator(
            Switchyard yard, Dispatcher dispatcher) {
        return new org.apache.pekko.dispatch.MessageDispatcherConfigurator(
                yard.system.settings().config().getConfig("lanes"),
                yard.system.dispatchers().prerequisites()) {
            @Override
            public org.apache.pekko.dispatch.MessageDispatcher dispatcher() {
                return dispatcher;
            }
        };
    }

    @Test
    void shouldNameThreadsAfterTheDispatcher() {
        try (Switchyard yard = new Switchyard("named", "lanes-max = 1")) {
            ThreadFactory factory = PekkoInternals.named(
                    yard.system.dispatchers().prerequisites().threadFactory(), "a-dispatcher");
            assertTrue(factory.newThread(() -> {}).getName().startsWith("named-a-dispatcher-"));
            assertTrue(factory.newThread(() -> {}).getUncaughtExceptionHandler() != null);
            ThreadFactory plain = Thread::new;
            assertSame(plain, PekkoInternals.named(plain, "a-dispatcher"));
        }
    }

    @Test
    void shouldBeADispatcherOfPekkoWithItsSettings() {
        try (Switchyard yard = new Switchyard("settings", "lanes-max = 1")) {
            assertInstanceOf(Dispatcher.class, yard.dispatcher);
            assertEquals(32, yard.dispatcher.throughput());
            assertEquals(FiniteDuration.apply(1, "second"), yard.dispatcher.shutdownTimeout());
            assertSame(yard.dispatcher, yard.system.dispatchers().lookup("lanes"), "one for all lookups");
        }
    }
}
