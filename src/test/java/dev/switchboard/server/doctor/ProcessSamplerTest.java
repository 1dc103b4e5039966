package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.harness.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over folders that look like {@code /proc}, so that threads are born and die when the test says so. */
class ProcessSamplerTest {
    private static final long PID = 500;

    @TempDir
    private Path proc;

    @Test
    void shouldCountWhatThreadsDidBetweenTheLooks() throws IOException {
        thread(500, "main", 10, 1, 1_000, 10, 5);
        thread(501, "a (b) c", 100, 20, 5_000, 50, 120);
        try (ProcessSampler sampler = new ProcessSampler(proc, PID)) {
            assertEquals(0, sampler.look(0, true).voluntary());
            thread(501, "a (b) c", 140, 25, 9_000, 80, 165);
            ProcessSampler.Sums sums = sampler.look(2, true);
            assertEquals(new ProcessSampler.Sums(2, 40, 5, 4_000, 30), sums);
            ThreadFigures figures = byTid(sampler).get(501);
            assertEquals("a (b) c", figures.name());
            assertEquals(22.5, figures.peakPerSecond(), 1e-9);
            assertFalse(figures.born());
        }
    }

    @Test
    void shouldNotReadTheSwitchesOfThreadsThatDidNotRun() throws IOException {
        thread(500, "main", 10, 1, 1_000, 10, 5);
        try (ProcessSampler sampler = new ProcessSampler(proc, PID)) {
            ProcessSampler.Sums unused = sampler.look(0, true);
            // Can't be: switches without a run. It is not looked at.
            thread(500, "main", 99, 1, 1_000, 10, 5);
            assertEquals(0, sampler.look(1, true).voluntary());
        }
    }

    @Test
    void shouldGuessBetweenReadingsAndKnowAtTheEnd() throws IOException {
        for (int tid = 501; tid <= 600; tid++) {
            thread(tid, "busy", 90, 10, 1_000, 0, 100);
        }
        thread(500, "quiet", 60, 20, 1_000, 0, 80);
        try (ProcessSampler sampler = sampler()) {
            ProcessSampler.Sums unused = sampler.look(0, true);
            for (int tid = 501; tid <= 600; tid++) {
                thread(tid, "busy", 140, 60, 2_000, 0, 200);
            }
            thread(500, "quiet", 60, 28, 1_500, 0, 88);
            // 64 were read; of the rest it is known how often they ran, and taken that they go on as they did: 9 of 10,
            // 3 of 4.
            ProcessSampler.Sums guessed = sampler.look(1, false);
            assertEquals(64 * 50 + 36 * 90 + 6, guessed.voluntary());
            assertEquals(100 * 100 + 8, guessed.voluntary() + guessed.involuntary());
            ProcessSampler.Sums known = sampler.look(1, true);
            assertEquals(100 * 50, known.voluntary());
            assertEquals(100 * 50 + 8, known.involuntary());
        }
    }

    @Test
    void shouldCountAllThatNewThreadsDidAndWhatThoseDidThatEnded() throws IOException {
        thread(500, "main", 10, 1, 1_000, 10, 5);
        thread(501, "old", 100, 0, 1_000, 0, 50);
        try (ProcessSampler sampler = new ProcessSampler(proc, PID)) {
            ProcessSampler.Sums unused = sampler.look(0, true);
            thread(501, "old", 107, 0, 2_000, 0, 57);
            thread(502, "new", 30, 3, 700, 0, 33);
            unused = sampler.look(1, true);
            Folders.delete(proc.resolve("500/task/501"));
            ProcessSampler.Sums sums = sampler.look(1, true);
            assertEquals(new ProcessSampler.Sums(2, 37, 3, 1_700, 0), sums);
            Map<Integer, ThreadFigures> threads = byTid(sampler);
            assertTrue(threads.get(501).ended());
            assertEquals(7, threads.get(501).voluntary());
            assertTrue(threads.get(502).born());
            assertEquals(33, threads.get(502).switches());
        }
    }

    @Test
    void shouldNotMixUpThreadsThatWereGivenTheSameNumber() throws IOException {
        thread(500, "main", 10, 1, 1_000, 10, 5);
        thread(501, "first", 100, 0, 1_000, 0, 50);
        try (ProcessSampler sampler = new ProcessSampler(proc, PID)) {
            ProcessSampler.Sums unused = sampler.look(0, true);
            Folders.delete(proc.resolve("500/task/501"));
            unused = sampler.look(1, true);
            thread(501, "second", 5, 0, 100, 0, 5);
            assertEquals(5, sampler.look(1, true).voluntary());
            List<ThreadFigures> both =
                    sampler.figures().stream().filter(t -> t.tid() == 501).toList();
            assertEquals(2, both.size());
        }
    }

    @Test
    void shouldDoWithoutTheKernelsRunTimes() throws IOException {
        thread(500, "main", 10, 1, 1_000, 10, 5);
        Files.delete(proc.resolve("500/task/500/schedstat"));
        try (ProcessSampler sampler = new ProcessSampler(proc, PID)) {
            assertFalse(sampler.timesKnown());
            ProcessSampler.Sums unused = sampler.look(0, true);
            thread(500, "main", 15, 2, 30_000_000, 10, 5);
            Files.delete(proc.resolve("500/task/500/schedstat"));
            assertEquals(new ProcessSampler.Sums(1, 5, 1, 30_000_000, 0), sampler.look(1, true));
            assertEquals(ThreadFigures.UNKNOWN, byTid(sampler).get(500).waitNs());
        }
    }

    @Test
    void shouldSayWhyAProcessCannotBeWatched() throws IOException {
        assertEquals(ExaminationFailure.NO_SUCH_PROCESS, failure(sampler()).exitCode());
        Files.createDirectories(proc.resolve("500"));
        assertEquals(ExaminationFailure.NO_PERMISSION, failure(sampler()).exitCode());
        thread(500, "main", 10, 1, 1_000, 10, 5);
        try (ProcessSampler sampler = sampler()) {
            ProcessSampler.Sums unused = sampler.look(0, true);
            Folders.delete(proc.resolve("500"));
            assertEquals(ExaminationFailure.ENDED, failure(sampler).exitCode());
        }
    }

    @Test
    void shouldKnowThatAProcessHasEndedOfWhichOnlyTheNumberIsLeft() throws IOException {
        thread(500, "main", 10, 1, 1_000, 10, 5);
        try (ProcessSampler sampler = sampler()) {
            ProcessSampler.Sums unused = sampler.look(0, true);
            Files.writeString(proc.resolve("500/task/500/stat"), stat("main", 'Z', 0));
            assertEquals(ExaminationFailure.ENDED, failure(sampler).exitCode());
        }
    }

    private ProcessSampler sampler() {
        return new ProcessSampler(proc, PID);
    }

    private static ExaminationFailure failure(ProcessSampler sampler) {
        return assertThrows(ExaminationFailure.class, () -> sampler.look(1, true));
    }

    private static Map<Integer, ThreadFigures> byTid(ProcessSampler sampler) {
        return sampler.figures().stream().collect(Collectors.toMap(ThreadFigures::tid, Function.identity()));
    }

    private void thread(int tid, String name, long voluntary, long involuntary, long cpuNs, long waitNs, long runs)
            throws IOException {
        Path folder = proc.resolve("500/task/" + tid);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("stat"), stat(name, 'S', cpuNs / ProcText.NS_PER_TICK));
        Files.writeString(folder.resolve("schedstat"), cpuNs + " " + waitNs + " " + runs + "\n");
        Files.writeString(
                folder.resolve("status"),
                "Name:\t" + name + "\nThreads:\t2\nvoluntary_ctxt_switches:\t" + voluntary
                        + "\nnonvoluntary_ctxt_switches:\t" + involuntary + "\n");
    }

    private static String stat(String name, char state, long ticks) {
        return "500 (" + name + ") " + state + " 1 1 1 0 -1 4194368 7 0 0 0 " + ticks + " 0 5 3 20 0 2 0 99 0 0\n";
    }
}
