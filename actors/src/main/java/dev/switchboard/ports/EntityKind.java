package dev.switchboard.ports;

import java.util.List;
import java.util.Optional;

/** The kinds of sharded, persistent entities. The names are stored in the directory: append only. */
public enum EntityKind {
    CONVERSATION("conversation"),
    DESK("desk");

    private static final List<EntityKind> KINDS = List.of(values());

    private final String storedName;

    EntityKind(String storedName) {
        this.storedName = storedName;
    }

    /** The name in the {@code deadline} table and the prefix of persistence ids. */
    public String storedName() {
        return storedName;
    }

    public String persistenceId(String entityId) {
        return storedName + "|" + entityId;
    }

    /** The kind of entity that persists under that id; empty for another application's. */
    public static Optional<EntityKind> ofPersistenceId(String persistenceId) {
        for (EntityKind kind : KINDS) {
            String prefix = kind.storedName;
            if (persistenceId.length() > prefix.length()
                    && persistenceId.charAt(prefix.length()) == '|'
                    && persistenceId.startsWith(prefix)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /** The kind of that stored name. Throws IllegalArgumentException for an unknown one. */
    public static EntityKind ofStoredName(String name) {
        for (EntityKind kind : values()) {
            if (kind.storedName.equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown entity kind: " + name);
    }
}
