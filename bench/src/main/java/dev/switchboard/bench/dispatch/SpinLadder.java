package dev.switchboard.bench.dispatch;

import java.util.concurrent.TimeUnit;

/**
 * The ladder that many spinning queues climb while they find nothing (.NET's SpinWait made it known): ten spins, then a
 * yield each time, but every fifth of those a sleep of nothing and every twentieth a sleep of one millisecond. In Java a
 * sleep of nothing is a yield too. One worker uses it.
 */
final class SpinLadder {
    private static final int SPINS = 10;
    private static final int SLEEP_ONE_EVERY = 20;

    private int step;

    /** A message was found: the next wait begins at the bottom. */
    void reset() {
        step = 0;
    }

    /** Nothing was found: waits as the ladder says and climbs a step. */
    @SuppressWarnings("ThreadPriorityCheck") // Yielding is a step of this ladder, which is here to be measured.
    void await() throws InterruptedException {
        step++;
        int above = step - SPINS;
        if (above <= 0) {
            Thread.onSpinWait();
        } else if (above == SLEEP_ONE_EVERY) {
            TimeUnit.MILLISECONDS.sleep(1);
            step = SPINS;
        } else {
            Thread.yield();
        }
    }
}
