package dev.switchboard.conversation;

import java.util.Locale;

/** A conversation's status. The order is that of the journal's codes: append only. */
public enum Status {
    WAITING,
    OFFERED,
    ASSIGNED,
    CLOSED;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    public String wireName() {
        return wireName;
    }

    /** The status of that wire name. Throws IllegalArgumentException for an unknown one. */
    public static Status ofWireName(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
