package dev.switchboard.desk;

import java.util.Locale;
import java.util.Optional;

/** An agent's choice. The order is that of the journal's codes: append only. */
public enum Availability {
    AVAILABLE,
    AWAY,
    OFFLINE;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    public String wireName() {
        return wireName;
    }

    public static Optional<Availability> ofWireName(String name) {
        for (Availability value : values()) {
            if (value.wireName.equals(name)) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }
}
