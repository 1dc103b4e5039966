package dev.switchboard.dispatcher;

/**
 * How one lane waits for work. One instance serves one lane and is called by that lane's thread alone; it may keep state.
 *
 * <p>The lane's loop uses it so:
 *
 * <pre>{@code
 * while (work()) {}                                // until the run queue is empty
 * Ladder ladder = policy.begin(busyNs, runs);      // a wait begins: the lengths of its steps
 * // spin, yield, nap and park as the ladder says, until there is work; work ends the wait at any step
 * policy.ended(step, idleNs);                      // the next wait starts at the first step again
 * }</pre>
 */
interface WaitPolicy {
    /** The step at which a wait ended. */
    enum Step {
        AWAKE,
        NAP,
        PARK
    }

    /**
     * The steps of the wait that begins now. Called once a wait, so it should cost far less than a microsecond.
     *
     * @param busyNs for how long the lane worked since its last wait
     * @param runs how many mailboxes and tasks it ran in that time
     */
    Ladder begin(long busyNs, long runs);

    /**
     * Tells what became of the wait.
     *
     * @param step at which step work was found
     * @param idleNs how long the wait was, from the empty queue to the first work found
     */
    void ended(Step step, long idleNs);

    /**
     * Tells how long a wake-up took, before the wait that it ended is told of.
     *
     * @param nanos from a producer's call to the lane's running
     */
    default void woke(long nanos) {}

    /** What it takes for a wake-up's time by now, or 0 if it asks for none. Any thread may ask. */
    default long wakeUpNs() {
        return 0;
    }
}
