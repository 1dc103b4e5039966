package dev.switchboard.patients;

/** Sick: 16 threads that always want a core, on two. Runs until it is killed. */
public final class RunQueue {
    private static final int THREADS = 16;

    private RunQueue() {}

    /** Needs no arguments. */
    public static void main(String[] arguments) {
        Patient.start("cruncher", THREADS, () -> {
            long seed = 1;
            while (true) {
                seed = Patient.workFor(10_000_000, seed);
            }
        });
        Patient.ready();
    }
}
