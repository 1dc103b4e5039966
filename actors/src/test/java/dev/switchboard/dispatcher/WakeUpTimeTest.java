package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The decaying median of wake-ups. */
class WakeUpTimeTest {
    @Test
    void shouldSettleAtTheMedianWhateverTheLongestTake() {
        WakeUpTime time = new WakeUpTime(150_000);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 400; i++) {
            time.took(random.nextInt(10) == 0 ? 4_000_000 : 8_000 + random.nextInt(4_000));
        }
        assertTrue(time.medianNs() > 7_500 && time.medianNs() < 12_500, "median: " + time.medianNs());
    }

    @Test
    void shouldStayWithinBounds() {
        WakeUpTime time = new WakeUpTime(10_000);
        for (int i = 0; i < 500; i++) {
            time.took(Long.MAX_VALUE);
        }
        assertEquals(WakeUpTime.MOST_NS, time.medianNs());
        for (int i = 0; i < 500; i++) {
            time.took(0);
        }
        assertEquals(WakeUpTime.LEAST_NS, time.medianNs());
    }

    @Test
    void shouldForgetSlowWakeUpsOnlyWhileItSeesNone() {
        WakeUpTime time = new WakeUpTime(5_000);
        for (int i = 0; i < 100; i++) {
            time.took(100_000);
            time.passes();
        }
        assertTrue(time.medianNs() > 90_000, "seen: " + time.medianNs());
        for (int i = 0; i < 500; i++) {
            time.passes();
        }
        assertTrue(time.medianNs() < 6_000, "forgotten: " + time.medianNs());
        assertTrue(time.medianNs() >= 5_000);
    }
}
