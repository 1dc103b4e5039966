package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpinSlotsTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldNeverLetMoreLanesSpinThanThereAreSlots(int slots) throws Exception {
        SpinSlots spinners = new SpinSlots(slots);
        Lanes lanes = new Lanes(
                AffinitySettings.of(
                        ConfigFactory.parseString("affinity { profile = low-latency, lanes-min = 4, lanes-max = 4 }"),
                        2),
                WaitSimulation.COSTS,
                spinners);
        ExecutorService executor = lanes.createExecutorServiceFactory("slots", task -> {
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    return thread;
                })
                .createExecutorService();
        int most = 0;
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 20_000; i++) {
            executor.execute(ran::incrementAndGet);
            most = Math.max(most, spinners.taken());
            if (i % 100 == 0) {
                LockSupport.parkNanos(20_000);
            }
        }
        executor.shutdown();
        assertTrue(executor.awaitTermination(20, TimeUnit.SECONDS));
        assertEquals(20_000, ran.get());
        assertTrue(most <= slots, "spinning at one time: " + most);
        assertTrue(slots == 0 || most > 0, "somebody did spin");
        assertEquals(0, spinners.taken());
        long spins =
                lanes.view("slots").lanes().stream().mapToLong(LaneView::spins).sum();
        assertEquals(slots == 0, spins == 0);
        if (slots == 0) {
            assertFalse(spinners.tryAcquire());
        }
    }
}
