package dev.switchboard.server.doctor;

/**
 * Where the system's switches of a window went; immutable. A pure function of the window.
 *
 * <p>The system's counter grows when a processor goes from one task to another, also to and from its idle task, which no
 * thread's own counters show and which {@code /proc} doesn't list. So on a machine with idle time the threads never add up
 * to the total: a thread that sleeps and wakes on an otherwise idle processor makes two switches, and only one is its own.
 *
 * @param total the system's, in the window
 * @param own of the examined process's threads
 * @param unseen the rest: the idle tasks', and those of threads that were too short-lived to be seen
 * @param softInterruptCpuNs processor time of soft interrupts, which need no switch to run
 */
record Reconciliation(
        long total,
        long own,
        long processes,
        long kernel,
        long softInterruptThreads,
        long unseen,
        long softInterruptCpuNs) {
    static Reconciliation of(Window window) {
        long own = window.threads().stream().mapToLong(ThreadFigures::switches).sum();
        Others others = window.others();
        long seen = own
                + others.processes().switches()
                + others.kernel().switches()
                + others.softInterrupts().switches();
        return new Reconciliation(
                window.system().switches(),
                own,
                others.processes().switches(),
                others.kernel().switches(),
                others.softInterrupts().switches(),
                Math.max(0, window.system().switches() - seen),
                window.system().cpu().softIrq());
    }

    /** The share of the system's switches that is the process's own; 0 when there were none. */
    double ownShare() {
        return total == 0 ? 0 : Math.min(1, own / (double) total);
    }
}
