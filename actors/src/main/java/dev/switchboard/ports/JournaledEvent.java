package dev.switchboard.ports;

import dev.switchboard.conversation.Entry;
import java.util.List;
import java.util.Optional;

/**
 * What the journal takes from an event, besides its bytes, and writes in the same transaction. Implemented by every
 * persisted event of Switchboard.
 */
public interface JournaledEvent {
    /** The changes to the directory that this event of that entity makes, in order. */
    default List<DirectoryChange> directoryChanges(String entityId) {
        return List.of();
    }

    /** The entry that it appends, for the journal's own columns; empty for events that are not entries. */
    default Optional<Entry> journaledEntry() {
        return Optional.empty();
    }

    /** The keyed hash of the request that made the entry; 0 when none did. */
    default long requestHash() {
        return 0;
    }
}
