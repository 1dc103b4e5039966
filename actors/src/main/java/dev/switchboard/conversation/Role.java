package dev.switchboard.conversation;

import java.util.Locale;
import java.util.Optional;

/** What a person or program is to Switchboard. A role alone allows nothing with a conversation; the relation does. */
public enum Role {
    CUSTOMER,
    AGENT,
    SUPERVISOR,
    SERVICE,
    OPERATOR;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** The name in tokens, frames and the journal: lower case, never changed. */
    public String wireName() {
        return wireName;
    }

    /** The role of that wire name, or empty. */
    public static Optional<Role> ofWireName(String name) {
        for (Role role : values()) {
            if (role.wireName.equals(name)) {
                return Optional.of(role);
            }
        }
        return Optional.empty();
    }

    /** True for the people who work at desks. */
    public boolean isStaff() {
        return this == AGENT || this == SUPERVISOR;
    }
}
