package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private static final long MILLISECOND_NS = 1_000_000;

    private final Sessions sessions = new Sessions(2, 8);

    @Test
    void shouldAcceptEachMessageOnceAndInOrder() {
        handle(0, 0);
        handle(1, 0);
        handle(0, 1);
        assertEquals(3, sessions.handled());
        assertDoesNotThrow(() -> sessions.checkOrder(new long[] {2, 1}));
    }

    @Test
    void shouldRefuseASessionWhoseMessagesWereSwapped() {
        handle(0, 1);
        handle(0, 0);
        Sessions.OrderViolation violation =
                assertThrows(Sessions.OrderViolation.class, () -> sessions.checkOrder(new long[] {2, 0}));
        assertTrue(violation.getMessage().contains("session 0"), violation.getMessage());
    }

    @Test
    void shouldRefuseALostMessage() {
        handle(1, 0);
        handle(1, 2);
        assertThrows(Sessions.OrderViolation.class, () -> sessions.checkOrder(new long[] {0, 3}));
    }

    @Test
    void shouldRefuseALostLastMessage() {
        handle(1, 0);
        assertThrows(Sessions.OrderViolation.class, () -> sessions.checkOrder(new long[] {0, 2}));
    }

    @Test
    void shouldRefuseADoubledMessage() {
        handle(1, 0);
        handle(1, 0);
        assertThrows(Sessions.OrderViolation.class, () -> sessions.checkOrder(new long[] {0, 1}));
    }

    @Test
    void shouldCountTheDelayOfAProducerThatWasLate() {
        long now = System.nanoTime();
        sessions.recordBetween(now - 100 * MILLISECOND_NS, now);
        // Two messages that should have been sent 50 and 40 ms ago, and are handled only now.
        sessions.handle(new Message(0, 0, now - 50 * MILLISECOND_NS, Payloads.of(0)));
        sessions.handle(new Message(0, 1, now - 40 * MILLISECOND_NS, Payloads.of(1)));
        Histogram latencies = sessions.latencies();
        assertEquals(2, latencies.getTotalCount());
        assertTrue(latencies.getMaxValue() >= 50 * MILLISECOND_NS);
        assertTrue(latencies.getMinValue() >= 39 * MILLISECOND_NS);
    }

    @Test
    void shouldKeepOnlyLatenciesOfTheTimeThatIsMeasured() {
        long now = System.nanoTime();
        sessions.recordBetween(now - 20, now - 10);
        sessions.handle(new Message(0, 0, now - 21, Payloads.of(0)));
        sessions.handle(new Message(0, 1, now - 20, Payloads.of(0)));
        sessions.handle(new Message(0, 2, now - 11, Payloads.of(0)));
        sessions.handle(new Message(0, 3, now - 10, Payloads.of(0)));
        assertEquals(2, sessions.latencies().getTotalCount());
    }

    private void handle(int session, long number) {
        sessions.handle(new Message(session, number, System.nanoTime(), Payloads.of(number)));
    }
}
