package dev.switchboard.server.doctor;

import java.util.Comparator;
import java.util.function.ToDoubleFunction;

/** A figure of a window by which it is judged, and which baselines keep. Immutable. */
enum Measure {
    SWITCHES("switchesPerSecond", "context switches per second", true, Window::switchesPerSecond),
    VOLUNTARY("voluntaryPerSecond", "voluntary switches per second", true, Window::voluntaryPerSecond),
    INVOLUNTARY("involuntaryPerSecond", "involuntary switches per second", true, Window::involuntaryPerSecond),
    BUSIEST_THREAD(
            "busiestThreadPerSecond",
            "switches per second of the thread with the most",
            true,
            w -> w.threads().stream()
                    .max(Comparator.comparingLong(ThreadFigures::switches))
                    .map(t -> t.switches() / w.seconds())
                    .orElse(0.0)),
    RUN_US("runMicroseconds", "µs that a thread runs each time it is given a core", false, Window::runUs),
    CORES_USED("coresUsed", "cores kept busy", true, Window::coresUsed),
    WAITING("waitingForCore", "threads that were ready but without a core, on average", true, Window::waiting),
    READY("ready", "threads that ran or were ready to, on average", true, w -> w.coresUsed() + w.waiting()),
    ACTIVE_THREADS(
            "activeThreads",
            "threads that ran at least once a second",
            true,
            w -> w.threads().stream().filter(t -> t.switches() >= w.seconds()).count());

    private final String wireName;
    private final String words;
    private final boolean moreIsWorse;

    @SuppressWarnings("ImmutableEnumChecker") // Functions of their argument alone.
    private final ToDoubleFunction<Window> read;

    Measure(String wireName, String words, boolean moreIsWorse, ToDoubleFunction<Window> read) {
        this.wireName = wireName;
        this.words = words;
        this.moreIsWorse = moreIsWorse;
        this.read = read;
    }

    /** Its name in JSON. */
    String wireName() {
        return wireName;
    }

    String words() {
        return words;
    }

    boolean moreIsWorse() {
        return moreIsWorse;
    }

    /** NaN where the window can't tell. */
    double of(Window window) {
        return read.applyAsDouble(window);
    }
}
