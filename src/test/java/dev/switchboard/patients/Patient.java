package dev.switchboard.patients;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What the made-up programs have in common. They run in processes of their own, end with their parent, and need only the JDK. */
final class Patient {
    /** The line that says that all threads were started. */
    static final String READY = "READY";

    private Patient() {}

    /** Starts daemon threads NAME-0, NAME-1, … */
    static List<Thread> start(String name, int count, Runnable body) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(body, name + "-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    /** Says that it runs, and returns when the parent has closed this process's input or is gone. */
    static void ready() {
        new PrintStream(System.out, true, StandardCharsets.UTF_8).println(READY);
        try {
            while (System.in.read() >= 0) {
                // Nobody sends anything; the end of input is what counts.
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Computes for about this long; the result keeps the compiler from leaving it out. */
    static long workFor(long nanos, long seed) {
        long mixed = seed;
        long start = System.nanoTime();
        do {
            for (int i = 0; i < 200; i++) {
                mixed = mixed * 6364136223846793005L + 1442695040888963407L;
            }
        } while (System.nanoTime() - start < nanos);
        return mixed;
    }

    static void restForEver() {
        while (true) {
            LockSupport.park();
        }
    }
}
