package dev.switchboard.dispatcher;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.junit.jupiter.api.Test;

/** A million messages while the lanes in use change all the time: each session has its own in order, one at a time. */
class OrderTest {
    private static final int SESSIONS = 500;
    private static final int PRODUCERS = 2;
    private static final int MESSAGES = 1_000_000;

    private record Numbered(int producer, int number) {}

    private static final class Checker extends AbstractActor {
        private final LongAdder seen;
        private final AtomicReference<String> wrong;
        private final AtomicBoolean busy = new AtomicBoolean();
        private final int[] last = new int[PRODUCERS];
        private Thread before;
        private final LongAdder allMoves;

        Checker(LongAdder seen, LongAdder allMoves, AtomicReference<String> wrong) {
            this.seen = seen;
            this.allMoves = allMoves;
            this.wrong = wrong;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Numbered.class, this::check).build();
        }

        private void check(Numbered message) {
            if (!busy.compareAndSet(false, true)) {
                wrong.set(self() + " ran on two threads at once");
            }
            int expected = last[message.producer()] + 1;
            if (message.number() != expected) {
                wrong.set(self() + " got " + message + " instead of number " + expected);
            }
            last[message.producer()] = message.number();
            if (before != Thread.currentThread()) {
                before = Thread.currentThread();
                allMoves.increment();
            }
            busy.set(false);
            seen.increment();
        }
    }

    @Test
    void shouldKeepOrderWhenLanesChange() throws Exception {
        try (Switchyard yard = new Switchyard("order", "lanes-min = 1, lanes-max = 4, grow-at = 1000000000")) {
            LongAdder seen = new LongAdder();
            LongAdder moves = new LongAdder();
            AtomicReference<String> wrong = new AtomicReference<>();
            ActorRef[] sessions = new ActorRef[SESSIONS];
            for (int i = 0; i < SESSIONS; i++) {
                sessions[i] = yard.session("s" + i, Props.create(Checker.class, () -> new Checker(seen, moves, wrong)));
            }
            AtomicBoolean sending = new AtomicBoolean(true);
            Thread changer = new Thread(() -> {
                for (int step = 0; sending.get(); step++) {
                    yard.dispatcher.lanes().use(1 + step % 4);
                    Thread.onSpinWait();
                }
            });
            changer.start();
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < PRODUCERS; p++) {
                int producer = p;
                Thread thread = new Thread(() -> send(sessions, producer, seen));
                thread.start();
                producers.add(thread);
            }
            for (Thread producer : producers) {
                producer.join();
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> seen.sum() == MESSAGES);
            sending.set(false);
            changer.join();
            assertNull(wrong.get());
            assertTrue(moves.sum() > SESSIONS * 2, "sessions moved: " + moves.sum());
            assertEquals(
                    0,
                    yard.dispatcher.figures().lanes().stream()
                            .mapToLong(LaneView::caughtByNet)
                            .sum());
        }
    }

    private static void send(ActorRef[] sessions, int producer, LongAdder seen) {
        int each = MESSAGES / PRODUCERS / SESSIONS;
        for (int number = 1; number <= each; number++) {
            for (ActorRef session : sessions) {
                session.tell(new Numbered(producer, number), ActorRef.noSender());
            }
            while ((long) number * SESSIONS * PRODUCERS - seen.sum() > 100_000) {
                Thread.onSpinWait();
            }
        }
    }
}
