package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaselineFilesTest {
    @TempDir
    private Path folder;

    @Test
    void shouldReadBackWhatItWrote() {
        BaselineFiles files = new BaselineFiles(folder.resolve("doctor"));
        Baseline baseline = Baseline.of("usual", window(100));
        BaselineFiles.write(files.file("usual"), baseline);
        assertEquals(baseline, BaselineFiles.read(files.file("usual")));
    }

    @Test
    void shouldTakeTheBaselineOfTheProgramWhoseLoadIsNearest() throws IOException {
        BaselineFiles files = new BaselineFiles(folder);
        BaselineFiles.write(files.file("light"), Baseline.of("light", load("server", 0.01)));
        BaselineFiles.write(files.file("heavy"), Baseline.of("heavy", load("server", 0.1)));
        BaselineFiles.write(files.file("foreign"), Baseline.of("foreign", load("another", 0.08)));
        Files.writeString(folder.resolve("broken.json"), "{");
        assertEquals("heavy", files.nearest(load("server", 0.08)).orElseThrow().name());
        assertEquals("light", files.nearest(load("server", 0.012)).orElseThrow().name());
        assertTrue(files.nearest(load("unknown", 0.08)).isEmpty());
        assertTrue(new BaselineFiles(folder.resolve("nowhere"))
                .nearest(load("server", 1))
                .isEmpty());
    }

    @Test
    void shouldRefuseFilesThatAreNoBaselineOrOfAnotherForm() throws IOException {
        Path file = folder.resolve("x.json");
        assertThrows(UncheckedIOException.class, () -> BaselineFiles.read(file));
        Files.writeString(file, "no json");
        assertThrows(IllegalArgumentException.class, () -> BaselineFiles.read(file));
        Files.writeString(file, "{\"form\":2}");
        assertThrows(IllegalArgumentException.class, () -> BaselineFiles.read(file));
        Files.writeString(file, "{\"form\":1}");
        assertThrows(IllegalArgumentException.class, () -> BaselineFiles.read(file));
    }

    @Test
    void shouldRefuseNamesThatAreNoFileNames() {
        BaselineFiles files = new BaselineFiles(folder);
        for (String name : new String[] {"", "../x", "a/b", ".hidden", "a b"}) {
            assertThrows(IllegalArgumentException.class, () -> files.file(name), name);
        }
    }

    @Test
    void shouldSayHowAFigureStands() {
        Baseline baseline = Baseline.of("usual", window(100));
        assertEquals(Baseline.Standing.ORDINARY, baseline.standing(Measure.SWITCHES, window(120)));
        assertEquals(Baseline.Standing.WORSE, baseline.standing(Measure.SWITCHES, window(140)));
        assertEquals(Baseline.Standing.BETTER, baseline.standing(Measure.SWITCHES, window(50)));
        // The same work in more pieces: shorter runs are worse.
        assertEquals(Baseline.Standing.WORSE, baseline.standing(Measure.RUN_US, window(200)));
    }

    private static Window window(double switches) {
        return new Windows()
                .threads(4, "worker", switches, 0, 0.1, 0.01, WaitKind.SIGNAL)
                .window();
    }

    private static Window load(String program, double cpu) {
        return new Windows()
                .program(program)
                .threads(4, "worker", 100, 0, cpu, 0.01, WaitKind.SIGNAL)
                .window();
    }
}
