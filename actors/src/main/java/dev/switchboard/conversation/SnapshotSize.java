package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationEvent.Erased;

/**
 * When a conversation takes a snapshot before its number of events is reached: after many characters, so that a recovery
 * reads little, and when words are forgotten, so that none are left in the snapshots before. Not thread-safe: its
 * conversation's actor alone uses it.
 */
final class SnapshotSize {
    private final long maxChars;
    private long chars;

    SnapshotSize(long maxChars) {
        this.maxChars = maxChars;
    }

    /** An event is about to be written. */
    void written(ConversationEvent event) {
        chars += event.journaledEntry()
                .map(Entry::body)
                .map(Body::text)
                .map(String::length)
                .orElse(0);
    }

    /** True when a snapshot is due behind that event; then it counts anew. */
    boolean takeDue(ConversationEvent event) {
        boolean forgets = event instanceof Erased erased && !erased.isCarriedOut();
        if (chars < maxChars && !forgets) {
            return false;
        }
        chars = 0;
        return true;
    }
}
