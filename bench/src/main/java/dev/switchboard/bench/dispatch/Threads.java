package dev.switchboard.bench.dispatch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the threads of this process have used since they began, read from {@code /proc/self/task}: processor time from
 * {@code schedstat} and switches from {@code status}. Stateless; Linux only.
 */
final class Threads {
    private static final Path TASKS = Path.of("/proc/self/task");

    /** What the names of Java's compiler threads hold; the system cuts names after 15 characters. */
    private static final String COMPILER = "CompilerThre";

    private Threads() {}

    /**
     * What one thread has used.
     *
     * @param cpuNs time on a processor, in nanoseconds
     * @param voluntary switches because it waited
     * @param involuntary switches because its processor was taken
     */
    record Use(long cpuNs, long voluntary, long involuntary) {
        static final Use NONE = new Use(0, 0, 0);

        Use plus(Use other) {
            return new Use(cpuNs + other.cpuNs, voluntary + other.voluntary, involuntary + other.involuntary);
        }

        Use minus(Use other) {
            return new Use(cpuNs - other.cpuNs, voluntary - other.voluntary, involuntary - other.involuntary);
        }
    }

    /** What each thread that lives has used so far, by its number, and which of them are Java's compilers. */
    record Look(Map<Long, Use> used, Set<Long> compilers) {}

    /** The number of the calling thread. */
    static long ownTaskId() {
        try {
            return Long.parseLong(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                    .getFileName()
                    .toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Looks at every thread that lives now. */
    static Look look() {
        Map<Long, Use> used = new HashMap<>();
        Set<Long> compilers = new HashSet<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                try {
                    long thread = Long.parseLong(task.getFileName().toString());
                    String status = Files.readString(task.resolve("status"));
                    used.put(thread, parse(status, Files.readString(task.resolve("schedstat"))));
                    if (isCompiler(status)) {
                        compilers.add(thread);
                    }
                } catch (IOException e) {
                    // A thread may end between the listing and the reading.
                    if (Files.exists(task)) {
                        throw e;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Look(used, compilers);
    }

    /**
     * Reads the two files of one thread.
     *
     * @throws IllegalArgumentException when a field is missing
     */
    static Use parse(String status, String schedstat) {
        return new Use(
                Long.parseLong(schedstat.strip().split(" ", -1)[0]),
                field(status, "voluntary_ctxt_switches:"),
                field(status, "nonvoluntary_ctxt_switches:"));
    }

    /** Whether a thread's status is that of one of Java's compilers. */
    static boolean isCompiler(String status) {
        return status.substring(0, Math.max(0, status.indexOf('\n'))).contains(COMPILER);
    }

    private static long field(String status, String name) {
        // At a line's start: one name is the end of the other.
        int at = status.startsWith(name) ? 0 : status.indexOf("\n" + name) + 1;
        if (at == 0 && !status.startsWith(name)) {
            throw new IllegalArgumentException("no " + name + " in a thread's status");
        }
        int end = status.indexOf('\n', at);
        return Long.parseLong(status.substring(at + name.length(), end < 0 ? status.length() : end)
                .strip());
    }
}
