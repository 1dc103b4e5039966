package dev.switchboard.server.doctor;

import java.time.Instant;
import java.util.List;

/**
 * All that was seen of a process and its machine within one window: the raw samples, and what each thread did. Immutable.
 *
 * @param seconds from the first look to the last
 * @param cores on which the process may run
 * @param looks what happened between one look and the next, in order
 * @param system the system's counters, as their growth in the window; {@code running} and {@code blocked} are averages
 * @param loadAverages over 1, 5 and 15 minutes, at the end
 * @param pressure the share of the window in which some task of the machine waited for a core; NaN where it isn't kept
 * @param waitsKnown whether the kernel told how long threads waited for a core
 * @param missedThreads threads of which nothing is known but that they were there
 * @param ended whether the process ended before the window was over
 */
record Window(
        Target target,
        Instant startedAt,
        double seconds,
        int cores,
        List<Look> looks,
        List<ThreadFigures> threads,
        SystemTotals system,
        LoadAverages loadAverages,
        double pressure,
        Others others,
        boolean waitsKnown,
        int missedThreads,
        boolean ended) {

    /** The process: its number, the name of its program, and whether it is a Java virtual machine. */
    record Target(long pid, String program, boolean java) {}

    /**
     * What happened between two looks.
     *
     * @param at seconds from the first look to the end of this interval
     * @param seconds its length
     * @param threads of the process, at its end
     * @param voluntary switches of the process's threads, and {@code involuntary} those
     * @param waitNs how long its threads were ready but without a core, all together
     * @param system the growth of the system's counters; {@code running} and {@code blocked} are as seen at its end
     */
    record Look(
            double at,
            double seconds,
            int threads,
            long voluntary,
            long involuntary,
            long cpuNs,
            long waitNs,
            SystemTotals system) {
        double switchesPerSecond() {
            return (voluntary + involuntary) / seconds;
        }
    }

    Window {
        looks = List.copyOf(looks);
        threads = List.copyOf(threads);
    }

    double voluntaryPerSecond() {
        return looks.stream().mapToLong(Look::voluntary).sum() / seconds;
    }

    double involuntaryPerSecond() {
        return looks.stream().mapToLong(Look::involuntary).sum() / seconds;
    }

    double switchesPerSecond() {
        return voluntaryPerSecond() + involuntaryPerSecond();
    }

    /** How many cores its threads kept busy, on average. */
    double coresUsed() {
        return looks.stream().mapToLong(Look::cpuNs).sum() / 1e9 / seconds;
    }

    /** How many of its threads were ready but without a core, on average; NaN where the kernel doesn't tell. */
    double waiting() {
        return waitsKnown ? looks.stream().mapToLong(Look::waitNs).sum() / 1e9 / seconds : Double.NaN;
    }

    /** How long a thread runs each time it is given a core, in microseconds; NaN when none ran. */
    double runUs() {
        return switchesPerSecond() > 0 ? coresUsed() * 1e6 / switchesPerSecond() : Double.NaN;
    }

    /** The share of the switches that threads made by themselves; NaN when there were none. */
    double voluntaryShare() {
        return switchesPerSecond() > 0 ? voluntaryPerSecond() / switchesPerSecond() : Double.NaN;
    }
}
