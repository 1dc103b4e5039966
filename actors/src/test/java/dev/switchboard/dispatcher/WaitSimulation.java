package dev.switchboard.dispatcher;

import java.util.Arrays;
import java.util.SplittableRandom;

/** What ways of waiting would cost over given arrivals, in a model without threads: the same numbers on every machine. */
final class WaitSimulation {
    /** As measured on a virtual machine with two processors; waking by a producer is the dearest step. */
    static final WaitCosts COSTS = new WaitCosts(20_000, 22_000, 11_000, 9_000);

    /** Time to work off one message. */
    static final long WORK_NS = 1_000;

    /**
     * @param cpuNs processor time spent on waiting
     * @param meanLateNs by how much messages started late, on average, because the lane was asleep
     * @param sleeps how often the lane fell asleep
     */
    record Result(long cpuNs, double meanLateNs, long sleeps) {}

    private WaitSimulation() {}

    static Result run(WaitPolicy policy, long[] arrivals) {
        long now = 0;
        long busy = 0;
        long runs = 0;
        long cpu = 0;
        double late = 0;
        long sleeps = 0;
        int next = 0;
        while (next < arrivals.length) {
            if (arrivals[next] <= now) {
                now += WORK_NS;
                busy += WORK_NS;
                runs++;
                next++;
                continue;
            }
            Ladder ladder = policy.begin(busy, runs);
            busy = 0;
            runs = 0;
            long gap = arrivals[next] - now;
            Ladder.Outcome outcome = ladder.outcome(gap, COSTS);
            cpu += outcome.cpuNs();
            long woken = arrivals[next] + outcome.lateNs();
            for (int i = next; i < arrivals.length && arrivals[i] <= woken; i++) {
                late += woken - arrivals[i];
            }
            boolean awake = gap <= ladder.awakeNs();
            boolean napped = !awake && gap - ladder.awakeNs() <= ladder.naps() * ladder.napNs();
            if (napped) {
                sleeps += (gap - ladder.awakeNs() + ladder.napNs() - 1) / ladder.napNs();
            } else if (!awake) {
                sleeps += ladder.naps() + 1;
            }
            policy.ended(
                    awake ? WaitPolicy.Step.AWAKE : napped ? WaitPolicy.Step.NAP : WaitPolicy.Step.PARK, woken - now);
            now = woken;
        }
        return new Result(cpu, late / arrivals.length, sleeps);
    }

    /**
     * The processor time of one who knows all arrivals and waits by the same steps: he stays awake exactly to the next
     * one, or parks, or naps no longer than the budget allows; whichever leads to the least in the end. His naps begin
     * when it suits him best, which a lane's don't.
     */
    static long oracle(long[] arrivals, long budgetNs) {
        long nap = AdaptiveLadder.longestNapNs(budgetNs);
        boolean mayPark = COSTS.wakeUpNs() <= budgetNs;
        boolean mayNap = nap >= COSTS.napNs();
        int n = arrivals.length;
        long[] best = new long[n + 1];
        Arrays.fill(best, Long.MAX_VALUE);
        best[0] = 0;
        for (int served = 0; served < n; served++) {
            long now = served == 0 ? 0 : arrivals[served - 1];
            long gap = arrivals[served] - now;
            improve(best, served + 1, best[served] + Math.max(0, gap - WORK_NS));
            if (mayPark) {
                int after = servedBy(arrivals, served, arrivals[served] + COSTS.wakeUpNs());
                improve(best, after, best[served] + COSTS.parkNs());
            }
            if (mayNap) {
                // The nap before this one ended late by up to its length, and this one may end as late.
                long naps = Math.max(1, (gap - 1) / nap);
                improve(best, servedBy(arrivals, served, arrivals[served] + nap), best[served] + naps * COSTS.napNs());
            }
        }
        return best[n];
    }

    private static void improve(long[] best, int served, long cost) {
        best[served] = Math.min(best[served], cost);
    }

    private static int servedBy(long[] arrivals, int from, long time) {
        int served = from;
        while (served < arrivals.length && arrivals[served] <= time) {
            served++;
        }
        return Math.max(served, from + 1);
    }

    static long[] steady(int count, long gapNs) {
        long[] arrivals = new long[count];
        for (int i = 0; i < count; i++) {
            arrivals[i] = (i + 1) * gapNs;
        }
        return arrivals;
    }

    static long[] poisson(int count, long meanNs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] arrivals = new long[count];
        double now = 0;
        for (int i = 0; i < count; i++) {
            now += -Math.log(1 - random.nextDouble()) * meanNs;
            arrivals[i] = (long) now;
        }
        return arrivals;
    }

    /** Every period that many messages, each a little longer apart than its work takes. */
    static long[] bursts(int count, long periodNs, int size) {
        long[] arrivals = new long[count];
        for (int i = 0; i < count; i++) {
            arrivals[i] = (i / size + 1) * periodNs + (i % size) * (WORK_NS + 300);
        }
        return arrivals;
    }

    /** The traces one after the other. */
    static long[] then(long[]... traces) {
        long[] all = new long[0];
        for (long[] trace : traces) {
            long offset = all.length == 0 ? 0 : all[all.length - 1];
            int from = all.length;
            all = Arrays.copyOf(all, from + trace.length);
            for (int i = 0; i < trace.length; i++) {
                all[from + i] = offset + trace[i];
            }
        }
        return all;
    }
}
