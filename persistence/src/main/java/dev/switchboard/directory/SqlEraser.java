package dev.switchboard.directory;

import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.Erasing;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.Eraser;
import dev.switchboard.serialization.EventCodec;
import java.io.NotSerializableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/**
 * Erases in place: rewrites a conversation's rows of the journal, a page a transaction, and removes its snapshots from
 * before. Or reduces: deletes those rows. On a thread and a connection of its own, one conversation after the other.
 * Thread-safe; never blocks the caller.
 *
 * <p>Rows keep their numbers, so neither a replay nor a reader of the history that goes on meanwhile finds a gap: it finds
 * some entries erased already. What is behind the erasure's own entry was written later and isn't touched. Rows are
 * deleted from the oldest on, and only when a snapshot from after them is there, so a replay needs none of them.
 */
final class SqlEraser implements Eraser {
    /** How many rows are rewritten in one transaction. */
    static final int PAGE = 500;

    private static final String REWRITE_EVENT =
            "UPDATE event_journal SET event_ser_manifest = ?, event_payload = ?, body_hash = NULL"
                    + " WHERE persistence_id = ? AND sequence_number = ?";
    private static final String REWRITE_SNAPSHOT = "UPDATE snapshot SET snapshot_ser_manifest = ?, snapshot_payload = ?"
            + " WHERE persistence_id = ? AND sequence_number = ?";

    private final SqlReader worker;
    private final EventCodec codec;
    private final LongAdder conversations = new LongAdder();
    private final LongAdder rows = new LongAdder();

    /** {@code worker} has a thread that nothing else needs. */
    SqlEraser(SqlReader worker, EventCodec codec) {
        this.worker = worker;
        this.codec = codec;
    }

    /** What is done to the rows of a conversation before the one that ends them. */
    private interface Forgetting {
        void run(Connection connection, String persistenceId, long end) throws SQLException;
    }

    @Override
    public CompletionStage<Void> erase(String conv, long marker) {
        return forget(conv, marker, this::rewriteEvents);
    }

    @Override
    public CompletionStage<Void> reduce(String conv, long marker) {
        return forget(conv, marker, this::deleteEvents);
    }

    private CompletionStage<Void> forget(String conv, long marker, Forgetting events) {
        String persistenceId = EntityKind.CONVERSATION.persistenceId(conv);
        return worker.run(connection -> {
            Optional<Long> end = Query.of(
                            "SELECT sequence_number FROM event_journal WHERE persistence_id = ? AND entry_seq = ?")
                    .with(persistenceId)
                    .with(marker)
                    .first(connection, row -> row.getLong(1));
            if (end.isPresent()) {
                connection.setAutoCommit(false);
                try {
                    events.run(connection, persistenceId, end.get());
                    forgetSnapshots(connection, persistenceId, end.get());
                    rewriteLetters(connection, conv);
                } finally {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            }
            conversations.increment();
            return null;
        });
    }

    /** How many conversations were erased since the start; one that was done twice counts twice. */
    long conversations() {
        return conversations.sum();
    }

    /** How many rows were rewritten or deleted since the start. */
    long rows() {
        return rows.sum();
    }

    /** A row as it was read. */
    private static final class Stored {
        private final long sequenceNumber;
        private final int serializer;
        private final String manifest;
        private final byte[] bytes;

        Stored(long sequenceNumber, int serializer, String manifest, byte[] bytes) {
            this.sequenceNumber = sequenceNumber;
            this.serializer = serializer;
            this.manifest = manifest;
            this.bytes = bytes;
        }
    }

    private void rewriteEvents(Connection connection, String persistenceId, long end) throws SQLException {
        long after = 0;
        while (true) {
            List<Stored> page = Query.of("SELECT sequence_number, event_ser_id, event_ser_manifest, event_payload"
                            + " FROM event_journal WHERE persistence_id = ? AND sequence_number > ?"
                            + " AND sequence_number < ? ORDER BY sequence_number LIMIT ?")
                    .with(persistenceId)
                    .with(after)
                    .with(end)
                    .with(PAGE)
                    .all(connection, SqlEraser::stored);
            if (page.isEmpty()) {
                return;
            }
            int changed = 0;
            try (PreparedStatement rewrite = connection.prepareStatement(REWRITE_EVENT)) {
                for (Stored row : page) {
                    ConversationEvent event = (ConversationEvent) read(row);
                    ConversationEvent erased = Erasing.erased(event);
                    if (!erased.equals(event)) {
                        add(rewrite, erased, persistenceId, row.sequenceNumber);
                        changed++;
                    }
                }
                if (changed > 0) {
                    rewrite.executeBatch();
                }
            }
            connection.commit();
            rows.add(changed);
            after = page.get(page.size() - 1).sequenceNumber;
        }
    }

    private void deleteEvents(Connection connection, String persistenceId, long end) throws SQLException {
        if (!hasSnapshotFrom(connection, persistenceId, end)) {
            throw new IllegalStateException("there is no snapshot yet that could stand for the entries");
        }
        while (true) {
            long last = Query.of("SELECT sequence_number FROM event_journal WHERE persistence_id = ?"
                            + " AND sequence_number < ? ORDER BY sequence_number LIMIT ?")
                    .with(persistenceId)
                    .with(end)
                    .with(PAGE)
                    .all(connection, row -> row.getLong(1))
                    .stream()
                    .reduce(0L, Math::max);
            if (last == 0) {
                return;
            }
            try (PreparedStatement delete = Query.of(
                            "DELETE FROM event_journal WHERE persistence_id = ? AND sequence_number <= ?")
                    .with(persistenceId)
                    .with(last)
                    .prepare(connection)) {
                rows.add(delete.executeUpdate());
            }
            connection.commit();
        }
    }

    private static boolean hasSnapshotFrom(Connection connection, String persistenceId, long sequenceNumber)
            throws SQLException {
        return Query.of("SELECT 1 FROM snapshot WHERE persistence_id = ? AND sequence_number >= ? LIMIT 1")
                .with(persistenceId)
                .with(sequenceNumber)
                .first(connection, row -> row.getInt(1))
                .isPresent();
    }

    /**
     * Removes the snapshots from before, if there is a later one: a conversation whose oldest events are gone can't be
     * recovered without any. Else they are rewritten too.
     */
    private void forgetSnapshots(Connection connection, String persistenceId, long end) throws SQLException {
        if (hasSnapshotFrom(connection, persistenceId, end)) {
            try (PreparedStatement delete = Query.of(
                            "DELETE FROM snapshot WHERE persistence_id = ? AND sequence_number < ?")
                    .with(persistenceId)
                    .with(end)
                    .prepare(connection)) {
                delete.executeUpdate();
            }
        } else {
            List<Stored> snapshots = Query.of("SELECT sequence_number, snapshot_ser_id, snapshot_ser_manifest,"
                            + " snapshot_payload FROM snapshot WHERE persistence_id = ? AND sequence_number < ?")
                    .with(persistenceId)
                    .with(end)
                    .all(connection, SqlEraser::stored);
            try (PreparedStatement rewrite = connection.prepareStatement(REWRITE_SNAPSHOT)) {
                for (Stored row : snapshots) {
                    ConversationState erased = Erasing.erased((ConversationState) read(row));
                    add(rewrite, erased, persistenceId, row.sequenceNumber);
                    rewrite.executeBatch();
                }
            }
        }
        connection.commit();
    }

    /** A letter that changes meanwhile was written by an event behind the erasure: it has no reason from before. */
    private static void rewriteLetters(Connection connection, String conv) throws SQLException {
        for (Directory.DeadLetterRow row : DeadLetterRows.ofConversation(conv).all(connection, DeadLetterRows::row)) {
            try (PreparedStatement rewrite =
                    DeadLetterRows.rewritten(row.letter().withoutReasons()).prepare(connection)) {
                rewrite.executeUpdate();
            }
        }
        connection.commit();
    }

    private static Stored stored(java.sql.ResultSet row) throws SQLException {
        return new Stored(row.getLong(1), row.getInt(2), row.getString(3), row.getBytes(4));
    }

    private Object read(Stored row) {
        if (row.serializer != EventCodec.SERIALIZER_ID) {
            throw new IllegalStateException(
                    "row " + row.sequenceNumber + " was written by serializer " + row.serializer);
        }
        try {
            return codec.read(row.manifest, row.bytes);
        } catch (NotSerializableException e) {
            throw new IllegalStateException("this release can't read row " + row.sequenceNumber, e);
        }
    }

    private void add(PreparedStatement rewrite, Object value, String persistenceId, long sequenceNumber)
            throws SQLException {
        rewrite.setString(1, codec.manifest(value));
        rewrite.setBytes(2, codec.write(value));
        rewrite.setString(3, persistenceId);
        rewrite.setLong(4, sequenceNumber);
        rewrite.addBatch();
    }
}
