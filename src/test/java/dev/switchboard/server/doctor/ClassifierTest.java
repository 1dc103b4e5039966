package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.server.doctor.Diagnosis.Cause;
import dev.switchboard.server.doctor.Diagnosis.Finding;
import dev.switchboard.server.doctor.Diagnosis.Kind;
import dev.switchboard.server.doctor.Diagnosis.Sureness;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of which figures. Those of sick programs are like what real ones gave, on quiet and on busy machines. */
class ClassifierTest {
    private static final Yardstick RULES = new Yardstick.RulesOfThumb();

    @Test
    void shouldFindThreadsInLineAtOneLock() {
        Window window = new Windows()
                .threads(128, "worker", 180, 150, 0.007, 0.01, WaitKind.SIGNAL)
                .window();
        is(Kind.MOSTLY_VOLUNTARY, Cause.ONE_LOCK, diagnose(window, JavaStack.Doing.WAITS_FOR_LOCK));
        assertTrue(diagnose(window, JavaStack.Doing.WAITS_FOR_LOCK).has(Kind.SWITCHES_WITHOUT_WORK));
    }

    @Test
    void shouldNotTakeALineAtALockForOverloadWhenOthersUseTheCores() {
        Window window = new Windows()
                .threads(128, "worker", 180, 150, 0.004, 0.035, WaitKind.SIGNAL)
                .others(2000, 1.5)
                .window();
        is(Kind.MOSTLY_VOLUNTARY, Cause.ONE_LOCK, diagnose(window, JavaStack.Doing.WAITS_FOR_LOCK));
    }

    @Test
    void shouldFindMoreReadyThreadsThanCores() {
        Window window = new Windows()
                .threads(16, "cruncher", 1, 35, 0.125, 0.86, WaitKind.RUNNING)
                .window();
        is(Kind.MOSTLY_INVOLUNTARY, Cause.TOO_MANY_RUNNABLE, Classifier.diagnose(window, Map.of(), RULES));
        assertEquals(
                Sureness.HIGH,
                Classifier.diagnose(window, Map.of(), RULES).verdict().sure());
    }

    @Test
    void shouldFindOverloadWhenThreadsBothWaitAndPushEachOther() {
        Window window = new Windows()
                .threads(32, "worker", 300, 200, 0.06, 0.5, WaitKind.POLL)
                .window();
        is(Kind.OVERLOAD, Cause.TOO_MANY_RUNNABLE, Classifier.diagnose(window, Map.of(), RULES));
    }

    @Test
    void shouldFindAStormOfWakeUpsThoughTheWakerIsPushedOffItsCore() {
        Window window = new Windows()
                .threads(96, "idler", 141, 3, 0.002, 0.006, WaitKind.SIGNAL)
                .threads(1, "waker", 141, 9100, 0.09, 0.18, WaitKind.TIMED)
                .others(2000, 1.7)
                .window();
        Diagnosis diagnosis = diagnose(window, JavaStack.Doing.WAITS_FOR_SIGNAL);
        is(Kind.MOSTLY_VOLUNTARY, Cause.WAKE_UP_STORM, diagnosis);
        assertEquals(Sureness.HIGH, diagnosis.verdict().sure());
        is(Kind.MOSTLY_VOLUNTARY, Cause.WAKE_UP_STORM, Classifier.diagnose(window, Map.of(), RULES));
    }

    @Test
    void shouldFindTheOneThreadThatSleepsAndWakesAllTheTime() {
        Window window = new Windows()
                .threads(1, "poller", 5000, 0, 0.06, 0.02, WaitKind.TIMED)
                .threads(20, "bystander", 2, 0, 0.001, 0, null)
                .window();
        Diagnosis diagnosis = Classifier.diagnose(window, Map.of(), RULES);
        is(Kind.ONE_THREAD_APART, Cause.SHORT_SLEEPS, diagnosis);
        assertTrue(diagnosis.verdict().saw().contains("poller-0"));
    }

    @Test
    void shouldFindTheOneThreadThatNeverWaits() {
        Window window = new Windows()
                .threads(1, "spinner", 0, 20, 0.98, 0.01, WaitKind.RUNNING)
                .threads(10, "worker", 10, 1, 0.01, 0, null)
                .window();
        is(Kind.ONE_THREAD_APART, Cause.BUSY_LOOP, Classifier.diagnose(window, Map.of(), RULES));
    }

    @Test
    void shouldFindManySmallReads() {
        Window window = new Windows()
                .threads(4, "reader", 2000, 5, 0.05, 0.01, WaitKind.IO)
                .window();
        is(Kind.MOSTLY_VOLUNTARY, Cause.INPUT_OUTPUT, Classifier.diagnose(window, Map.of(), RULES));
    }

    @Test
    void shouldLetThoseBeWhoWork() {
        Window working = new Windows()
                .threads(6, "worker", 50, 12, 0.09, 0.04, WaitKind.TIMED)
                .window();
        is(Kind.HEALTHY, Cause.NONE, Classifier.diagnose(working, Map.of(), RULES));
        Window busy = new Windows()
                .threads(8, "worker", 900, 60, 0.2, 0.05, WaitKind.SIGNAL)
                .window();
        is(Kind.HEALTHY, Cause.NONE, Classifier.diagnose(busy, Map.of(), RULES));
        Window idle = new Windows().threads(300, "idle", 0, 0, 0, 0, null).window();
        is(Kind.HEALTHY, Cause.NONE, Classifier.diagnose(idle, Map.of(), RULES));
    }

    @Test
    void shouldBlameOthersForWaitsThatTheyCause() {
        Window window = new Windows()
                .threads(6, "worker", 50, 60, 0.05, 0.15, WaitKind.TIMED)
                .others(5000, 1.6)
                .window();
        Diagnosis diagnosis = Classifier.diagnose(window, Map.of(), RULES);
        is(Kind.HEALTHY, Cause.NONE, diagnosis);
        assertTrue(diagnosis.has(Kind.OTHERS_TAKE_THE_CORES));
    }

    @Test
    void shouldRemarkOnThreadsManyTimesTheCores() {
        Window window = new Windows()
                .threads(60, "worker", 8, 1, 0.01, 0.001, WaitKind.SIGNAL)
                .window();
        Diagnosis diagnosis = Classifier.diagnose(window, Map.of(), RULES);
        is(Kind.HEALTHY, Cause.NONE, diagnosis);
        assertTrue(diagnosis.has(Kind.MANY_THREADS));
    }

    @Test
    void shouldBeLessSureWhatItCannotSee() {
        Window window =
                new Windows().threads(4, "worker", 2000, 5, 0.05, 0.01, null).window();
        Finding verdict = Classifier.diagnose(window, Map.of(), RULES).verdict();
        assertEquals(Cause.UNKNOWN, verdict.cause());
        assertEquals(Sureness.LOW, verdict.sure());
    }

    @Test
    void shouldNotComplainOfWhatTheBaselineShowsAsUsual() {
        Window usual = new Windows()
                .threads(32, "lane", 900, 10, 0.03, 0.01, WaitKind.SIGNAL)
                .window();
        is(Kind.MOSTLY_VOLUNTARY, Cause.LOCKS, Classifier.diagnose(usual, Map.of(), RULES));
        Baseline baseline = Baseline.of("usual", usual);
        Window later = new Windows()
                .threads(32, "lane", 1000, 12, 0.031, 0.011, WaitKind.SIGNAL)
                .window();
        Diagnosis diagnosis = Classifier.diagnose(later, Map.of(), baseline);
        is(Kind.HEALTHY, Cause.NONE, diagnosis);
        assertEquals("usual", diagnosis.baseline());
    }

    @Test
    void shouldComplainOfLittleWhereTheBaselineHadLess() {
        Baseline baseline = Baseline.of(
                "usual",
                new Windows()
                        .threads(12, "lane", 20, 1, 0.05, 0.01, WaitKind.SIGNAL)
                        .window());
        Window later = new Windows()
                .threads(12, "lane", 75, 1, 0.05, 0.01, WaitKind.SIGNAL)
                .window();
        is(Kind.HEALTHY, Cause.NONE, Classifier.diagnose(later, Map.of(), RULES));
        Diagnosis diagnosis = Classifier.diagnose(later, Map.of(), baseline);
        assertEquals(Kind.MOSTLY_VOLUNTARY, diagnosis.verdict().kind());
        assertFalse(diagnosis.verdict().evidence().stream().anyMatch(line -> line.contains("rule of thumb")));
    }

    /** With stacks of all threads that do the same at one lock. */
    private static Diagnosis diagnose(Window window, JavaStack.Doing doing) {
        Map<Integer, JavaStack> stacks = new HashMap<>();
        for (ThreadFigures thread : window.threads()) {
            stacks.put(
                    thread.tid(), new JavaStack(thread.tid(), thread.name(), doing, "<0x1> (a Lock)", List.of("A.b")));
        }
        return Classifier.diagnose(window, stacks, RULES);
    }

    private static void is(Kind kind, Cause cause, Diagnosis diagnosis) {
        assertEquals(kind, diagnosis.verdict().kind(), diagnosis::toString);
        assertEquals(cause, diagnosis.verdict().cause(), diagnosis::toString);
    }
}
