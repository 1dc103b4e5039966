package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * The doctor's figures beside those of the tools that experts use, taken at the same time. No two programs start their
 * windows at the same moment, and on a busy machine rates change from one moment to the next: so they get a few tries.
 */
@EnabledOnOs(OS.LINUX)
class ToolsAgreeTest {
    private static final int TRIES = 5;
    private static final int SECONDS = 4;
    private static final double WITHIN = 0.05;

    @Test
    void shouldCountWhatPidstatAndVmstatCount() throws Exception {
        assumeTrue(isInstalled("pidstat"), "pidstat is not there: it comes with the package sysstat");
        assumeTrue(isInstalled("vmstat"), "vmstat is not there: it comes with the package procps");
        List<String> disagreements = new ArrayList<>();
        try (PatientProcess patient = PatientProcess.start("RestlessSleeper")) {
            for (int attempt = 0; attempt < TRIES; attempt++) {
                String disagreement = disagreement(patient.pid());
                if (disagreement.isEmpty()) {
                    return;
                }
                disagreements.add(disagreement);
            }
        }
        assertTrue(disagreements.isEmpty(), () -> String.join("\n", disagreements));
    }

    /** Empty when all agree. */
    private static String disagreement(long pid) throws Exception {
        String seconds = Integer.toString(SECONDS);
        Tool pidstat = Tool.start("pidstat", "-wt", "-p", Long.toString(pid), seconds, "1");
        // The first line of vmstat is the average since the machine's start.
        Tool vmstat = Tool.start("vmstat", "-n", seconds, "2");
        Window window =
                new SwitchDoctor(Path.of("/proc"), pid).watch(Duration.ofSeconds(SECONDS), Duration.ofSeconds(1));
        String[] columns = lastLine(vmstat.output()).strip().split(" +", -1);
        StringBuilder wrong = new StringBuilder();
        compare("pidstat -wt", switchesPerSecond(pidstat.output()), window.switchesPerSecond(), wrong);
        compare("vmstat in", Double.parseDouble(columns[10]), window.system().interrupts() / window.seconds(), wrong);
        compare("vmstat cs", Double.parseDouble(columns[11]), window.system().switches() / window.seconds(), wrong);
        return wrong.toString();
    }

    private static void compare(String what, double theirs, double ours, StringBuilder wrong) {
        if (Math.abs(theirs - ours) > WITHIN * theirs) {
            wrong.append("%s: %.1f, the doctor has %.1f%n".formatted(what, theirs, ours));
        }
    }

    /** The sum of cswch/s and nvcswch/s over the averages of all threads. */
    private static double switchesPerSecond(String output) {
        // Average: UID TGID TID cswch/s nvcswch/s Command; the line of the process has a TGID, those of threads a dash.
        return output.lines()
                .map(line -> line.strip().split("\\s+", -1))
                .filter(fields -> fields.length > 6 && fields[0].equals("Average:") && fields[2].equals("-"))
                .mapToDouble(fields -> number(fields[4]) + number(fields[5]))
                .sum();
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(',', '.'));
    }

    private static String lastLine(String output) {
        List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
        return lines.get(lines.size() - 1);
    }

    private static boolean isInstalled(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    /** A tool that runs, with its output in a file, so that it never waits for somebody to read it. */
    private record Tool(Process process, Path file) {
        static Tool start(String... command) throws IOException {
            Path file = Files.createTempFile("switchboard-tool-", ".txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(file.toFile());
            builder.environment().put("LC_ALL", "C");
            return new Tool(builder.start(), file);
        }

        String output() throws IOException, InterruptedException {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("a tool doesn't end");
            }
            String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            Files.delete(file);
            return text;
        }
    }
}
