package dev.switchboard.patients;

import java.util.concurrent.locks.ReentrantLock;

/** Sick: 128 threads that do all their work under one lock. Runs until it is killed. */
public final class OneLock {
    private static final int THREADS = 128;

    /** Fair, so that each turn goes to another thread, as under a queue's lock with nothing else to do. */
    private static final ReentrantLock LOCK = new ReentrantLock(true);

    private OneLock() {}

    /** Needs no arguments. */
    public static void main(String[] arguments) {
        Patient.start("worker", THREADS, () -> {
            long seed = 1;
            while (true) {
                LOCK.lock();
                try {
                    seed = Patient.workFor(20_000, seed);
                } finally {
                    LOCK.unlock();
                }
            }
        });
        Patient.ready();
    }
}
