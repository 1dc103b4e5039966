package dev.switchboard.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Watches one process for one window. One thread uses it; it waits between looks. */
final class SwitchDoctor {
    private final Path proc;
    private final long pid;
    private final ProcFile.Buffer buffer = new ProcFile.Buffer();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final ProcFile stat;

    /** @param proc where the kernel shows its processes */
    SwitchDoctor(Path proc, long pid) {
        this.proc = proc;
        this.pid = pid;
        this.stat = new ProcFile(proc.resolve("stat"), true);
        if (!Files.isReadable(proc.resolve("stat")) || !Files.isReadable(proc.resolve("loadavg"))) {
            throw ExaminationFailure.notLinux(System.getProperty("os.name"));
        }
    }

    /**
     * Looks at the process at each interval until the window is over, and returns what it saw. A process that ends after a
     * look or two gives the window so far; one that ends sooner is an {@link ExaminationFailure}.
     */
    Window watch(Duration length, Duration interval) throws InterruptedException {
        try (ProcessSampler sampler = new ProcessSampler(proc, pid)) {
            Targets.Seen target = Targets.see(proc, pid, buffer);
            OtherTasks before = OtherTasks.now(proc, pid, buffer);
            long pressureBefore = pressureUs();
            Instant startedAt = Instant.now();
            List<Window.Look> looks = new ArrayList<>();
            long start = System.nanoTime();
            SystemTotals firstTotals = totals();
            ProcessSampler.Sums sums = sampler.look(0, true);
            SystemTotals totals = firstTotals;
            long at = start;
            boolean ended = false;
            for (long due = interval.toNanos(); !ended && at - start < length.toNanos(); due += interval.toNanos()) {
                if (stop.await(start + Math.min(due, length.toNanos()) - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    break;
                }
                long now = System.nanoTime();
                double seconds = (now - at) / 1e9;
                SystemTotals totalsNow = totals();
                ProcessSampler.Sums sumsNow;
                try {
                    sumsNow = sampler.look(seconds, now - start >= length.toNanos());
                } catch (ExaminationFailure gone) {
                    if (looks.isEmpty()) {
                        throw gone;
                    }
                    ended = true;
                    continue;
                }
                looks.add(look((now - start) / 1e9, seconds, sums, sumsNow, totals, totalsNow));
                sampler.noteWaits();
                at = now;
                sums = sumsNow;
                totals = totalsNow;
            }
            double seconds = (at - start) / 1e9;
            List<ThreadFigures> threads = sampler.figures();
            Others others = OtherTasks.now(proc, pid, buffer).since(before, seconds, buffer);
            long pressure = pressureUs() - pressureBefore;
            return new Window(
                    target.target(),
                    startedAt,
                    seconds,
                    Math.min(target.cores(), totals.processors()),
                    looks,
                    threads,
                    growth(firstTotals, totals, looks),
                    loadAverages(),
                    pressureBefore < 0 ? Double.NaN : pressure / 1e6 / seconds,
                    others,
                    sampler.timesKnown(),
                    sampler.missed(),
                    ended);
        }
    }

    private static Window.Look look(
            double at,
            double seconds,
            ProcessSampler.Sums before,
            ProcessSampler.Sums after,
            SystemTotals totalsBefore,
            SystemTotals totalsAfter) {
        return new Window.Look(
                at,
                seconds,
                after.threads(),
                after.voluntary() - before.voluntary(),
                after.involuntary() - before.involuntary(),
                after.cpuNs() - before.cpuNs(),
                after.waitNs() - before.waitNs(),
                totalsAfter.minus(totalsBefore));
    }

    private static SystemTotals growth(SystemTotals first, SystemTotals last, List<Window.Look> looks) {
        int running = (int) Math.round(
                looks.stream().mapToInt(l -> l.system().running()).average().orElse(0));
        int blocked = (int) Math.round(
                looks.stream().mapToInt(l -> l.system().blocked()).average().orElse(0));
        return last.minus(first).seen(running, blocked);
    }

    private SystemTotals totals() {
        try {
            return ProcText.systemTotals(buffer.bytes(), stat.read(buffer));
        } catch (IOException e) {
            throw ExaminationFailure.notLinux(String.valueOf(e.getMessage()));
        }
    }

    private LoadAverages loadAverages() {
        try {
            return ProcText.loadAverages(ProcFile.once(proc.resolve("loadavg"), buffer));
        } catch (IOException e) {
            throw ExaminationFailure.notLinux(String.valueOf(e.getMessage()));
        }
    }

    /** Below zero where the kernel keeps no pressure, or keeps it off. */
    private long pressureUs() {
        try {
            return ProcText.pressureUs(ProcFile.once(proc.resolve("pressure").resolve("cpu"), buffer));
        } catch (IOException | IllegalArgumentException e) {
            return -1;
        }
    }

    /** Ends the window early, from any thread. */
    void stop() {
        stop.countDown();
    }
}
