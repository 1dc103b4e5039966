package dev.switchboard.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What H2 has acknowledged outlives the process, however that ends. */
class H2KillTest {
    /** After each pause H2's own background thread is due, so that it and our flush want the same changes at once. */
    private static final int[] PAUSES_MS = {0, 520};

    private static final int[] ACKNOWLEDGED_BEFORE_KILL = {2001, 61};

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldFindEveryAcknowledgedEventWhenTheProcessWasKilled() throws Exception {
        try (TestDatabase database = TestDatabase.h2()) {
            Map<String, Long> acknowledged = new HashMap<>();
            for (int run = 0; run < PAUSES_MS.length; run++) {
                runAndKill(database, run, acknowledged);
            }
            try (TestJournal journal = new TestJournal(database.config())) {
                for (Map.Entry<String, Long> last : acknowledged.entrySet()) {
                    int found = journal.replay(last.getKey(), 1).size();
                    assertTrue(
                            found >= last.getValue(),
                            () -> last.getKey() + " was acknowledged up to " + last.getValue() + ", found " + found);
                }
            }
        }
    }

    private static void runAndKill(TestDatabase database, int run, Map<String, Long> acknowledged) throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledWriter.class.getName(),
                        database.url(),
                        Integer.toString(run),
                        Integer.toString(PAUSES_MS[run]))
                .redirectError(ProcessBuilder.Redirect.appendTo(File.createTempFile("killed-writer", ".err")))
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            int left = ACKNOWLEDGED_BEFORE_KILL[run];
            String line = lines.readLine();
            while (line != null) {
                if (note(line, acknowledged) && --left == 0) {
                    child.toHandle().destroyForcibly();
                }
                line = nextLine(lines);
            }
            assertTrue(left <= 0, "the child ended by itself");
        } finally {
            child.destroyForcibly();
        }
        assertTrue(child.waitFor(30, TimeUnit.SECONDS));
        assertEquals(137, child.exitValue());
    }

    /** A pipe of a killed process may end in an error as well as in an end. */
    private static String nextLine(BufferedReader lines) {
        try {
            return lines.readLine();
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean note(String line, Map<String, Long> acknowledged) {
        String[] parts = line.split(" ", -1);
        if (parts.length != 2 || !parts[0].startsWith("conversation|c-kill-") || !parts[1].matches("[0-9]+")) {
            return false;
        }
        acknowledged.merge(parts[0], Long.parseLong(parts[1]), Math::max);
        return true;
    }
}
