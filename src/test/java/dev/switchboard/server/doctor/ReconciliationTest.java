package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ReconciliationTest {
    @Test
    void shouldSayWhoMadeTheSystemsSwitches() {
        Window window = new Windows()
                .threads(10, "worker", 100, 20, 0.01, 0, null)
                .others(300, 0.2)
                .system(20_000)
                .window();
        Reconciliation sums = Reconciliation.of(window);
        assertEquals(20_000, sums.total());
        assertEquals(12_000, sums.own());
        assertEquals(3_000, sums.processes());
        assertEquals(500, sums.kernel());
        assertEquals(20, sums.softInterruptThreads());
        assertEquals(20_000 - 12_000 - 3_000 - 500 - 20, sums.unseen());
        assertEquals(0.6, sums.ownShare(), 1e-9);
    }

    @Test
    void shouldNotGoBelowZeroWhenTheLooksWereNotAtTheSameMoment() {
        Window window = new Windows()
                .threads(10, "worker", 100, 20, 0.01, 0, null)
                .system(11_000)
                .window();
        assertEquals(0, Reconciliation.of(window).unseen());
        assertEquals(1, Reconciliation.of(window).ownShare(), 1e-9);
    }
}
