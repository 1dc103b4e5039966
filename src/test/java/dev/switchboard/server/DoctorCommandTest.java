package dev.switchboard.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The doctor's commands on this very process. */
@EnabledOnOs(OS.LINUX)
class DoctorCommandTest {
    private static final String OWN = Long.toString(ProcessHandle.current().pid());

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldAnswerInWordsWithTheWindowOfItsFigures() {
        assertEquals(0, doctor("--pid", OWN, "--seconds", "0.6", "--interval", "200ms", "--rules"), err::toString);
        assertTrue(out.toString().contains("VERDICT: "), out::toString);
        assertTrue(out.toString().contains("over 0.6 s, looked at every 0.20 s"), out::toString);
        assertTrue(out.toString().contains("Where the system's"), out::toString);
    }

    @Test
    void shouldAnswerInJsonThatAddsUp() throws Exception {
        assertEquals(
                0, doctor("--pid", OWN, "--seconds", "0.6", "--interval", "200ms", "--json", "--rules"), err::toString);
        JsonNode root = new ObjectMapper().readTree(out.toString());
        assertEquals(1, root.path("form").asInt());
        assertEquals(OWN, root.path("process").path("pid").asText());
        assertEquals(3, root.path("looks").size());
        JsonNode sums = root.path("reconciliation");
        long parts = 0;
        for (String part : List.of(
                "ownSwitches",
                "otherProcessesSwitches",
                "kernelThreadsSwitches",
                "softInterruptThreadsSwitches",
                "idleAndUnseenSwitches")) {
            parts += sums.path(part).asLong();
        }
        // Looks at all processes take a moment each, so the parts may come to somewhat more than the total.
        long total = sums.path("systemSwitches").asLong();
        assertTrue(parts >= total && parts <= total * 1.5 + 500, () -> sums.toString());
        long own = 0;
        for (JsonNode thread : root.path("threads")) {
            own += thread.path("voluntary").asLong()
                    + thread.path("involuntary").asLong();
        }
        assertEquals(sums.path("ownSwitches").asLong(), own);
    }

    @Test
    void shouldKeepABaselineAndCompareWithIt() throws Exception {
        Path file = folder.resolve("usual.json");
        String[] watch = {"--pid", OWN, "--seconds", "0.6", "--interval", "200ms", "--file", file.toString()};
        assertEquals(0, baseline("save", watch), err::toString);
        assertEquals(
                1,
                new ObjectMapper().readTree(Files.readString(file)).path("form").asInt());
        out.getBuffer().setLength(0);
        assertEquals(0, baseline("compare", watch), err::toString);
        assertTrue(out.toString().contains("Against the baseline usual"), out::toString);
        assertTrue(!out.toString().contains("rule of thumb"), out::toString);
    }

    @Test
    void shouldSayInOneLineWhyNot() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        assertEquals(0, gone.waitFor());
        assertEquals(4, doctor("--pid", Long.toString(gone.pid()), "--seconds", "0.2", "--interval", "100ms"));
        assertEquals(
                List.of("switchboard: there is no process " + gone.pid() + " that this user can see"),
                err.toString().lines().toList());
        assertEquals(2, doctor("--pid", OWN, "--interval", "soon"));
        assertEquals(2, doctor("--pid", OWN, "--interval", "1ms"));
        assertEquals(1, doctor("baseline", "compare", "../x", "--pid", OWN));
        assertEquals(
                1,
                doctor(
                        "baseline",
                        "compare",
                        "x",
                        "--pid",
                        OWN,
                        "--file",
                        folder.resolve("none").toString()));
    }

    @Test
    void shouldSayThatAProcessEndedWhileItWasWatched() throws Exception {
        Process brief = new ProcessBuilder("sleep", "600").start();
        String pid = Long.toString(brief.pid());
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(
                () -> doctor("--pid", pid, "--seconds", "600", "--interval", "50ms", "--rules"));
        await().atMost(Duration.ofSeconds(60)).until(() -> isWatched(pid));
        brief.destroyForcibly();
        assertEquals(3, code.get(60, TimeUnit.SECONDS), err::toString);
        assertEquals(
                1, err.toString().lines().filter(line -> line.contains("ended")).count(), err::toString);
    }

    /** Whether this process holds the files of that one's threads open. */
    private static boolean isWatched(String pid) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.anyMatch(file -> target(file).startsWith("/proc/" + pid + "/task/"));
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            // It was closed since it was listed.
            return "";
        }
    }

    private int baseline(String verb, String... more) {
        List<String> arguments = new ArrayList<>(List.of("baseline", verb, "usual"));
        arguments.addAll(List.of(more));
        return doctor(arguments.toArray(String[]::new));
    }

    private int doctor(String... arguments) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        String[] all = IntStream.rangeClosed(0, arguments.length)
                .mapToObj(i -> i == 0 ? "doctor" : arguments[i - 1])
                .toArray(String[]::new);
        int code = line.execute(all);
        line.getOut().flush();
        return code;
    }
}
