package dev.switchboard.ports;

/** The kinds of sharded, persistent entities. The names are stored in the directory: append only. */
public enum EntityKind {
    CONVERSATION("conversation"),
    DESK("desk");

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
