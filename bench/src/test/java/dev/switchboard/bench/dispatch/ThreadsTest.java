package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ThreadsTest {
    private static final String STATUS = """
            Name:\tworker-1
            State:\tS (sleeping)
            voluntary_ctxt_switches:\t1234
            nonvoluntary_ctxt_switches:\t56
            """;

    @Test
    void shouldTellVoluntaryFromInvoluntarySwitches() {
        assertEquals(new Threads.Use(987_654_321, 1234, 56), Threads.parse(STATUS, "987654321 55 1290\n"));
    }

    @Test
    void shouldRefuseAStatusWithoutTheField() {
        assertThrows(IllegalArgumentException.class, () -> Threads.parse("Name:\tx\n", "1 2 3"));
        assertThrows(
                IllegalArgumentException.class,
                () -> Threads.parse("Name:\tx\nnonvoluntary_ctxt_switches:\t56\n", "1 2 3"));
    }

    @Test
    void shouldKnowACompilerByItsName() {
        assertTrue(Threads.isCompiler("Name:\tC2 CompilerThre\nState:\tS\n"));
        assertFalse(Threads.isCompiler(STATUS));
    }

    @Test
    void shouldFindTheUseOfTheCallingThread() {
        long own = Threads.ownTaskId();
        ThreadUse use = new ThreadUse(Threads.look());
        for (int i = 0; i < 100; i++) {
            LockSupport.parkNanos(100_000);
        }
        use.add(Threads.look());
        assertTrue(use.of(own).voluntary() >= 50, () -> "switches: " + use.of(own));
        assertTrue(use.ofAll().voluntary() >= use.of(own).voluntary());
    }

    @Test
    void shouldCountThreadsThatBeganFromNothingAndThoseThatEndedUpToTheLastLook() {
        ThreadUse use = new ThreadUse(look(Map.of(1L, use(100), 2L, use(1000))));
        use.add(look(Map.of(1L, use(150), 2L, use(1300), 3L, use(7))));
        use.add(look(Map.of(1L, use(180), 3L, use(9))));
        assertEquals(80, use.of(1).cpuNs());
        assertEquals(300, use.of(2).cpuNs());
        assertEquals(9, use.of(3).cpuNs());
        assertEquals(389, use.ofAll().cpuNs());
        assertEquals(0, use.of(4).cpuNs());
    }

    @Test
    void shouldNotMistakeANewThreadForTheOneThatHadItsNumber() {
        ThreadUse use = new ThreadUse(look(Map.of(1L, use(1000))));
        use.add(look(Map.of(1L, use(1500))));
        use.add(look(Map.of(1L, use(40))));
        assertEquals(540, use.ofAll().cpuNs());
    }

    @Test
    void shouldSeeSwitchesOfAThreadThatHasEndedSince() throws InterruptedException {
        ThreadUse use = new ThreadUse(Threads.look());
        AtomicLong task = new AtomicLong();
        Thread thread = new Thread(() -> {
            task.set(Threads.ownTaskId());
            for (int i = 0; i < 50; i++) {
                LockSupport.parkNanos(100_000);
            }
            use.add(Threads.look());
        });
        thread.start();
        thread.join();
        use.add(Threads.look());
        assertTrue(use.of(task.get()).voluntary() >= 25, () -> "switches: " + use.of(task.get()));
    }

    @Test
    void shouldTellWhatTheCompilersUsed() {
        ThreadUse use = new ThreadUse(new Threads.Look(Map.of(1L, use(10), 2L, use(20)), Set.of(2L)));
        use.add(new Threads.Look(Map.of(1L, use(11), 2L, use(50), 3L, use(5)), Set.of(2L, 3L)));
        assertEquals(35, use.ofCompilers().cpuNs());
        assertEquals(36, use.ofAll().cpuNs());
    }

    private static Threads.Look look(Map<Long, Threads.Use> used) {
        return new Threads.Look(used, Set.of());
    }

    private static Threads.Use use(long cpuNs) {
        return new Threads.Use(cpuNs, 0, 0);
    }
}
