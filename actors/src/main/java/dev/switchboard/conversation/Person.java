package dev.switchboard.conversation;

import java.util.Objects;

/** One sender or receiver: ids of different roles are different people. Immutable. */
public record Person(Role role, String id) {
    public Person {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(id, "id");
    }

    /** The form used as a key in the journal and the directory, as in {@code customer:carol}. */
    public String key() {
        return role.wireName() + ":" + id;
    }

    /** Reads {@link #key()} back. Throws IllegalArgumentException for anything else. */
    public static Person ofKey(String key) {
        int colon = key.indexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("not a person's key: " + key);
        }
        Role role = Role.ofWireName(key.substring(0, colon))
                .orElseThrow(() -> new IllegalArgumentException("not a person's key: " + key));
        return new Person(role, key.substring(colon + 1));
    }

    @Override
    public String toString() {
        return key();
    }
}
