package dev.switchboard.journal;

import dev.switchboard.conversation.Entry;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.JournaledEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;
import scala.jdk.javaapi.CollectionConverters;

/**
 * One event, ready to be written: its columns, its tags and what it changes in the directory. Immutable; arrays are
 * never written after construction.
 *
 * @param meta the metadata, or null
 * @param entry the entry that it appends, or null
 */
record JournalRow(
        String persistenceId,
        long sequenceNumber,
        boolean deleted,
        String writer,
        long timestamp,
        String adapterManifest,
        Payload event,
        Payload meta,
        Entry entry,
        long requestHash,
        List<DirectoryChange> changes,
        Set<String> tags) {
    /** Serialized bytes, with what is needed to read them. */
    // Compared by isSameAs alone, which looks into the array.
    @SuppressWarnings("ArrayRecordComponent")
    record Payload(int serializer, String manifest, byte[] bytes) {
        boolean isSameAs(Payload other) {
            return serializer == other.serializer
                    && manifest.equals(other.manifest)
                    && Arrays.equals(bytes, other.bytes);
        }
    }

    /** True when nothing of it goes into the columns that hardly any event fills. */
    boolean isPlain() {
        return !deleted && meta == null && adapterManifest.isEmpty();
    }

    /** Who made the entry, for the journal's column; null when no person did. */
    String sender() {
        return entry.from() == null ? null : entry.from().key();
    }

    /**
     * Serializes an event; called within {@link Serialization#withTransportInformation}. Throws whatever its serializer
     * throws.
     */
    static JournalRow of(PersistentRepr repr, Serialization serialization) {
        Object event = repr.payload();
        Set<String> tags = Set.of();
        if (event instanceof Tagged tagged) {
            event = tagged.payload();
            tags = new TreeSet<>(CollectionConverters.asJava(tagged.tags()));
        }
        Entry entry = null;
        long hash = 0;
        List<DirectoryChange> changes = List.of();
        if (event instanceof JournaledEvent journaled) {
            changes = journaled.directoryChanges(entityIdOf(repr.persistenceId()));
            entry = journaled.journaledEntry().orElse(null);
            hash = journaled.requestHash();
        }
        Object metadata = repr.metadata().isEmpty() ? null : repr.metadata().get();
        return new JournalRow(
                repr.persistenceId(),
                repr.sequenceNr(),
                repr.deleted(),
                repr.writerUuid(),
                repr.timestamp(),
                repr.manifest(),
                payload(event, serialization),
                metadata == null ? null : payload(metadata, serialization),
                entry,
                hash,
                changes,
                tags);
    }

    /** What the journal's column holds for a visibility. */
    // The order of its constants is append-only, for this.
    @SuppressWarnings("EnumOrdinal")
    static short visibilityCode(Entry.Visibility visibility) {
        return (short) visibility.ordinal();
    }

    private static Payload payload(Object value, Serialization serialization) {
        Serializer serializer = serialization.findSerializerFor(value);
        return new Payload(
                serializer.identifier(), Serializers.manifestFor(serializer, value), serializer.toBinary(value));
    }

    /** The entity's id: what follows the first {@code |} of a persistence id. */
    private static String entityIdOf(String persistenceId) {
        return persistenceId.substring(persistenceId.indexOf('|') + 1);
    }
}
