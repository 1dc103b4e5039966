package dev.switchboard.server.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All threads of the machine at one moment, except those of one process; immutable. Two of them, at the ends of a window,
 * say what others did in it.
 *
 * <p>A thread is given a core as often as it is switched to, so the third number of {@code schedstat} counts its switches,
 * and it is much cheaper to read than {@code status}. It is all there is: {@code /proc/<pid>/status} counts the switches of
 * a process's first thread alone, which is also what {@code pidstat -w} without {@code -t} shows.
 */
final class OtherTasks {
    private static final int MOST_THREADS = 5000;
    private static final int SHOWN = 5;

    private final Path proc;
    private final Map<Integer, Seen> processes;
    private final boolean complete;

    /** A process's threads, and when they were looked at: one after the other, and on a busy machine with pauses. */
    private record Seen(long atNs, Map<Integer, ProcText.RunTimes> threads) {}

    private OtherTasks(Path proc, Map<Integer, Seen> processes, boolean complete) {
        this.proc = proc;
        this.processes = processes;
        this.complete = complete;
    }

    /** Looks at all threads but those of the process {@code except}. */
    static OtherTasks now(Path proc, long except, ProcFile.Buffer buffer) {
        Map<Integer, Seen> processes = new HashMap<>();
        int seen = 0;
        for (String name : list(proc)) {
            int pid = number(name);
            if (pid > 0 && pid != except && seen < MOST_THREADS) {
                Seen process = new Seen(System.nanoTime(), threadsOf(proc, name, buffer));
                seen += process.threads().size();
                processes.put(pid, process);
            }
        }
        return new OtherTasks(proc, processes, seen < MOST_THREADS);
    }

    private static Map<Integer, ProcText.RunTimes> threadsOf(Path proc, String pid, ProcFile.Buffer buffer) {
        Map<Integer, ProcText.RunTimes> threads = new HashMap<>();
        String folder = proc + "/" + pid + "/task";
        for (String tid : list(Path.of(folder))) {
            try (ProcFile file = new ProcFile(Path.of(folder + "/" + tid + "/schedstat"), false)) {
                int length = file.read(buffer);
                threads.put(number(tid), ProcText.runTimes(buffer.bytes(), length));
            } catch (IOException e) {
                // It has ended since it was listed, or this kernel keeps no such figures: then it is not counted.
                threads.remove(number(tid));
            }
        }
        return threads;
    }

    /**
     * What happened since an earlier look.
     *
     * @param seconds the window's length: what a process did is put at that, since its two looks may be somewhat further apart
     */
    Others since(OtherTasks before, double seconds, ProcFile.Buffer buffer) {
        Others.Part programs = Others.Part.NOTHING;
        Others.Part kernel = Others.Part.NOTHING;
        Others.Part softInterrupts = Others.Part.NOTHING;
        List<Others.Busy> busy = new ArrayList<>();
        for (Map.Entry<Integer, Seen> process : processes.entrySet()) {
            Others.Part did = difference(before.processes.get(process.getKey()), process.getValue(), seconds);
            if (did.switches() == 0) {
                continue;
            }
            ProcText.TaskStat stat = stat(process.getKey(), buffer);
            if (!stat.ofKernel()) {
                programs = programs.plus(did.switches(), did.cpuNs());
                busy.add(new Others.Busy(process.getKey(), stat.name(), did.switches(), did.cpuNs()));
            } else if (stat.name().startsWith("ksoftirqd")) {
                softInterrupts = softInterrupts.plus(did.switches(), did.cpuNs());
            } else {
                kernel = kernel.plus(did.switches(), did.cpuNs());
            }
        }
        busy.sort(Comparator.comparingLong(Others.Busy::switches).reversed());
        return new Others(
                programs,
                kernel,
                softInterrupts,
                busy.subList(0, Math.min(SHOWN, busy.size())),
                complete && before.complete);
    }

    private static Others.Part difference(Seen before, Seen after, double seconds) {
        Others.Part sum = Others.Part.NOTHING;
        for (Map.Entry<Integer, ProcText.RunTimes> thread : after.threads().entrySet()) {
            ProcText.RunTimes nothing = new ProcText.RunTimes(0, 0, 0);
            ProcText.RunTimes then = before == null ? nothing : before.threads().getOrDefault(thread.getKey(), nothing);
            // A number that was given to another thread since may count from 0 again.
            sum = sum.plus(
                    Math.max(0, thread.getValue().runs() - then.runs()),
                    Math.max(0, thread.getValue().cpuNs() - then.cpuNs()));
        }
        // A process that was born in between did all it did in between.
        double part = before == null ? 1 : Math.min(1, seconds * 1e9 / Math.max(1, after.atNs() - before.atNs()));
        return new Others.Part(Math.round(sum.switches() * part), Math.round(sum.cpuNs() * part));
    }

    private ProcText.TaskStat stat(int pid, ProcFile.Buffer buffer) {
        try (ProcFile file = new ProcFile(proc.resolve(Integer.toString(pid)).resolve("stat"), false)) {
            int length = file.read(buffer);
            return ProcText.taskStat(buffer.bytes(), length);
        } catch (IOException e) {
            return new ProcText.TaskStat("(ended)", 'X', 0, 0, false);
        }
    }

    private static String[] list(Path folder) {
        String[] names = new File(folder.toString()).list();
        return names == null ? new String[0] : names;
    }

    private static int number(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return -1;
            }
        }
        return Integer.parseInt(name);
    }
}
