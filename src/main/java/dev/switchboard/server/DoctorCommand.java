package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.server.doctor.Doctor;
import dev.switchboard.server.doctor.ExaminationFailure;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The switch doctor: watches a process and says what its context switches mean. One thread uses it. */
@Command(
        name = "doctor",
        description = "Watch a process on this machine and say what its context switches mean.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:It was examined, whatever was found.",
            "1:It could not be, for another reason.",
            "2:The options are wrong.",
            "3:The process ended before the window was over.",
            "4:There is no such process.",
            "5:This user may not look at it.",
            "6:This is not Linux."
        },
        subcommands = {DoctorCommand.BaselineCommand.class})
final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private WatchOptions watch;

    @Option(names = "--baseline", paramLabel = "NAME", description = "Judge by this baseline.")
    private String baseline;

    @Option(
            names = "--rules",
            description = "Judge by rules of thumb, also where there are baselines of the program. Without this and"
                    + " --baseline the one whose load is nearest is taken.")
    private boolean rulesOnly;

    @CommandLine.Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        return watch.run(
                spec,
                doctor -> baseline == null
                        ? doctor.examine(watch.watch(spec), rulesOnly)
                        : doctor.compare(watch.watch(spec), doctor.baselineFile(baseline)));
    }

    /** Keeps and compares what is usual. */
    @Command(
            name = "baseline",
            description = "Keep what is usual for a program under a load, and compare with it.",
            mixinStandardHelpOptions = true,
            subcommands = {DoctorCommand.SaveCommand.class, DoctorCommand.CompareCommand.class})
    static final class BaselineCommand implements Runnable {
        @CommandLine.Spec
        private CommandSpec spec;

        @Override
        public void run() {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    /** Keeps a baseline. */
    @Command(
            name = "save",
            description = "Watch a process that is well, and keep its figures under a name that says what load it was.",
            mixinStandardHelpOptions = true)
    static final class SaveCommand implements Callable<Integer> {
        @Mixin
        private WatchOptions watch;

        @Mixin
        private BaselineOptions baseline;

        @CommandLine.Spec
        private CommandSpec spec;

        @Override
        public Integer call() throws InterruptedException {
            return watch.run(spec, doctor -> doctor.save(watch.watch(spec), baseline.name, baseline.place(doctor)));
        }
    }

    /** Compares with a baseline. */
    @Command(
            name = "compare",
            description = "Watch a process and judge it by a baseline.",
            mixinStandardHelpOptions = true)
    static final class CompareCommand implements Callable<Integer> {
        @Mixin
        private WatchOptions watch;

        @Mixin
        private BaselineOptions baseline;

        @CommandLine.Spec
        private CommandSpec spec;

        @Override
        public Integer call() throws InterruptedException {
            return watch.run(spec, doctor -> doctor.compare(watch.watch(spec), baseline.place(doctor)));
        }
    }

    /** Which baseline. */
    static final class BaselineOptions {
        @Parameters(paramLabel = "NAME", description = "The baseline's name, such as two-hundred-customers.")
        private String name;

        @Option(names = "--file", description = "Its file, in place of doctor/NAME.json in the data folder.")
        private Path file;

        Path place(Doctor doctor) {
            return file == null ? doctor.baselineFile(name) : file;
        }
    }

    /** What to watch and how to answer, the same for all commands of the doctor. */
    static final class WatchOptions {
        private static final Duration LONGEST = Duration.ofHours(1);
        private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(50);

        @Mixin
        private SettingsOption settings;

        @Option(
                names = "--pid",
                paramLabel = "N",
                description = "The process; by default the one Switchboard server on this machine.")
        private Long pid;

        @Option(
                names = "--seconds",
                defaultValue = "10",
                description = "The window: how long it is watched (${DEFAULT-VALUE}).")
        private double seconds;

        @Option(
                names = "--interval",
                defaultValue = "1s",
                description = "How often it is looked at, such as 500ms (${DEFAULT-VALUE}).")
        private String interval;

        @Option(names = "--json", description = "Answer in JSON.")
        private boolean json;

        /** Asks the doctor something and prints what it says; a failure is one line. */
        int run(CommandSpec spec, Question question) throws InterruptedException {
            PrintWriter out = spec.commandLine().getOut();
            try {
                Doctor.Report report = question.ask(new Doctor(baselines()));
                out.print(json ? report.json() + System.lineSeparator() : report.text());
                out.flush();
                if (report.exitCode() == ExaminationFailure.ENDED) {
                    spec.commandLine().getErr().println("switchboard: the process ended before the window was over");
                }
                return report.exitCode();
            } catch (ExaminationFailure failure) {
                spec.commandLine().getErr().println("switchboard: " + failure.getMessage());
                return failure.exitCode();
            } catch (IllegalArgumentException | UncheckedIOException failure) {
                throw new StartFailure(failure.getMessage(), failure);
            }
        }

        private Path baselines() {
            Config checked = settings.load(ConfigFactory.empty());
            return Path.of(checked.getString("switchboard.data-dir")).resolve("doctor");
        }

        Doctor.Watch watch(CommandSpec spec) {
            Duration window = Duration.ofMillis(Math.round(seconds * 1000));
            Duration every = duration(spec);
            if (every.compareTo(SHORTEST_INTERVAL) < 0
                    || every.compareTo(window) > 0
                    || window.compareTo(LONGEST) > 0) {
                throw new CommandLine.ParameterException(
                        spec.commandLine(),
                        "--interval must be from " + SHORTEST_INTERVAL.toMillis()
                                + "ms to --seconds, and --seconds at most " + LONGEST.toSeconds());
            }
            return new Doctor.Watch(Optional.ofNullable(pid).orElseGet(Doctor::onlyServer), window, every);
        }

        private Duration duration(CommandSpec spec) {
            try {
                return ConfigFactory.parseString("interval = \"" + interval.strip() + "\"")
                        .getDuration("interval");
            } catch (ConfigException e) {
                throw new CommandLine.ParameterException(
                        spec.commandLine(), "--interval " + interval + " is no duration such as 500ms or 1s", e);
            }
        }
    }

    /** Something to ask the doctor. */
    @FunctionalInterface
    interface Question {
        Doctor.Report ask(Doctor doctor) throws InterruptedException;
    }
}
