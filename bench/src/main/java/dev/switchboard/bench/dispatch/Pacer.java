package dev.switchboard.bench.dispatch;

import java.util.concurrent.locks.LockSupport;

/** How the producer waits for a message's time. It returns at once if that is past. The producer thread uses it. */
interface Pacer {
    void awaitUntil(long timeNs);

    /** Burns its processor and is on time to a fraction of a microsecond, unless another thread takes the processor. */
    final class Spinning implements Pacer {
        @Override
        public void awaitUntil(long timeNs) {
            while (System.nanoTime() - timeNs < 0) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Sleeps, and leaves its processor to the workers. The system wakes a sleeper late by a time that varies little
     * (timer slack and the way back onto a processor), so it asks for a wake-up that much earlier; what is left when it
     * was too careful is spun away and is short.
     */
    final class Sleeping implements Pacer {
        private static final long FIRST_GUESS_NS = 60_000;
        private static final long LONGEST_GUESS_NS = 120_000;
        private static final int SHARE = 64;

        private long overshootNs = FIRST_GUESS_NS;

        @Override
        public void awaitUntil(long timeNs) {
            long left = timeNs - System.nanoTime();
            if (left > overshootNs) {
                long asked = left - overshootNs;
                long beganNs = System.nanoTime();
                LockSupport.parkNanos(asked);
                long over = System.nanoTime() - beganNs - asked;
                // A moving mean; one wake-up that came very late must not spoil the next hundred.
                overshootNs += (Math.max(0, Math.min(over, LONGEST_GUESS_NS)) - overshootNs) / SHARE;
            }
            while (System.nanoTime() - timeNs < 0) {
                Thread.onSpinWait();
            }
        }
    }
}
