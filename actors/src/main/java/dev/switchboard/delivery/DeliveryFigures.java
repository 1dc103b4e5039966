package dev.switchboard.delivery;

import dev.switchboard.conversation.Letter;
import java.util.concurrent.atomic.LongAdder;

/** What a node counts of refused entries. Thread-safe. */
public final class DeliveryFigures {
    private final LongAdder failedAttempts = new LongAdder();
    private final LongAdder[] becameByState = new LongAdder[Letter.State.values().length];

    /** All zero. */
    public DeliveryFigures() {
        for (int i = 0; i < becameByState.length; i++) {
            becameByState[i] = new LongAdder();
        }
    }

    /** A letter has changed. {@code failed}: by one more failed attempt. */
    @SuppressWarnings("EnumOrdinal") // An index into an array of as many counters, of this process alone.
    public void count(Letter letter, boolean failed) {
        if (failed) {
            failedAttempts.increment();
        }
        becameByState[letter.state().ordinal()].increment();
    }

    /** How many attempts failed. */
    public long failedAttempts() {
        return failedAttempts.sum();
    }

    /** How often a letter came into that state; {@code RETRYING} and {@code DEAD} once for each failed attempt. */
    @SuppressWarnings("EnumOrdinal") // As above.
    public long became(Letter.State state) {
        return becameByState[state.ordinal()].sum();
    }
}
