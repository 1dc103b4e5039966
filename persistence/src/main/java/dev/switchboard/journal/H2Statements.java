package dev.switchboard.journal;

import dev.switchboard.conversation.Entry;
import dev.switchboard.directory.DatabaseKind;
import dev.switchboard.directory.H2DirectoryWriter;
import dev.switchboard.directory.H2Flush;
import dev.switchboard.ports.DirectoryChange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * Statements of several rows, whose numbers of rows are powers of two: so any batch is made of a few statements, and
 * their few texts all stay in H2's cache of parsed ones. On a connection without auto-commit. Thread-safe.
 */
final class H2Statements implements JournalStatements {
    private static final String INSERT = "INSERT INTO event_journal (deleted, persistence_id, sequence_number, writer,"
            + " write_timestamp, adapter_manifest, event_payload, event_ser_id, event_ser_manifest, meta_payload,"
            + " meta_ser_id, meta_ser_manifest, entry_seq, visibility, sender, client_msg_id, body_hash) VALUES ";

    private static final int COLUMNS = 17;
    private static final int LARGEST_LOG2 = 6;
    private static final String[] TEXTS = texts();

    private static String[] texts() {
        String row = "(?" + ", ?".repeat(COLUMNS - 1) + ")";
        String[] texts = new String[LARGEST_LOG2 + 1];
        for (int i = 0; i <= LARGEST_LOG2; i++) {
            texts[i] = INSERT + row + (", " + row).repeat((1 << i) - 1);
        }
        return texts;
    }

    @Override
    public void write(Connection connection, List<JournalRow> rows) throws SQLException {
        try {
            List<JournalRow> untagged = new ArrayList<>(rows.size());
            List<JournalRow> tagged = new ArrayList<>(0);
            List<DirectoryChange> changes = new ArrayList<>();
            for (JournalRow row : rows) {
                (row.tags().isEmpty() ? untagged : tagged).add(row);
                changes.addAll(row.changes());
            }
            insert(connection, untagged);
            insertTagged(connection, tagged);
            H2DirectoryWriter.apply(connection, changes);
            connection.commit();
        } catch (Throwable e) {
            rollback(connection, e);
            throw e;
        }
        H2Flush.afterCommit(connection, DatabaseKind.H2);
    }

    private static void rollback(Connection connection, Throwable failure) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private static void insert(Connection connection, List<JournalRow> rows) throws SQLException {
        int next = 0;
        while (next < rows.size()) {
            int log2 = Math.min(LARGEST_LOG2, 31 - Integer.numberOfLeadingZeros(rows.size() - next));
            try (PreparedStatement statement = connection.prepareStatement(TEXTS[log2])) {
                for (int i = 0; i < 1 << log2; i++) {
                    bind(statement, i * COLUMNS, rows.get(next++));
                }
                statement.executeUpdate();
            }
        }
    }

    /** Tags refer to a row by the number that the database gives it, so these go one at a time. */
    private static void insertTagged(Connection connection, List<JournalRow> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement event = connection.prepareStatement(TEXTS[0], new String[] {"ordering"});
                PreparedStatement tags =
                        connection.prepareStatement("INSERT INTO event_tag (event_id, tag) VALUES (?, ?)")) {
            for (JournalRow row : rows) {
                bind(event, 0, row);
                event.executeUpdate();
                try (ResultSet keys = event.getGeneratedKeys()) {
                    keys.next();
                    long ordering = keys.getLong(1);
                    for (String tag : row.tags()) {
                        tags.setLong(1, ordering);
                        tags.setString(2, tag);
                        tags.addBatch();
                    }
                }
            }
            tags.executeBatch();
        }
    }

    private static void bind(PreparedStatement statement, int before, JournalRow row) throws SQLException {
        statement.setBoolean(before + 1, row.deleted());
        statement.setString(before + 2, row.persistenceId());
        statement.setLong(before + 3, row.sequenceNumber());
        statement.setString(before + 4, row.writer());
        statement.setLong(before + 5, row.timestamp());
        statement.setString(before + 6, row.adapterManifest());
        statement.setBytes(before + 7, row.event().bytes());
        statement.setInt(before + 8, row.event().serializer());
        statement.setString(before + 9, row.event().manifest());
        JournalRow.Payload meta = row.meta();
        if (meta == null) {
            statement.setNull(before + 10, Types.VARBINARY);
            statement.setNull(before + 11, Types.INTEGER);
            statement.setNull(before + 12, Types.VARCHAR);
        } else {
            statement.setBytes(before + 10, meta.bytes());
            statement.setInt(before + 11, meta.serializer());
            statement.setString(before + 12, meta.manifest());
        }
        bindEntry(statement, before, row);
    }

    private static void bindEntry(PreparedStatement statement, int before, JournalRow row) throws SQLException {
        Entry entry = row.entry();
        if (entry == null) {
            statement.setNull(before + 13, Types.BIGINT);
            statement.setNull(before + 14, Types.SMALLINT);
            statement.setNull(before + 15, Types.VARCHAR);
            statement.setNull(before + 16, Types.VARCHAR);
            statement.setNull(before + 17, Types.BIGINT);
            return;
        }
        statement.setLong(before + 13, entry.seq());
        statement.setShort(before + 14, JournalRow.visibilityCode(entry.visibility()));
        statement.setString(before + 15, row.sender());
        statement.setString(before + 16, entry.clientMsgId());
        if (entry.clientMsgId() == null) {
            statement.setNull(before + 17, Types.BIGINT);
        } else {
            statement.setLong(before + 17, row.requestHash());
        }
    }
}
