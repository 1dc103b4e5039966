package dev.switchboard.dispatcher;

/** Waits by the same ladder each time, as the settings say: the profile {@code custom}. Keeps no state. */
record FixedLadder(Ladder ladder) implements WaitPolicy {
    @Override
    public Ladder begin(long busyNs, long runs) {
        return ladder;
    }

    @Override
    public void ended(Step step, long idleNs) {}
}
