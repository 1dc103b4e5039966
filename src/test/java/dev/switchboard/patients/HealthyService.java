package dev.switchboard.patients;

import java.util.concurrent.locks.LockSupport;

/** Healthy: six workers that do some milliseconds of work for each request and wait for the next. Runs until killed. */
public final class HealthyService {
    private static final int THREADS = 6;
    private static final long WORK_NS = 2_000_000;
    private static final long WAIT_NS = 20_000_000;

    private HealthyService() {}

    /** Needs no arguments. */
    public static void main(String[] arguments) {
        Patient.start("worker", THREADS, () -> {
            long seed = 1;
            while (true) {
                seed = Patient.workFor(WORK_NS, seed);
                LockSupport.parkNanos(WAIT_NS);
            }
        });
        Patient.ready();
    }
}
