package dev.switchboard.journal;

import dev.switchboard.conversation.Entry;
import dev.switchboard.directory.DatabaseKind;
import dev.switchboard.directory.DirectoryWriter;
import dev.switchboard.directory.H2Flush;
import dev.switchboard.ports.DirectoryChange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.util.PSQLException;

/**
 * The journal's SQL: writes a batch in one transaction, and tells whether events are there already. Thread-safe: it
 * has no state of its own; blocks its caller.
 */
final class JournalStatements {
    private static final String INSERT = "INSERT INTO event_journal (deleted, persistence_id, sequence_number, writer,"
            + " write_timestamp, adapter_manifest, event_payload, event_ser_id, event_ser_manifest, meta_payload,"
            + " meta_ser_id, meta_ser_manifest, entry_seq, visibility, sender, client_msg_id, body_hash)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private static final int MAX_SHOWN = 300;

    private final DatabaseKind kind;
    private final DirectoryWriter directory;

    JournalStatements(DatabaseKind kind) {
        this.kind = kind;
        directory = new DirectoryWriter(kind);
    }

    /** Writes the rows and what they change in the directory, all or nothing; returns when it is persisted. */
    void write(Connection connection, List<JournalRow> rows) throws SQLException {
        try {
            insert(connection, rows);
            List<DirectoryChange> changes = new ArrayList<>();
            rows.forEach(row -> changes.addAll(row.changes()));
            directory.apply(connection, changes);
            connection.commit();
        } catch (Throwable e) {
            rollback(connection, e);
            throw e;
        }
        H2Flush.afterCommit(connection, kind);
    }

    private static void rollback(Connection connection, Throwable failure) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private static void insert(Connection connection, List<JournalRow> rows) throws SQLException {
        List<JournalRow> tagged = new ArrayList<>(0);
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            int pending = 0;
            for (JournalRow row : rows) {
                if (row.tags().isEmpty()) {
                    bind(statement, row);
                    statement.addBatch();
                    pending++;
                } else {
                    tagged.add(row);
                }
            }
            if (pending > 0) {
                statement.executeBatch();
            }
        }
        if (!tagged.isEmpty()) {
            insertTagged(connection, tagged);
        }
    }

    /** Tags refer to a row by the number that the database gives it, so these go one at a time. */
    private static void insertTagged(Connection connection, List<JournalRow> rows) throws SQLException {
        try (PreparedStatement event = connection.prepareStatement(INSERT, new String[] {"ordering"});
                PreparedStatement tags =
                        connection.prepareStatement("INSERT INTO event_tag (event_id, tag) VALUES (?, ?)")) {
            for (JournalRow row : rows) {
                bind(event, row);
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

    private static void bind(PreparedStatement statement, JournalRow row) throws SQLException {
        statement.setBoolean(1, row.deleted());
        statement.setString(2, row.persistenceId());
        statement.setLong(3, row.sequenceNumber());
        statement.setString(4, row.writer());
        statement.setLong(5, row.timestamp());
        statement.setString(6, row.adapterManifest());
        statement.setBytes(7, row.event().bytes());
        statement.setInt(8, row.event().serializer());
        statement.setString(9, row.event().manifest());
        JournalRow.Payload meta = row.meta();
        statement.setBytes(10, meta == null ? null : meta.bytes());
        if (meta == null) {
            statement.setNull(11, Types.INTEGER);
        } else {
            statement.setInt(11, meta.serializer());
        }
        statement.setString(12, meta == null ? null : meta.manifest());
        Entry entry = row.entry();
        if (entry == null) {
            statement.setNull(13, Types.BIGINT);
            statement.setNull(14, Types.SMALLINT);
            statement.setNull(15, Types.VARCHAR);
            statement.setNull(16, Types.VARCHAR);
            statement.setNull(17, Types.BIGINT);
        } else {
            statement.setLong(13, entry.seq());
            statement.setShort(14, JournalRow.visibilityCode(entry.visibility()));
            statement.setString(15, entry.from() == null ? null : entry.from().key());
            statement.setString(16, entry.clientMsgId());
            if (entry.clientMsgId() == null) {
                statement.setNull(17, Types.BIGINT);
            } else {
                statement.setLong(17, row.requestHash());
            }
        }
    }

    /** True when every one of these events is in the journal, by the same writer and with the same payload. */
    boolean arePresent(Connection connection, List<JournalRow> rows) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT writer, event_ser_id,"
                + " event_ser_manifest, event_payload FROM event_journal WHERE persistence_id = ? AND"
                + " sequence_number = ?")) {
            for (JournalRow row : rows) {
                statement.setString(1, row.persistenceId());
                statement.setLong(2, row.sequenceNumber());
                try (ResultSet found = statement.executeQuery()) {
                    if (!found.next()
                            || !found.getString(1).equals(row.writer())
                            || !row.event()
                                    .isSameAs(new JournalRow.Payload(
                                            found.getInt(2), found.getString(3), found.getBytes(4)))) {
                        return false;
                    }
                }
            }
            return true;
        } finally {
            connection.rollback();
        }
    }

    /** True for an error of data or keys, which lies in a row; any other lies in the database or on the way to it. */
    static boolean isOfData(SQLException failure) {
        return hasState(failure, "22") || hasState(failure, "23");
    }

    /** True when a key is there already. */
    static boolean isDuplicateKey(SQLException failure) {
        return hasState(failure, "23505");
    }

    /**
     * The failure without what was written: the drivers put whole statements and values into their messages, and
     * people's words must not get into logs.
     */
    static SQLException withoutContent(SQLException failure) {
        SQLException last = failure;
        while (last.getNextException() != null) {
            last = last.getNextException();
        }
        String message = last.getMessage();
        if (last instanceof PSQLException server && server.getServerErrorMessage() != null) {
            message = server.getServerErrorMessage().getMessage();
        }
        String line = String.valueOf(message).lines().findFirst().orElse("");
        String shown = line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) + "…" : line;
        return new SQLException(shown, failure.getSQLState(), failure.getErrorCode());
    }

    private static boolean hasState(SQLException failure, String prefix) {
        for (SQLException each = failure; each != null; each = each.getNextException()) {
            if (each.getSQLState() != null && each.getSQLState().startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
