package dev.switchboard.server.doctor;

import java.util.List;

/**
 * What all that isn't the examined process did within a window, seen coarsely: from its two ends. Threads that ended in
 * between are missing. Immutable.
 *
 * @param processes other programs' threads
 * @param kernel the kernel's own threads without those for soft interrupts
 * @param softInterrupts the kernel's threads that run soft interrupts when there are too many ({@code ksoftirqd})
 * @param busiest the processes that switched most, the first the most
 * @param complete false when there were so many threads that some were left out
 */
record Others(Part processes, Part kernel, Part softInterrupts, List<Busy> busiest, boolean complete) {
    static final Others NOT_LOOKED_AT = new Others(Part.NOTHING, Part.NOTHING, Part.NOTHING, List.of(), false);

    Others {
        busiest = List.copyOf(busiest);
    }

    /** Switches and nanoseconds of processor time. */
    record Part(long switches, long cpuNs) {
        static final Part NOTHING = new Part(0, 0);

        Part plus(long moreSwitches, long moreCpuNs) {
            return new Part(switches + moreSwitches, cpuNs + moreCpuNs);
        }
    }

    /** A process and what it did in the window. */
    record Busy(long pid, String name, long switches, long cpuNs) {}
}
