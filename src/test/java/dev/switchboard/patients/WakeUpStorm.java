package dev.switchboard.patients;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Sick: for each task all 96 idle workers are woken; one finds it, the rest go back to sleep. Runs until it is killed. */
public final class WakeUpStorm {
    private static final int THREADS = 96;
    private static final long BETWEEN_TASKS_NS = 5_000_000;
    private static final AtomicLong TASKS = new AtomicLong();

    private WakeUpStorm() {}

    /** Needs no arguments. */
    public static void main(String[] arguments) {
        List<Thread> workers = Patient.start("idler", THREADS, () -> {
            long seed = 1;
            while (true) {
                LockSupport.park();
                long waiting = TASKS.get();
                if (waiting > 0 && TASKS.compareAndSet(waiting, waiting - 1)) {
                    seed = Patient.workFor(50_000, seed);
                }
            }
        });
        List<Thread> unused = Patient.start("waker", 1, () -> {
            while (true) {
                LockSupport.parkNanos(BETWEEN_TASKS_NS);
                TASKS.incrementAndGet();
                workers.forEach(LockSupport::unpark);
            }
        });
        Patient.ready();
    }
}
