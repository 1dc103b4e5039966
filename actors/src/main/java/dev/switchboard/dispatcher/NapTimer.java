package dev.switchboard.dispatcher;

import java.util.concurrent.locks.LockSupport;

/**
 * Naps of a wanted length. A timed park lasts longer than asked for, by the system's timer slack and the way back to the
 * processor; this one learns by how much and asks for that much less. Called by one lane's thread alone.
 */
final class NapTimer {
    private static final int WEIGHT = 16;

    private long overNs;

    NapTimer(long overNs) {
        this.overNs = overNs;
    }

    /** Sleeps for about that long, or shorter if the thread is unparked or interrupted. */
    void nap(Object blocker, long wantedNs) {
        long asked = Math.max(1, wantedNs - overNs);
        long from = System.nanoTime();
        LockSupport.parkNanos(blocker, asked);
        Thread.interrupted();
        long over = System.nanoTime() - from - asked;
        // One that was ended before its time says nothing about the timer, nor by how much others' work made it longer.
        if (over >= 0) {
            overNs += (Math.min(over, 2 * wantedNs) - overNs) / WEIGHT;
        }
    }
}
