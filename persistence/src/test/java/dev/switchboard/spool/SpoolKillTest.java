package dev.switchboard.spool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.ports.Spool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was forced outlives the process, however that ends. */
class SpoolKillTest {
    private static final int[] KEPT_BEFORE_KILL = {1, 333, 2222};

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldHaveEveryForcedPostWhenTheProcessWasKilled() throws Exception {
        Set<String> forced = new HashSet<>();
        for (int run = 0; run < KEPT_BEFORE_KILL.length; run++) {
            forced.addAll(runAndKill("run" + run, KEPT_BEFORE_KILL[run]));
        }
        try (Spool spool = MvSpool.open(folder, new SpoolLimits(1L << 30, Duration.ofHours(1)), Clock.systemUTC())) {
            List<String> found = new ArrayList<>();
            for (Spool.Stored stored : spool.leftOver()) {
                String id = stored.post().clientMsgId();
                assertEquals("text of " + id, stored.post().body().text());
                found.add(id);
            }
            assertEquals(found.size(), new HashSet<>(found).size());
            assertEquals(found, found.stream().sorted(SpoolKillTest::inOrder).toList());
            // Each first of four is given back once the fourth is forced, so it may be gone.
            Set<String> missing = new HashSet<>(forced);
            found.forEach(missing::remove);
            missing.removeIf(id -> Integer.parseInt(id.substring(id.indexOf('-') + 1)) % 4 == 0);
            assertTrue(missing.isEmpty(), () -> "forced and lost: " + missing);
        }
    }

    private static int inOrder(String one, String other) {
        int byRun = one.substring(0, 4).compareTo(other.substring(0, 4));
        return byRun != 0
                ? byRun
                : Integer.compare(Integer.parseInt(one.substring(5)), Integer.parseInt(other.substring(5)));
    }

    private Set<String> runAndKill(String run, int killAfter) throws Exception {
        Set<String> forced = new HashSet<>();
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledSpool.class.getName(),
                        folder.toString(),
                        run)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = nextLine(lines)) {
                if (line.startsWith("kept " + run + "-") && line.matches("kept run[0-9]+-[0-9]+")) {
                    forced.add(line.substring(5));
                    if (forced.size() == killAfter) {
                        child.toHandle().destroyForcibly();
                    }
                }
            }
        } finally {
            child.destroyForcibly();
        }
        assertTrue(child.waitFor(30, TimeUnit.SECONDS));
        assertEquals(137, child.exitValue());
        assertTrue(forced.size() >= killAfter, "the child ended by itself");
        // The last line may have been cut.
        return forced;
    }

    private static String nextLine(BufferedReader lines) {
        try {
            return lines.readLine();
        } catch (IOException e) {
            return null;
        }
    }
}
