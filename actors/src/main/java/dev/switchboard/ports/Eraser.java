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

    /** This one, then another one. */
    default Eraser then(Eraser other) {
        return (conv, marker) -> erase(conv, marker).thenCompose(done -> other.erase(conv, marker));
    }
}
