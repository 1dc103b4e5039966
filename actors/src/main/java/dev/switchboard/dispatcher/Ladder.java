package dev.switchboard.dispatcher;

/**
 * The lengths of the four steps of a wait; after the last one the lane parks until it is woken. Immutable.
 *
 * @param spinNs how long to spin with {@link Thread#onSpinWait()}
 * @param yieldNs how long to give way with {@link Thread#yield()} after that
 * @param napNs how long one nap is to last, from falling asleep to running again
 * @param naps how many naps to take before parking
 */
record Ladder(long spinNs, long yieldNs, long napNs, int naps) {
    /** Parks at once. */
    static final Ladder PARK = new Ladder(0, 0, 0, 0);

    /** How long the lane keeps its processor busy with waiting before it sleeps for the first time. */
    long awakeNs() {
        return spinNs + yieldNs;
    }

    /** What this ladder makes of a wait of that length: what it costs, and by how much the work found starts late. */
    Outcome outcome(long gapNs, WaitCosts costs) {
        if (gapNs <= awakeNs()) {
            return new Outcome(gapNs, 0);
        }
        long asleepNs = gapNs - awakeNs();
        if (naps > 0) {
            long napsNeeded = (asleepNs + napNs - 1) / napNs;
            if (napsNeeded <= naps) {
                return new Outcome(awakeNs() + napsNeeded * costs.napNs(), napsNeeded * napNs - asleepNs);
            }
        }
        return new Outcome(awakeNs() + naps * costs.napNs() + costs.parkNs(), costs.wakeUpNs());
    }

    /**
     * @param cpuNs processor time that the wait cost
     * @param lateNs by how much the work that ended it started late
     */
    record Outcome(long cpuNs, long lateNs) {}
}
