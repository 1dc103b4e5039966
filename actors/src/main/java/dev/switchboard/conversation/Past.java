package dev.switchboard.conversation;

/**
 * What was erased of a conversation's log. Immutable.
 *
 * @param erasedAt the seq of the entry that tells of the latest erasure: what was said before it is gone; 0 for none
 * @param erasing true until the database has forgotten it too
 */
public record Past(long erasedAt, boolean erasing) {
    public static final Past NONE = new Past(0, false);

    Past erasing(long marker) {
        return new Past(marker, true);
    }

    Past erased() {
        return new Past(erasedAt, false);
    }
}
