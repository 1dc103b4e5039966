package dev.switchboard.dispatcher;

/**
 * Chooses the steps of a lane's waits from the gaps that the lane saw. Called by the lane's thread alone.
 *
 * <p><b>The problem.</b> When the run queue is empty the lane doesn't know how long the gap until the next arrival will
 * be. Staying awake costs the gap itself in processor time; parking costs a fixed amount, most of it the producer's call
 * that wakes the lane. That is ski rental: rent by the nanosecond, or buy. Without any knowledge the best that a rule can
 * promise is to stay awake exactly as long as parking costs and to park then: never more than twice what one who knew
 * the gap would pay (Karlin, Manasse, Rudolph and Sleator, "Competitive snoopy caching", 1988). With the gaps'
 * distribution known, the threshold that is cheapest on average does better (Karlin, Manasse, McGeoch and Owicki,
 * "Competitive randomized algorithms for non-uniform problems", 1990); with bursts it typically lies just above the gaps
 * within a burst.
 *
 * <p><b>What a lane adds to it.</b> It has a third choice, to nap: a timed sleep needs no producer and lets messages
 * gather, so its cost is shared by all that came meanwhile. A nap is late by half its length on average, so the budget
 * bounds it. Costs are therefore compared as <em>rates</em>, processor time per time that passes: a cycle is one gap, the
 * sleep beyond it and the work it brought, and the cheapest rate over the recorded gaps wins, among the ways that keep
 * the budget:
 *
 * <ul>
 *   <li>stay awake up to a threshold, then park: late by a wake-up's latency;
 *   <li>stay awake up to a threshold, then nap: late by half a nap. Only where the longer gaps end within one nap on
 *       average, if parking is possible: a nap that finds nothing puts off the park and costs as much as one;
 *   <li>where the budget allows neither, stay awake as long as the settings let it, if that has caught at least one gap
 *       of ten; if it hasn't, the traffic has stopped or is too thin to wait for, and the threshold is the parking cost.
 * </ul>
 *
 * <p><b>What it can't see.</b> A gap that ended within a nap isn't seen, only what gathered. It is taken to be the even
 * share of the cycle. If that is wrong because the traffic comes in bursts, the next nap finds nothing, and such gaps are
 * recorded at their length; so the mistake corrects itself.
 *
 * <p><b>What a wake-up takes</b> decides whether parking keeps the budget. {@link MachineCosts} gives the first figure, the
 * shortest of some dozens at the start; from then on each wake-up of this lane is measured, from the producer's call to
 * the lane's running ({@link WakeUpTime}).
 */
final class AdaptiveLadder implements WaitPolicy {
    /** The ladder is chosen anew after that many waits. */
    private static final int WAITS_PER_PLAN = 32;

    /** Below that many recorded gaps there is no distribution to speak of. */
    private static final int GAPS_TO_TRUST = 16;

    /** One nap tells about many gaps, but not so much that it may drown what was seen before. */
    private static final long GAPS_PER_NAP = 8;

    /** Staying awake must catch one gap in that many to be worth it for the latency. */
    private static final int HOPE = 10;

    private static final boolean[] PARK_OR_NAP = {false, true};

    private final WakeUpTime wakeUp;
    private final boolean wakeUpIsSet;
    private final long budgetNs;
    private final long longestSpinNs;
    private final long longestAwakeNs;
    private final long napNs;
    private final int naps;
    private final GapHistory gaps = new GapHistory();

    private WaitCosts costs;
    private boolean mayPark;
    private Ladder ladder;
    private int waits;
    private Step lastStep = Step.AWAKE;
    private long lastIdleNs;
    private double workNs = 1_000;

    AdaptiveLadder(AffinitySettings settings, WaitCosts costs) {
        this.costs = costs;
        this.wakeUp = new WakeUpTime(costs.wakeUpNs());
        this.wakeUpIsSet = settings.wakeUpCostNs() > 0;
        this.budgetNs = settings.latencyBudgetNs();
        this.longestSpinNs = settings.spinNs();
        this.longestAwakeNs = settings.spinNs() + settings.yieldNs();
        long budgeted = Math.min(settings.napNs(), longestNapNs(budgetNs));
        // A nap that is shorter than its own cost saves nothing against staying awake.
        boolean worthIt = budgeted >= Math.max(costs.napNs(), costs.napOverNs());
        this.napNs = worthIt ? budgeted : 0;
        this.naps = worthIt ? settings.naps() : 0;
        this.mayPark = costs.wakeUpNs() <= budgetNs;
        this.ladder = withoutHistory();
    }

    /** Late by half of it on average; the last quarter of the budget is for working off what gathered. */
    static long longestNapNs(long budgetNs) {
        return budgetNs + budgetNs / 2;
    }

    @Override
    public Ladder begin(long busyNs, long runs) {
        if (runs > 0) {
            learn(busyNs, runs);
        }
        if (++waits >= WAITS_PER_PLAN) {
            waits = 0;
            wakeUp.passes();
            costs = costs.withWakeUp(wakeUp.medianNs());
            mayPark = costs.wakeUpNs() <= budgetNs;
            ladder = plan();
        }
        return ladder;
    }

    @Override
    public void ended(Step step, long idleNs) {
        lastStep = step;
        lastIdleNs = idleNs;
    }

    @Override
    public void woke(long nanos) {
        if (!wakeUpIsSet) {
            wakeUp.took(nanos);
        }
    }

    private void learn(long busyNs, long runs) {
        workNs += ((double) busyNs / runs - workNs) / 16;
        if (lastStep == Step.AWAKE) {
            gaps.record(lastIdleNs, 1);
        } else if (lastStep == Step.PARK) {
            gaps.record(Math.max(0, lastIdleNs - costs.wakeUpNs()), 1);
        } else if (lastIdleNs > ladder.awakeNs() + napNs + napNs / 2) {
            gaps.record(lastIdleNs - napNs / 2, 1);
        } else {
            long each = (lastIdleNs + busyNs) / runs - (long) workNs;
            gaps.record(Math.max(0, each), (int) Math.min(runs, GAPS_PER_NAP));
        }
    }

    /** What to do while nothing is known: stay awake as long as parking costs. */
    private Ladder withoutHistory() {
        return awake(mayPark ? Math.min(costs.parkNs(), longestAwakeNs) : longestAwakeNs, false);
    }

    private Ladder awake(long thresholdNs, boolean nap) {
        long spin = Math.min(thresholdNs, longestSpinNs);
        return new Ladder(spin, thresholdNs - spin, nap ? napNs : 0, nap ? naps : 0);
    }

    private Ladder plan() {
        if (gaps.total() < GAPS_TO_TRUST) {
            return withoutHistory();
        }
        if (!mayPark && naps == 0) {
            return awake(hopeful() ? longestAwakeNs : Math.min(costs.parkNs(), longestAwakeNs), false);
        }
        double perArrivalNs = meanGapNs() + workNs;
        Ladder best = null;
        double bestRate = Double.MAX_VALUE;
        for (int bucket = -1; bucket < GapHistory.BUCKETS; bucket++) {
            long threshold = bucket < 0 ? 0 : GapHistory.end(bucket);
            if (threshold > longestAwakeNs) {
                break;
            }
            for (boolean nap : PARK_OR_NAP) {
                if (nap ? naps == 0 || (mayPark && !gathers(threshold)) : !mayPark) {
                    continue;
                }
                Ladder candidate = awake(threshold, nap);
                double rate = rate(candidate, perArrivalNs);
                if (rate < bestRate) {
                    best = candidate;
                    bestRate = rate;
                }
            }
        }
        return best;
    }

    /**
     * Whether a nap after so long a time awake is likely to end with work: the gaps that are longer end within one nap, on
     * average. One that finds nothing only puts off the park that the wait comes to.
     */
    private boolean gathers(long thresholdNs) {
        double sum = 0;
        long longer = 0;
        for (int bucket = 0; bucket < GapHistory.BUCKETS; bucket++) {
            long gap = GapHistory.middle(bucket);
            if (gap > thresholdNs) {
                sum += gaps.count(bucket) * (double) (gap - thresholdNs);
                longer += gaps.count(bucket);
            }
        }
        return sum <= longer * (double) napNs;
    }

    private boolean hopeful() {
        int caught = 0;
        for (int bucket = 0; bucket < GapHistory.BUCKETS && GapHistory.end(bucket) <= longestAwakeNs; bucket++) {
            caught += gaps.count(bucket);
        }
        return (long) caught * HOPE >= gaps.total();
    }

    /** The processor time per time that the ladder would have cost over the recorded gaps. */
    private double rate(Ladder candidate, double perArrivalNs) {
        double cost = 0;
        double time = 0;
        for (int bucket = 0; bucket < GapHistory.BUCKETS; bucket++) {
            int count = gaps.count(bucket);
            if (count == 0) {
                continue;
            }
            long gap = GapHistory.middle(bucket);
            Ladder.Outcome outcome = candidate.outcome(gap, costs);
            // What comes while the lane is late is served in the same cycle, without another wait.
            double arrivals = 1 + outcome.lateNs() / perArrivalNs;
            cost += count * (double) outcome.cpuNs();
            time += count * (gap + outcome.lateNs() + arrivals * workNs);
        }
        return cost / time;
    }

    private double meanGapNs() {
        double sum = 0;
        for (int bucket = 0; bucket < GapHistory.BUCKETS; bucket++) {
            sum += gaps.count(bucket) * (double) GapHistory.middle(bucket);
        }
        return sum / gaps.total();
    }

    /** The ladder of the next wait, for tests. */
    Ladder current() {
        return ladder;
    }

    @Override
    public long wakeUpNs() {
        return wakeUp.medianNs();
    }
}
