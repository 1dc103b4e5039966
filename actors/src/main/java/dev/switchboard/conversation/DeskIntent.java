package dev.switchboard.conversation;

/**
 * A step that a conversation owes a desk and repeats until it is acknowledged. At most one a desk: a later one replaces
 * an earlier one, because it says the newest truth about the slot.
 *
 * @param agent the desk
 * @param epoch the ownership epoch that the step stems from; the desk ignores an older step than it knows
 * @param kind what the desk is to do with the slot
 * @param offer the offer that the slot was reserved for; null when not known
 */
public record DeskIntent(String agent, long epoch, Kind kind, String offer) {
    /** Confirm: the slot is this conversation's. Release: it is free. The order is that of the journal's codes. */
    public enum Kind {
        CONFIRM,
        RELEASE
    }
}
