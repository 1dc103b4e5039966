package dev.switchboard.dispatcher;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what sleeping costs on this machine, once in the life of the process and in some hundredths of a second.
 * Thread-safe.
 *
 * <p>The figures are lower quartiles, since what else a starting program does can only make them worse, and they are kept
 * within bounds that no machine in use should leave. A wake-up's time is the shortest: it depends on whether a processor is
 * free at that moment, which at the start of a program it seldom is, and {@link WakeUpTime} goes on from there.
 */
final class MachineCosts {
    private static final int ROUNDS = 60;
    private static final int WARM_UP = 20;
    private static final long NAP_NS = 50_000;
    private static final long ASLEEP_NS = 60_000;

    /** Holds the measurement: the class is initialised by its first use, once. */
    private static final class Measured {
        static final WaitCosts COSTS = new MachineCosts().measure();
    }

    private final long[] wakeUps = new long[ROUNDS];
    private final long[] calls = new long[ROUNDS];
    private final long[] sleeps = new long[ROUNDS];
    private final long[] naps = new long[ROUNDS];
    private final long[] overs = new long[ROUNDS];
    private volatile int round;
    private volatile boolean napped;
    private volatile long calledAt;

    private MachineCosts() {}

    /** The costs that the settings give, or else the measured ones. */
    static WaitCosts of(AffinitySettings settings) {
        long set = settings.wakeUpCostNs();
        return set > 0 ? new WaitCosts(set, set, Math.max(1, set / 2), settings.timerSlackNs() + set) : Measured.COSTS;
    }

    private WaitCosts measure() {
        Thread sleeper = new Thread(this::sleep, "switchboard-wake-up-cost");
        sleeper.setDaemon(true);
        sleeper.start();
        while (!napped) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < ROUNDS; i++) {
            while (sleeper.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            long asleep = System.nanoTime() + ASLEEP_NS;
            while (System.nanoTime() - asleep < 0) {
                Thread.onSpinWait();
            }
            calledAt = System.nanoTime();
            round = i + 1;
            LockSupport.unpark(sleeper);
            calls[i] = System.nanoTime() - calledAt;
        }
        try {
            sleeper.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long nap = quartile(naps);
        return new WaitCosts(
                bounded(least(wakeUps)),
                // Falling asleep and coming back can't be cheaper without a timer than a nap's cost shows.
                bounded(quartile(calls) + Math.max(nap, quartile(sleeps))),
                bounded(nap),
                bounded(quartile(overs)));
    }

    private void sleep() {
        LinuxThread.setTimerSlack(1_000);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        boolean cpu = threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();
        for (int i = 0; i < ROUNDS; i++) {
            long from = System.nanoTime();
            long cpuFrom = cpu ? threads.getCurrentThreadCpuTime() : 0;
            LockSupport.parkNanos(this, NAP_NS);
            naps[i] = cpu ? threads.getCurrentThreadCpuTime() - cpuFrom : 0;
            overs[i] = System.nanoTime() - from - NAP_NS;
        }
        napped = true;
        for (int i = 0; i < ROUNDS; i++) {
            long cpuFrom = cpu ? threads.getCurrentThreadCpuTime() : 0;
            while (round == i) {
                LockSupport.park(this);
            }
            wakeUps[i] = System.nanoTime() - calledAt;
            sleeps[i] = cpu ? threads.getCurrentThreadCpuTime() - cpuFrom : wakeUps[i];
        }
    }

    private static long quartile(long[] samples) {
        long[] sorted = Arrays.copyOfRange(samples, WARM_UP, samples.length);
        Arrays.sort(sorted);
        return sorted[sorted.length / 4];
    }

    private static long least(long[] samples) {
        return Arrays.stream(samples, WARM_UP, samples.length).min().orElseThrow();
    }

    private static long bounded(long nanos) {
        return Math.max(WakeUpTime.LEAST_NS, Math.min(nanos, WakeUpTime.MOST_NS));
    }
}
