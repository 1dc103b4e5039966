package dev.switchboard.server.doctor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Examines processes for the command line, and keeps baselines. One thread uses it; each call takes as long as its window,
 * and a few seconds more where Java stacks are needed.
 */
public final class Doctor {
    private static final Path PROC = Path.of("/proc");
    private static final long STACKS_TIMEOUT_MS = 5000;

    private final BaselineFiles files;

    /** @param baselines the folder with the baselines, which needn't be there */
    public Doctor(Path baselines) {
        this.files = new BaselineFiles(baselines);
    }

    /** What was found; immutable. It is put into words or JSON when that is asked for. */
    public static final class Report {
        private final Supplier<String> text;
        private final Supplier<String> json;
        private final int exitCode;

        Report(Supplier<String> text, Supplier<String> json, int exitCode) {
            this.text = text;
            this.json = json;
            this.exitCode = exitCode;
        }

        /** For people. */
        public String text() {
            return text.get();
        }

        /** For programs. */
        public String json() {
            return json.get();
        }

        /** 0, or that of {@link ExaminationFailure#ENDED} when the process ended before the window was over. */
        public int exitCode() {
            return exitCode;
        }
    }

    /** Which process, for how long, and how often to look. */
    public record Watch(long pid, Duration window, Duration interval) {}

    /** The one Switchboard server on this machine. Throws {@link IllegalArgumentException} when there isn't just one. */
    public static long onlyServer() {
        List<Long> servers = Targets.servers(PROC, ProcessHandle.current().pid());
        if (servers.size() != 1) {
            throw new IllegalArgumentException(
                    servers.isEmpty()
                            ? "no Switchboard server runs here that this user can see: name a process with --pid"
                            : "more than one Switchboard server runs here: name one with --pid: " + servers);
        }
        return servers.get(0);
    }

    /** Watches a process and judges it, by the nearest of its program's baselines where there is one. */
    public Report examine(Watch watch, boolean rulesOnly) throws InterruptedException {
        Window window = watch(watch);
        Optional<Baseline> nearest = rulesOnly ? Optional.empty() : files.nearest(window);
        return report(examiner(watch).examine(window, watch.interval(), nearest.orElse(null)));
    }

    /** Watches a process and judges it by a baseline. Throws {@link IllegalArgumentException} when the file is none. */
    public Report compare(Watch watch, Path file) throws InterruptedException {
        Baseline baseline = BaselineFiles.read(file);
        return report(examiner(watch).examine(watch(watch), watch.interval(), baseline));
    }

    /** Watches a process and keeps what is usual for it. */
    public Report save(Watch watch, String name, Path file) throws InterruptedException {
        Window window = watch(watch);
        BaselineFiles.write(file, Baseline.of(name, window));
        Examination examination = examiner(watch).examine(window, watch.interval(), null);
        Report report = report(examination);
        return new Report(
                () -> "Kept as baseline " + name + " in " + file + "\n\n" + report.text(),
                report::json,
                report.exitCode());
    }

    /** Where a baseline of this name is kept. Throws {@link IllegalArgumentException} for a name that is no file name. */
    public Path baselineFile(String name) {
        return files.file(name);
    }

    private static Window watch(Watch watch) throws InterruptedException {
        return new SwitchDoctor(PROC, watch.pid()).watch(watch.window(), watch.interval());
    }

    private static Examiner examiner(Watch watch) {
        return new Examiner(StackSource.ofProcess(watch.pid(), STACKS_TIMEOUT_MS));
    }

    private static Report report(Examination examination) {
        return new Report(
                () -> TextReport.of(examination),
                () -> JsonReport.of(examination).toPrettyString(),
                examination.window().ended() ? ExaminationFailure.ENDED : 0);
    }
}
