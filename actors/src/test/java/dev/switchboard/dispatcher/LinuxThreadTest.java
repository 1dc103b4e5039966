package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LinuxThreadTest {
    private interface Step {
        void run() throws Exception;
    }

    private static void onAThreadOfItsOwn(Step step) throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                step.run();
                failure.complete(null);
            } catch (Throwable e) {
                failure.complete(e);
            }
        });
        thread.start();
        assertNull(failure.get(20, TimeUnit.SECONDS));
    }

    @Test
    void shouldSetTheTimerSlackOfTheCallingThread() throws Exception {
        onAThreadOfItsOwn(() -> {
            assertTrue(LinuxThread.setTimerSlack(7_000));
            Path slack = Path.of("/proc", LinuxThread.id(), "timerslack_ns");
            assertEquals("7000", Files.readString(slack).strip());
        });
    }

    @Test
    void shouldPinTheCallingThreadAlone() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")));
        String before = allowed();
        onAThreadOfItsOwn(() -> {
            assertTrue(LinuxThread.pin(0));
            assertEquals("0", allowed());
            assertFalse(LinuxThread.pin(100_000), "there is no such processor");
        });
        assertEquals(before, allowed());
    }

    @Test
    void shouldPinLanesWhenToldTo() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")));
        try (Switchyard yard = new Switchyard("pinned", "pin = on, lanes-min = 1, lanes-max = 1")) {
            CompletableFuture<String> processors = new CompletableFuture<>();
            yard.dispatcher.execute(() -> {
                try {
                    processors.complete(allowed());
                } catch (java.io.IOException e) {
                    processors.completeExceptionally(e);
                }
            });
            assertEquals("0", processors.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldMeasureCostsThatAMachineCanHave() {
        WaitCosts costs = MachineCosts.of(AffinitySettings.of(ConfigFactory.empty(), 2));
        assertTrue(costs.parkNs() > costs.napNs(), "a park needs a producer's call as well: " + costs);
        assertTrue(costs.wakeUpNs() >= 500 && costs.wakeUpNs() <= 200_000, costs.toString());
        WaitCosts set =
                MachineCosts.of(AffinitySettings.of(ConfigFactory.parseString("affinity.wake-up-cost = 30us"), 2));
        assertEquals(30_000, set.wakeUpNs());
    }

    private static String allowed() throws java.io.IOException {
        String key = "Cpus_allowed_list:";
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith(key))
                .findFirst()
                .orElseThrow()
                .substring(key.length())
                .strip();
    }
}
