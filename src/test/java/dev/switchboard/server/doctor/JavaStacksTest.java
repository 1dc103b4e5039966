package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class JavaStacksTest {
    private static final Map<Integer, JavaStack> STACKS = JavaStacks.parse(Recorded.text("thread-print.txt"));
    private static final Map<String, JavaStack> BY_NAME =
            STACKS.values().stream().collect(Collectors.toMap(JavaStack::name, stack -> stack));

    @Test
    void shouldTellWhatEachThreadWaitsFor() {
        doing(JavaStack.Doing.WAITS_FOR_LOCK, "blocked \"by\" monitor", "parks for lock", "tries lock");
        doing(JavaStack.Doing.WAITS_FOR_SIGNAL, "waits for signal", "relocks", "takes", "parks");
        doing(JavaStack.Doing.WAITS_FOR_TIME, "sleeps", "main");
        doing(JavaStack.Doing.WAITS_FOR_IO, "accepts", "selects");
        doing(JavaStack.Doing.RUNS, "spins");
    }

    @Test
    void shouldKnowWhoWaitsForTheSameLock() {
        String lock = BY_NAME.get("parks for lock").lock();
        assertTrue(lock.contains("ReentrantLock$NonfairSync"), lock);
        assertEquals(lock, BY_NAME.get("tries lock").lock());
        assertTrue(BY_NAME.get("blocked \"by\" monitor").lock().contains("java.lang.Object"));
    }

    @Test
    void shouldNameThePlaceInTheProgramRatherThanInTheLibrary() {
        assertEquals("Example.lambda$main$1", BY_NAME.get("parks for lock").place());
    }

    @Test
    void shouldFindNativeIdsOfOldAndNewJavas() {
        assertEquals("new", JavaStacks.parse("""
                                "new" #22 [4711] daemon prio=5 os_prio=0 cpu=1.0ms tid=0x00007f nid=4711 runnable  [0x1]
                                   java.lang.Thread.State: RUNNABLE
                                """).get(4711).name());
        assertTrue(STACKS.keySet().stream().allMatch(tid -> tid > 0 && tid < 1 << 22));
    }

    @Test
    void shouldLeaveOutWhatItCannotRead() {
        assertEquals(Map.of(), JavaStacks.parse("27062:\nDump not available\n"));
        assertEquals(Map.of(), JavaStacks.parse(""));
    }

    private static void doing(JavaStack.Doing doing, String... names) {
        for (String name : names) {
            assertEquals(doing, BY_NAME.get(name).doing(), name);
        }
    }
}
