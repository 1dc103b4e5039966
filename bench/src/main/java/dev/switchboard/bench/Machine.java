package dev.switchboard.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the machine is, and what processes have used of it. Stateless; Linux only, since it reads {@code /proc}. */
public final class Machine {
    private static final double TICKS_PER_SECOND = 100;

    private Machine() {}

    /** One line that says on what a number was measured. */
    public static String description() {
        return "%s, %d processors, %s of memory, Linux %s, Java %s"
                .formatted(
                        firstValue("/proc/cpuinfo", "model name"),
                        Runtime.getRuntime().availableProcessors(),
                        memory(),
                        System.getProperty("os.version"),
                        System.getProperty("java.vm.version"));
    }

    private static String memory() {
        String total = firstValue("/proc/meminfo", "MemTotal").replace(" kB", "");
        return total.isEmpty() ? "?" : Math.round(Long.parseLong(total) / 1024.0 / 1024.0) + " GiB";
    }

    private static String firstValue(String file, String name) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(name))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    /** The seconds of processor time that a process and its live children have used so far. */
    public static double cpuSeconds(long pid) {
        double used = cpuSecondsOfOne(pid);
        List<ProcessHandle> children =
                ProcessHandle.of(pid).map(own -> own.descendants().toList()).orElse(List.of());
        for (ProcessHandle child : children) {
            used += cpuSecondsOfOne(child.pid());
        }
        return used;
    }

    /** The seconds of processor time that one process has used so far, without its children. */
    public static double cpuSecondsOfOne(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            // The second field is the command in brackets and may hold blanks: count from behind it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }
}
