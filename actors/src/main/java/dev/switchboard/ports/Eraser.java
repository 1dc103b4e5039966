package dev.switchboard.ports;

import java.util.concurrent.CompletionStage;

/**
 * Makes a storage forget what was said in a conversation. Called by the conversation itself, after it has persisted that it
 * is to be so, and again until it succeeds. Thread-safe; never blocks the caller.
 */
public interface Eraser {
    /**
     * Forgets the content of everything that stands before the entry {@code marker}. Doing it twice, or by two at once, does
     * no harm. A failed stage means that some of it may still be there.
     */
    CompletionStage<Void> erase(String conv, long marker);

    /** Forgets those entries altogether, as far as it keeps any: of the conversation stays what its latest snapshot says. */
    default CompletionStage<Void> reduce(String conv, long marker) {
        return erase(conv, marker);
    }

    /** This one, then another one. */
    default Eraser then(Eraser other) {
        Eraser first = this;
        return new Eraser() {
            @Override
            public CompletionStage<Void> erase(String conv, long marker) {
                return first.erase(conv, marker).thenCompose(done -> other.erase(conv, marker));
            }

            @Override
            public CompletionStage<Void> reduce(String conv, long marker) {
                return first.reduce(conv, marker).thenCompose(done -> other.reduce(conv, marker));
            }
        };
    }
}
