package dev.switchboard.bench.dispatch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the threads used between a first and a last look, thread by thread. A thread that began in between counts from
 * nothing; one that ended counts up to the last look that still saw it, so looks in between lose less of it. One thread
 * uses it.
 */
final class ThreadUse {
    private final Map<Long, Threads.Use> first = new HashMap<>();
    private final Map<Long, Threads.Use> last = new HashMap<>();
    /** Of threads that ended and whose number another one has now. */
    private Threads.Use reused = Threads.Use.NONE;

    private final Set<Long> compilers = new HashSet<>();

    ThreadUse(Threads.Look atFirst) {
        first.putAll(atFirst.used());
        last.putAll(atFirst.used());
        compilers.addAll(atFirst.compilers());
    }

    /** A later look at all threads. */
    void add(Threads.Look now) {
        compilers.addAll(now.compilers());
        now.used().forEach((thread, use) -> {
            Threads.Use before = last.get(thread);
            if (before != null && use.cpuNs() < before.cpuNs()) {
                // Time never runs backwards: the number was given to a new thread.
                reused = reused.plus(between(thread));
                first.remove(thread);
            }
            last.put(thread, use);
        });
    }

    /** What one thread used. */
    Threads.Use of(long thread) {
        return last.containsKey(thread) ? between(thread) : Threads.Use.NONE;
    }

    /** What all threads used together. */
    Threads.Use ofAll() {
        Threads.Use sum = reused;
        for (long thread : last.keySet()) {
            sum = sum.plus(between(thread));
        }
        return sum;
    }

    /** What Java's compilers used together. */
    Threads.Use ofCompilers() {
        Threads.Use sum = Threads.Use.NONE;
        for (long thread : compilers) {
            sum = sum.plus(of(thread));
        }
        return sum;
    }

    private Threads.Use between(long thread) {
        return last.get(thread).minus(first.getOrDefault(thread, Threads.Use.NONE));
    }
}
