package dev.switchboard.conversation;

/**
 * What is gone of a conversation's log. Immutable.
 *
 * @param erasedAt the seq of the entry that tells of the latest erasure: what was said before it is gone; 0 for none
 * @param erasing true until the database has forgotten it too
 * @param startsAt the first entry that is there: those before it went when the conversation was reduced; 0 for never
 */
public record Past(long erasedAt, boolean erasing, long startsAt) {
    public static final Past NONE = new Past(0, false, 0);

    Past erasing(long marker) {
        return new Past(marker, true, startsAt);
    }

    Past reducing(long marker) {
        return new Past(marker, true, marker);
    }

    Past erased() {
        return new Past(erasedAt, false, startsAt);
    }

    /** True when what is under way takes the entries themselves. */
    boolean reducing() {
        return erasing && startsAt == erasedAt;
    }

    /** True when entries after {@code seq} are gone, so that whoever has only those up to it can't go on. */
    boolean isGoneAfter(long seq) {
        return seq < startsAt - 1;
    }
}
