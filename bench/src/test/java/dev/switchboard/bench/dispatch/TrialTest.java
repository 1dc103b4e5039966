package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TrialTest {
    private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MEASURE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    @ParameterizedTest
    @MethodSource("dev.switchboard.bench.dispatch.Contenders#names")
    void shouldHandleEverythingInOrderWith(String contender) throws InterruptedException {
        Trial trial = new Trial(Contenders.named(contender), 100, 50);
        Measured bursts = trial.run(new Load.Bursts(10_000), 2, SETTLE_NS, MEASURE_NS);
        assertTrue(bursts.p50() > 0 && bursts.max() >= bursts.p99(), bursts::toLine);
        assertEquals(10_000, bursts.throughput(), 8_000);
        Measured flood = trial.run(new Load.Flood(), 2, SETTLE_NS, MEASURE_NS);
        assertTrue(flood.throughput() > 10_000, flood::toLine);
        assertTrue(Double.isNaN(flood.p50()));
    }

    @Test
    void shouldChargeAHoldUpToTheMessagesThatShouldHaveBeenSentMeanwhile() throws InterruptedException {
        // One message of 1000 a second holds the producer up for 100 ms: a closed loop would see one slow message.
        long[] sent = {0};
        Contender.Factory direct = (workers, sessions) -> new Contender() {
            @Override
            public void send(Message message) {
                if (sent[0]++ == 100) {
                    spinFor(TimeUnit.MILLISECONDS.toNanos(100));
                }
                sessions.handle(message);
            }

            @Override
            public void close() {}
        };
        Measured measured = new Trial(direct, 1, 1).run(new Load.Steady(1_000), 1, SETTLE_NS, MEASURE_NS);
        assertTrue(measured.max() >= 90_000, measured::toLine);
        // 180 are recorded, a hundred of them held up by 50 ms on average.
        assertTrue(measured.p50() >= 1_000, measured::toLine);
        assertTrue(measured.lateMax() >= 90_000, measured::toLine);
    }

    @Test
    void shouldFailWhenAMessageOvertakesAnotherOfItsSession() {
        Contender.Factory overtaking = (workers, sessions) -> new Overtaking(sessions);
        assertThrows(
                Sessions.OrderViolation.class,
                () -> new Trial(overtaking, 1, 1).run(new Load.Flood(), 2, SETTLE_NS, MEASURE_NS));
    }

    @Test
    void shouldFailWhenAMessageIsLost() {
        long[] sent = {0};
        Contender.Factory losing = (workers, sessions) -> new Contender() {
            @Override
            public void send(Message message) {
                // Once, a session gets the message before again instead of its next one.
                if (sent[0]++ != 1_000) {
                    sessions.handle(message);
                } else {
                    sessions.handle(new Message(message.session(), message.number() - 1, 0, message.payload()));
                }
            }

            @Override
            public void close() {}
        };
        assertThrows(
                Sessions.OrderViolation.class,
                () -> new Trial(losing, 1, 1).run(new Load.Bursts(100_000), 2, SETTLE_NS, MEASURE_NS));
    }

    private static void spinFor(long timeNs) {
        long untilNs = System.nanoTime() + timeNs;
        while (System.nanoTime() - untilNs < 0) {
            Thread.onSpinWait();
        }
    }

    /** Lets one message be overtaken by the next of its session. */
    private static final class Overtaking implements Contender {
        private static final long HELD = 1_000;

        private final Sessions sessions;
        private long sent;
        private Message held;

        Overtaking(Sessions sessions) {
            this.sessions = sessions;
        }

        @Override
        public void send(Message message) {
            if (++sent == HELD) {
                held = message;
                return;
            }
            sessions.handle(message);
            if (held != null && held.session() == message.session()) {
                sessions.handle(held);
                held = null;
            }
        }

        @Override
        public void close() {}
    }
}
