package dev.switchboard.dispatcher;

import static dev.switchboard.dispatcher.WaitSimulation.COSTS;
import static dev.switchboard.dispatcher.WaitSimulation.bursts;
import static dev.switchboard.dispatcher.WaitSimulation.poisson;
import static dev.switchboard.dispatcher.WaitSimulation.steady;
import static dev.switchboard.dispatcher.WaitSimulation.then;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** How near the adaptive choice comes to one who knows the gaps, and to the budget, over traces of arrivals. */
class AdaptiveLadderTest {
    private static final Logger LOG = LoggerFactory.getLogger(AdaptiveLadderTest.class);
    private static final int MESSAGES = 40_000;

    private static AffinitySettings settings(String profile) {
        return AffinitySettings.of(ConfigFactory.parseString("affinity.profile = " + profile), 2);
    }

    private static Map<String, long[]> traces() {
        Map<String, long[]> traces = new LinkedHashMap<>();
        traces.put("steady 10 us", steady(MESSAGES, 10_000));
        traces.put("steady 20 us", steady(MESSAGES, 20_000));
        traces.put("steady 100 us", steady(MESSAGES, 100_000));
        traces.put("steady 1 ms", steady(MESSAGES, 1_000_000));
        traces.put("random, mean 10 us", poisson(MESSAGES, 10_000, 1));
        traces.put("random, mean 50 us", poisson(MESSAGES, 50_000, 2));
        traces.put("random, mean 200 us", poisson(MESSAGES, 200_000, 3));
        traces.put("bursts of 26 each 0.26 ms", bursts(MESSAGES, 260_000, 26));
        traces.put("bursts of 3 each 0.26 ms", bursts(MESSAGES, 260_000, 3));
        traces.put(
                "changing every 5000",
                then(
                        steady(5000, 10_000),
                        bursts(5000, 260_000, 26),
                        poisson(5000, 200_000, 4),
                        steady(5000, 20_000),
                        bursts(5000, 260_000, 3),
                        poisson(5000, 10_000, 5)));
        return traces;
    }

    /** Stays awake as long as a park costs: the best rule without knowledge. */
    private static WaitPolicy skiRental() {
        return new FixedLadder(new Ladder(COSTS.parkNs(), 0, 0, 0));
    }

    @Test
    void shouldComeNearAnOracleThatKnowsTheGaps() {
        for (String profile : new String[] {"balanced", "efficient"}) {
            AffinitySettings settings = settings(profile);
            traces().forEach((name, arrivals) -> {
                long oracle = WaitSimulation.oracle(arrivals, settings.latencyBudgetNs());
                WaitSimulation.Result ours = WaitSimulation.run(new AdaptiveLadder(settings, COSTS), arrivals);
                WaitSimulation.Result rental = WaitSimulation.run(skiRental(), arrivals);
                WaitSimulation.Result parking = WaitSimulation.run(new FixedLadder(Ladder.PARK), arrivals);
                LOG.atLevel(Boolean.getBoolean("switchboard.show") ? Level.WARN : Level.INFO)
                        .log(String.format(
                                Locale.ROOT,
                                "%-10s %-26s oracle 1.00, adaptive %.2f, ski rental %.2f, park at once %.2f; late %.1f us",
                                profile,
                                name,
                                (double) ours.cpuNs() / oracle,
                                (double) rental.cpuNs() / oracle,
                                (double) parking.cpuNs() / oracle,
                                ours.meanLateNs() / 1000));
                // Gaps that come evenly and last longer than a nap: he who knows that naps exactly so long, a lane
                // parks.
                double most = name.equals("steady 100 us") && profile.equals("balanced") ? 2.01 : 1.7;
                assertTrue(ours.cpuNs() <= most * oracle, name + ": " + (double) ours.cpuNs() / oracle);
                assertTrue(ours.cpuNs() <= 1.02 * rental.cpuNs(), name + ": dearer than ski rental");
                assertTrue(ours.meanLateNs() <= settings.latencyBudgetNs(), name + ": late by " + ours.meanLateNs());
            });
        }
    }

    @Test
    void shouldStayAwakeWhileTrafficFlowsForLowLatency() {
        AffinitySettings settings = settings("low-latency");
        for (long[] arrivals :
                new long[][] {steady(MESSAGES, 10_000), poisson(MESSAGES, 50_000, 1), bursts(MESSAGES, 260_000, 26)}) {
            WaitSimulation.Result result = WaitSimulation.run(new AdaptiveLadder(settings, COSTS), arrivals);
            assertTrue(result.sleeps() <= 2, "sleeps: " + result.sleeps());
            assertTrue(result.meanLateNs() < 10, "late by " + result.meanLateNs());
        }
    }

    @Test
    void shouldGiveUpWaitingAwakeWhenTrafficIsTooThinForLowLatency() {
        AffinitySettings settings = settings("low-latency");
        AdaptiveLadder ladder = new AdaptiveLadder(settings, COSTS);
        WaitSimulation.run(ladder, steady(1000, 20_000_000));
        assertEquals(COSTS.parkNs(), ladder.current().awakeNs());
        WaitSimulation.run(ladder, steady(1000, 20_000));
        assertEquals(settings.spinNs() + settings.yieldNs(), ladder.current().awakeNs(), "and hopes again");
    }

    @Test
    void shouldParkBetweenBurstsAndNapThroughSteadyTrafficWhenBalanced() {
        AffinitySettings settings = settings("balanced");
        AdaptiveLadder ladder = new AdaptiveLadder(settings, COSTS);
        WaitSimulation.run(ladder, bursts(MESSAGES, 260_000, 26));
        assertEquals(0, ladder.current().naps());
        assertTrue(ladder.current().awakeNs() < 5_000, "not awake through the gap between bursts");
        WaitSimulation.run(ladder, steady(MESSAGES, 10_000));
        assertTrue(ladder.current().naps() > 0);
        assertTrue(ladder.current().napNs() / 2 <= settings.latencyBudgetNs());
    }

    @Test
    void shouldNeitherNapNorSpinWhereThatCostsMoreThanItSaves() {
        WaitCosts dearNaps = new WaitCosts(5_000, 6_000, 150_000, 9_000);
        AdaptiveLadder ladder = new AdaptiveLadder(settings("balanced"), dearNaps);
        WaitSimulation.run(ladder, steady(1000, 100_000));
        assertEquals(Ladder.PARK, ladder.current());
    }

    @Test
    void shouldParkWhereANapIsLikelyToFindNothing() {
        AffinitySettings settings = settings("balanced");
        AdaptiveLadder ladder = new AdaptiveLadder(settings, COSTS);
        WaitSimulation.run(ladder, steady(MESSAGES, 100_000));
        assertEquals(Ladder.PARK, ladder.current());
    }

    @Test
    void shouldParkAgainWhenWakeUpsTurnOutQuickerThanTheFirstFigure() {
        AffinitySettings settings = settings("balanced");
        AdaptiveLadder ladder = new AdaptiveLadder(settings, new WaitCosts(190_000, 22_000, 11_000, 9_000));
        WaitSimulation.run(ladder, steady(1000, 400_000));
        assertTrue(ladder.current().naps() > 0, "a wake-up doesn't fit into the budget");
        for (int i = 0; i < 50; i++) {
            ladder.woke(12_000);
        }
        WaitSimulation.run(ladder, steady(1000, 400_000));
        assertEquals(Ladder.PARK, ladder.current());
    }

    @Test
    void shouldTryToParkAgainAfterWakeUpsWereSlowForATime() {
        AffinitySettings settings = settings("balanced");
        AdaptiveLadder ladder = new AdaptiveLadder(settings, COSTS);
        for (int i = 0; i < 100; i++) {
            ladder.woke(5_000_000);
        }
        WaitSimulation.run(ladder, steady(100, 100_000));
        assertTrue(ladder.current().naps() > 0);
        WaitSimulation.run(ladder, steady(MESSAGES, 100_000));
        assertEquals(Ladder.PARK, ladder.current());
    }

    @Test
    void shouldKeepTheWakeUpCostThatTheSettingsGive() {
        AffinitySettings settings = AffinitySettings.of(
                ConfigFactory.parseString("affinity { profile = balanced, wake-up-cost = 30us }"), 2);
        AdaptiveLadder ladder = new AdaptiveLadder(settings, MachineCosts.of(settings));
        for (int i = 0; i < 100; i++) {
            ladder.woke(1_000);
        }
        assertEquals(30_000, ladder.wakeUpNs());
    }
}
