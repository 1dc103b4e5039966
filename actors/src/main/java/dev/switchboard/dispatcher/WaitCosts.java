package dev.switchboard.dispatcher;

/**
 * What sleeping costs on this machine. Immutable.
 *
 * @param wakeUpNs from a producer's call that wakes a parked thread to that thread's running
 * @param parkNs processor time of one park: the producer's to wake, the sleeper's to fall asleep and to come back
 * @param napNs processor time of one nap
 * @param napOverNs by how much a nap lasts longer than asked for
 */
record WaitCosts(long wakeUpNs, long parkNs, long napNs, long napOverNs) {
    WaitCosts {
        if (wakeUpNs <= 0 || parkNs <= 0 || napNs <= 0 || napOverNs < 0) {
            throw new IllegalArgumentException("costs must be positive: wake-up " + wakeUpNs + " ns, park " + parkNs
                    + " ns, nap " + napNs + " ns, over " + napOverNs + " ns");
        }
    }

    WaitCosts withWakeUp(long nanos) {
        return new WaitCosts(nanos, parkNs, napNs, napOverNs);
    }
}
