package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @Test
    void shouldPlaceSteadyMessagesAtEqualDistancesWithoutDrift() {
        Schedule schedule = Schedule.steady(30_000);
        List<Long> times = take(schedule, 60_001);
        assertEquals(0, times.get(0));
        assertEquals(33_333, times.get(1));
        assertEquals(66_666, times.get(2));
        assertEquals(100_000, times.get(3));
        assertEquals(SECOND_NS, times.get(30_000));
        assertEquals(2 * SECOND_NS, times.get(60_000));
    }

    @Test
    void shouldSizeBurstsSoThatTheRateHoldsWhenItDoesNotDivide() {
        // 10 000/s have 2.6 messages in 0.26 ms.
        Schedule schedule = Schedule.bursts(10_000, 260_000);
        List<Integer> sizes = new ArrayList<>();
        List<Long> times = take(schedule, 26);
        for (long burst = 0; burst < 10; burst++) {
            long at = burst * 260_000;
            sizes.add((int) times.stream().filter(time -> time == at).count());
        }
        assertEquals(List.of(2, 3, 2, 3, 3, 2, 3, 2, 3, 3), sizes);
    }

    @Test
    void shouldGiveAWholeBurstTheSameTime() {
        Schedule schedule = Schedule.bursts(100_000, 260_000);
        List<Long> times = take(schedule, 53);
        assertTrue(times.subList(0, 26).stream().allMatch(time -> time == 0));
        assertTrue(times.subList(26, 52).stream().allMatch(time -> time == 260_000));
        assertEquals(520_000, times.get(52));
    }

    @Test
    void shouldNotStopOrOverflowInAnHour() {
        Schedule steady = Schedule.steady(1_000_000);
        long last = 0;
        for (int i = 0; i < 5_000_000; i++) {
            last = steady.nextNs();
        }
        assertEquals(4_999_999_000L, last);
    }

    private static List<Long> take(Schedule schedule, int count) {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            times.add(schedule.nextNs());
        }
        return times;
    }
}
