package dev.switchboard.bench;

import dev.switchboard.server.doctor.Doctor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the switch doctor itself costs while it watches a program of many threads. One thread uses it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = "Processor time of the switch doctor at its default rate, watching a program of many threads.")
final class DoctorCost implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--threads", defaultValue = "500", description = "Threads of the watched program.")
    private int threads;

    @Option(names = "--seconds", defaultValue = "20", description = "The window.")
    private int seconds;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getParent().getOut();
        StringBuilder rows = new StringBuilder();
        // 0: they sleep all the time. 10: each wakes ten times a second, so that none can be passed over at any look.
        for (int wakes : new int[] {0, 10}) {
            Process watched = JavaProcess.start(ManyThreads.class, String.valueOf(threads), String.valueOf(wakes));
            try {
                // The classes are loaded and compiled, as they are in a server that was asked before.
                double unused = sampling(watched.pid(), Math.max(5, seconds / 2));
                double sampling = sampling(watched.pid(), seconds);
                double command = command(watched.pid());
                rows.append("| %d, %s | %.2f %% | %.2f s |%n"
                        .formatted(
                                threads,
                                wakes == 0 ? "all asleep" : "each wakes " + wakes + " times a second",
                                sampling * 100 / seconds,
                                command));
            } finally {
                watched.destroyForcibly();
            }
        }
        Reports.write("doctor", text(rows.toString()), out);
        return 0;
    }

    /** The seconds of processor time of the thread that watches, with all it does at the ends of the window. */
    private static double sampling(long pid, int windowSeconds) throws InterruptedException {
        Path none = Path.of("no-baselines");
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Doctor.Report report = new Doctor(none)
                .examine(new Doctor.Watch(pid, Duration.ofSeconds(windowSeconds), Duration.ofSeconds(1)), true);
        if (report.exitCode() != 0) {
            throw new IllegalStateException(report.text());
        }
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / 1e9;
    }

    /** The seconds of processor time of the whole command, from the start of its JVM to its end. */
    private double command(long pid) throws IOException, InterruptedException {
        Path output = Files.createTempFile("switchboard-doctor-", ".json");
        Process doctor = new ProcessBuilder(
                        Reports.home().resolve("switchboard").toString(),
                        "doctor",
                        "--pid",
                        String.valueOf(pid),
                        "--seconds",
                        String.valueOf(seconds),
                        "--json",
                        "--rules")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        double used = 0;
        while (!doctor.waitFor(20, TimeUnit.MILLISECONDS)) {
            // The launcher becomes the JVM; what it has used is gone with it, so it is read until then.
            used = Math.max(used, Machine.cpuSecondsOfOne(doctor.pid()));
        }
        if (doctor.exitValue() != 0) {
            throw new IllegalStateException(Files.readString(output));
        }
        Files.delete(output);
        return used;
    }

    private String text(String rows) {
        return """
                # What the switch doctor costs

                Processor time of the doctor itself while it watches one program at its default rate, one look a second, over %d s.
                "Watching" is the thread that looks, reconciles, judges and words, in a process that has done it before, in per cent
                of one core. "The command" is all of `./switchboard doctor --seconds %d`, with the start of its JVM.

                Machine: %s.

                ```
                ./switchboard bench doctor
                ```

                | threads of the program | watching, of one core | the command |
                |---|---|---|
                %s""".formatted(seconds, seconds, Machine.description(), rows);
    }

    /** The watched program: arguments are the number of threads, and how often each wakes in a second. */
    static final class ManyThreads {
        private ManyThreads() {}

        /** Says READY when all threads were started, and ends when its input does. */
        public static void main(String[] arguments) throws IOException {
            int count = Integer.parseInt(arguments[0]);
            int wakes = Integer.parseInt(arguments[1]);
            for (int i = 0; i < count; i++) {
                Thread thread = new Thread(() -> sleep(wakes), "sleeper-" + i);
                thread.setDaemon(true);
                thread.start();
            }
            JavaProcess.readyUntilTheParentIsGone();
        }

        private static void sleep(int wakes) {
            while (true) {
                if (wakes == 0) {
                    LockSupport.park();
                } else {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1) / wakes);
                }
            }
        }
    }

    /** A class of this program in a process of its own. Stateless. */
    private static final class JavaProcess {
        private static final String READY = "READY";

        private JavaProcess() {}

        static Process start(Class<?> main, String... arguments) throws IOException {
            List<String> line = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-Xss256k",
                    "-cp",
                    System.getProperty("java.class.path"),
                    main.getName()));
            line.addAll(List.of(arguments));
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            String said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            if (!READY.equals(said)) {
                process.destroyForcibly();
                throw new IOException("the watched program said " + said);
            }
            return process;
        }

        static void readyUntilTheParentIsGone() throws IOException {
            new PrintWriter(System.out, true, StandardCharsets.UTF_8).println(READY);
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
