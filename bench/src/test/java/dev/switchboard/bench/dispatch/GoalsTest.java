package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.bench.dispatch.Goal.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GoalsTest {
    private static final int WORKERS = 2;
    private static final int STEADY_WORKERS = 1;

    private final List<Result> results = new ArrayList<>();

    @Test
    void shouldSayWhatWasNotMeasured() {
        assertTrue(goals().stream().allMatch(goal -> goal.outcome() == Outcome.NOT_MEASURED));
    }

    @Test
    void shouldReachARatioAtItsLimitAndMissItAbove() {
        add("fork-join", "bursts-100000", 2, 100, 40, 0, 0);
        add("ours-balanced", "bursts-100000", 2, 100, 30, 0, 0);
        assertEquals(Outcome.REACHED, goal("ours-balanced, bursts-100000: CPU").outcome());
        assertEquals("0.75 ×", goal("ours-balanced, bursts-100000: CPU").measured());
        results.clear();
        add("fork-join", "bursts-100000", 2, 100, 40, 0, 0);
        add("ours-balanced", "bursts-100000", 2, 100, 30.4, 0, 0);
        assertEquals(Outcome.MISSED, goal("ours-balanced, bursts-100000: CPU").outcome());
    }

    @Test
    void shouldJudgeTheMedianOfTheRounds() {
        add("fork-join", "bursts-100000", 2, 100, 40, 0, 0);
        add("ours-balanced", "bursts-100000", 2, 100, 10, 0, 0);
        add("ours-balanced", "bursts-100000", 2, 100, 60, 0, 0);
        add("ours-balanced", "bursts-100000", 2, 100, 70, 0, 0);
        assertEquals("1.50 ×", goal("ours-balanced, bursts-100000: CPU").measured());
    }

    @Test
    void shouldWantMoreMessagesInAFlood() {
        add("fork-join", "flood", 2, Double.NaN, 190, 0, 1_000_000);
        add("ours-balanced", "flood", 2, Double.NaN, 190, 0, 1_100_000);
        add("ours-efficient", "flood", 2, Double.NaN, 190, 0, 1_080_000);
        assertEquals(Outcome.REACHED, goal("ours-balanced, flood: messages").outcome());
        assertEquals(Outcome.MISSED, goal("ours-efficient, flood: messages").outcome());
    }

    @Test
    void shouldCompareEfficientOnlyWithThoseThatKeepTheirLatency() {
        add("ours-efficient", "bursts-50000", 2, 400, 20, 500, 0);
        add("blocking-queue", "bursts-50000", 2, 100, 25, 900, 0);
        add("spinning-queue", "bursts-50000", 2, 600, 15, 2_000, 0);
        Goal goal = goal("ours-efficient, bursts-50000: CPU, of those");
        assertEquals(Outcome.REACHED, goal.outcome());
        assertTrue(goal.from().contains("blocking-queue"), goal.from());
    }

    @Test
    void shouldNotCallEfficientCheapestWhenItsOwnLatencyIsTooHigh() {
        add("ours-efficient", "bursts-50000", 2, 400, 20, 1_500, 0);
        add("blocking-queue", "bursts-50000", 2, 100, 25, 900, 0);
        assertEquals(
                Outcome.MISSED,
                goal("ours-efficient, bursts-50000: CPU, of those").outcome());
    }

    @Test
    void shouldSayWhoBeatsAllProfilesAndWhoBeatsOne() {
        add("ours-low-latency", "bursts-10000", 2, 5, 110, 0, 0);
        add("ours-balanced", "bursts-10000", 2, 30, 20, 0, 0);
        add("ours-efficient", "bursts-10000", 2, 400, 15, 0, 0);
        add("fork-join", "bursts-10000", 2, 25, 18, 0, 0);
        Goal goal = goal("bursts-10000: nobody");
        assertEquals(Outcome.REACHED, goal.outcome());
        assertTrue(goal.from().contains("fork-join beats ours-balanced"), goal.from());
        add("disruptor-blocking", "bursts-10000", 2, 4, 14, 0, 0);
        assertEquals(Outcome.MISSED, goal("bursts-10000: nobody").outcome());
        assertEquals("disruptor-blocking", goal("bursts-10000: nobody").measured());
    }

    @Test
    void shouldNotMixLoadsOfDifferentNumbersOfWorkers() {
        add("fork-join", "steady-100000", 2, 10, 40, 0, 0);
        add("ours-balanced", "steady-100000", 1, 10, 40, 0, 0);
        assertEquals(
                Outcome.NOT_MEASURED,
                goal("ours-balanced, steady-100000: CPU beside").outcome());
        add("fork-join", "steady-100000", 1, 10, 40, 0, 0);
        assertEquals(
                Outcome.MISSED, goal("ours-balanced, steady-100000: CPU beside").outcome());
    }

    private Goal goal(String begin) {
        return goals().stream()
                .filter(goal -> goal.what().startsWith(begin))
                .findFirst()
                .orElseThrow();
    }

    private List<Goal> goals() {
        return Goals.of(Results.Table.of(results), WORKERS, STEADY_WORKERS);
    }

    private void add(String contender, String load, int workers, double p50, double cpu, double p99, double perSecond) {
        Measured measured = new Measured(p50, p99, p99, p99, cpu, cpu, 10, 0, 0, 0, 0, 0, perSecond, 0, 500);
        results.add(new Result(results.size() + 1, contender, load, workers, measured));
    }
}
