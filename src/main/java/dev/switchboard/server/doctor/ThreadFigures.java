package dev.switchboard.server.doctor;

import java.util.Map;

/**
 * What one thread did within a window; immutable. All counts and times are of the window alone.
 *
 * @param waitNs ready to run but without a core; {@link #UNKNOWN} where the kernel keeps no schedstat
 * @param peakPerSecond the most switches per second between two looks
 * @param born whether it started within the window
 * @param ended whether it ended within the window; then what it did after the last look at it is missing
 * @param waits how often it was seen waiting for what; empty for threads that nobody suspected
 */
record ThreadFigures(
        int tid,
        String name,
        long voluntary,
        long involuntary,
        long cpuNs,
        long waitNs,
        double peakPerSecond,
        boolean born,
        boolean ended,
        Map<WaitKind, Integer> waits) {

    static final long UNKNOWN = -1;

    ThreadFigures {
        waits = Map.copyOf(waits);
    }

    long switches() {
        return voluntary + involuntary;
    }

    /** The wait it was seen in most often; RUNNING when it was seen in none, HIDDEN when it was never looked at. */
    WaitKind mostSeenWait() {
        boolean onlyRan = waits.size() == 1 && waits.containsKey(WaitKind.RUNNING);
        return waits.entrySet().stream()
                .filter(seen -> onlyRan || seen.getKey() != WaitKind.RUNNING)
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(WaitKind.HIDDEN);
    }
}
