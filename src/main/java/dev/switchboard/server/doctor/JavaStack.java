package dev.switchboard.server.doctor;

import java.util.List;

/**
 * What a Java thread was doing when the stacks were taken; immutable.
 *
 * @param lock what it waits for, such as {@code <0x…> (a java.util.concurrent.locks.ReentrantLock$FairSync)}; empty when
 *     the stack names nothing
 * @param frames the innermost first, no more than a few
 */
record JavaStack(int tid, String name, Doing doing, String lock, List<String> frames) {
    /** Why it does not run, if it doesn't. */
    enum Doing {
        WAITS_FOR_LOCK,
        WAITS_FOR_SIGNAL,
        WAITS_FOR_TIME,
        WAITS_FOR_IO,
        RUNS
    }

    JavaStack {
        frames = List.copyOf(frames);
    }

    /** The innermost frame that isn't the JDK's own; the innermost at all where there is none; else empty. */
    String place() {
        return frames.stream()
                .filter(frame -> !frame.startsWith("java.") && !frame.startsWith("jdk.") && !frame.startsWith("sun."))
                .findFirst()
                .orElse(frames.isEmpty() ? "" : frames.get(0));
    }
}
