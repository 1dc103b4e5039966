package dev.switchboard.patients;

import java.util.concurrent.locks.LockSupport;

/** Sick: one thread that sleeps and wakes 5000 times a second to see if there is work. Runs until it is killed. */
public final class RestlessSleeper {
    private static final long PERIOD_NS = 200_000;

    private RestlessSleeper() {}

    /** Needs no arguments. */
    public static void main(String[] arguments) {
        Patient.start("poller", 1, () -> {
            long next = System.nanoTime();
            while (true) {
                long now = System.nanoTime();
                // What was missed is not made up for.
                next = Math.max(next + PERIOD_NS, now);
                while (next - System.nanoTime() > 0) {
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
        });
        Patient.start("bystander", 4, Patient::restForEver);
        Patient.ready();
    }
}
