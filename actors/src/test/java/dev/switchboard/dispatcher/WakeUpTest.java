package dev.switchboard.dispatcher;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No work is forgotten: not by a lane that goes to sleep, nor by one that ends. And a lane that sleeps costs nothing. */
class WakeUpTest {
    /** How long a soak lasts; a longer one: {@code -Dswitchboard.soak=PT10M}. */
    private static final Duration SOAK = Duration.parse(System.getProperty("switchboard.soak", "PT2S"));

    private static final int ENOUGH = 1000;
    private static final Duration STUCK = Duration.ofSeconds(30);

    private static final class Echo extends AbstractActor {
        private final AtomicLong answered;

        Echo(AtomicLong answered) {
            this.answered = answered;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(m -> answered.incrementAndGet()).build();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "profile = low-latency",
                "profile = balanced",
                "profile = efficient",
                "profile = custom, spin = 0us, yield = 0us, naps = 0",
                "profile = balanced, lanes-min = 3, lanes-max = 3"
            })
    void shouldLeaveNoMailboxStuck(String affinity) {
        try (Switchyard yard = new Switchyard("soak", affinity)) {
            AtomicLong answered = new AtomicLong();
            ActorRef[] sessions = new ActorRef[64];
            for (int i = 0; i < sessions.length; i++) {
                sessions[i] = yard.session("s" + i, Props.create(Echo.class, () -> new Echo(answered)));
            }
            SplittableRandom random = new SplittableRandom(7);
            long sent = 0;
            long stuck = 0;
            long end = System.nanoTime() + SOAK.toNanos();
            // On a busy machine it may take longer until there were enough rounds to mean something.
            while (System.nanoTime() - end < 0 || (sent <= ENOUGH && stuck == 0)) {
                int burst = 1 + random.nextInt(4);
                for (int i = 0; i < burst; i++) {
                    sessions[random.nextInt(sessions.length)].tell("x", ActorRef.noSender());
                }
                sent += burst;
                if (!answeredAll(answered, sent)) {
                    stuck++;
                    answered.set(sent);
                }
                // From within the spin to well into the park.
                LockSupport.parkNanos(random.nextInt(3) == 0 ? random.nextInt(300_000) : 0);
            }
            assertEquals(0, stuck, "rounds with a mailbox stuck, of " + sent + " messages");
            DispatcherView figures = yard.dispatcher.figures();
            assertEquals(
                    0, figures.lanes().stream().mapToLong(LaneView::caughtByNet).sum());
        }
    }

    private static boolean answeredAll(AtomicLong answered, long sent) {
        long deadline = System.nanoTime() + STUCK.toNanos();
        while (answered.get() < sent) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    @ParameterizedTest
    @ValueSource(strings = {"low-latency", "balanced", "efficient", "custom"})
    void shouldBurnNoProcessorTimeWhenParked(String profile) throws Exception {
        try (Switchyard yard = new Switchyard("parked", "profile = " + profile + ", lanes-min = 4, lanes-max = 4")) {
            AtomicLong answered = new AtomicLong();
            ActorRef[] sessions = new ActorRef[64];
            for (int i = 0; i < sessions.length; i++) {
                sessions[i] = yard.session("s" + i, Props.create(Echo.class, () -> new Echo(answered)));
            }
            for (int i = 0; i < 20_000; i++) {
                sessions[i % sessions.length].tell("x", ActorRef.noSender());
            }
            // A thread that is told to stop what it isn't doing must not keep returning from its park.
            yard.dispatcher.execute(() -> Thread.currentThread().interrupt());
            await().until(() -> answered.get() == 20_000);
            long[] last = {-1};
            await().pollInterval(Duration.ofMillis(200)).until(() -> {
                long before = last[0];
                last[0] = sleeps(yard.dispatcher.figures());
                return last[0] == before && yard.asleep();
            });
            Duration before = yard.cpuOfLanes();
            DispatcherView figuresBefore = yard.dispatcher.figures();
            // Nothing counts it down: this is the window.
            assertTrue(!new CountDownLatch(1).await(1500, TimeUnit.MILLISECONDS));
            Duration burnt = yard.cpuOfLanes().minus(before);
            assertTrue(burnt.toMillis() < 10, "burnt in 1.5 s: " + burnt);
            assertEquals(sleeps(figuresBefore), sleeps(yard.dispatcher.figures()), "nobody woke up to look");
            assertEquals(0, SpinSlots.OF_PROCESS.taken());
        }
    }

    private static long sleeps(DispatcherView figures) {
        return figures.lanes().stream()
                .mapToLong(lane -> lane.naps() + lane.parks() + lane.spins())
                .sum();
    }

    @Test
    void shouldRunAllThatWasTakenWhenShutDownAtTheSameMoment() throws Exception {
        Lanes lanes = lanes("profile = balanced, lanes-min = 2, lanes-max = 2");
        var factory = lanes.createExecutorServiceFactory("shutdown", WakeUpTest::daemon);
        AtomicInteger ran = new AtomicInteger();
        int taken = 0;
        for (int round = 0; round < 2000; round++) {
            var executor = factory.createExecutorService();
            Thread stopper = new Thread(executor::shutdown);
            stopper.start();
            try {
                for (int i = 0; i < 100_000; i++) {
                    executor.execute(ran::incrementAndGet);
                    taken++;
                }
            } catch (RejectedExecutionException expected) {
                // Refused: not taken, so it must not run either.
            }
            stopper.join();
            assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
            assertEquals(taken, ran.get());
        }
    }

    @Test
    void shouldGoOnWhenTheUncaughtExceptionHandlerFailsToo() throws Exception {
        Lanes lanes = lanes("lanes-min = 1, lanes-max = 1");
        var executor = lanes.createExecutorServiceFactory("handler", task -> {
                    Thread thread = daemon(task);
                    thread.setUncaughtExceptionHandler((t, e) -> {
                        throw new IllegalStateException("the handler fails");
                    });
                    return thread;
                })
                .createExecutorService();
        CountDownLatch after = new CountDownLatch(1);
        executor.execute(() -> {
            throw new IllegalStateException("the task fails");
        });
        executor.execute(after::countDown);
        assertTrue(after.await(10, TimeUnit.SECONDS));
        executor.shutdown();
        assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
        assertTrue(executor.isTerminated());
    }

    @Test
    void shouldTryAgainWhenAThreadCouldNotStart() throws Exception {
        Lanes lanes = lanes("lanes-min = 1, lanes-max = 1");
        AtomicInteger tries = new AtomicInteger();
        var executor = lanes.createExecutorServiceFactory("no-thread", task -> {
                    if (tries.getAndIncrement() == 0) {
                        throw new OutOfMemoryError("no thread, as told");
                    }
                    return daemon(task);
                })
                .createExecutorService();
        CountDownLatch both = new CountDownLatch(2);
        try {
            executor.execute(both::countDown);
        } catch (OutOfMemoryError expected) {
            // The first task is taken and waits for a thread.
        }
        executor.execute(both::countDown);
        assertTrue(both.await(10, TimeUnit.SECONDS));
        executor.shutdown();
    }

    private static Lanes lanes(String affinity) {
        AffinitySettings settings =
                AffinitySettings.of(com.typesafe.config.ConfigFactory.parseString("affinity { " + affinity + " }"), 2);
        return new Lanes(settings, new WaitCosts(10_000, 10_000, 5_000, 5_000), SpinSlots.OF_PROCESS);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}
