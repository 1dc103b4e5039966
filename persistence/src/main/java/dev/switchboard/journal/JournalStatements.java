package dev.switchboard.journal;

import dev.switchboard.directory.DatabaseKind;
import dev.switchboard.directory.NodeFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The journal's SQL, of which each database has its own. Thread-safe: without state; blocks its caller. */
interface JournalStatements {
    static JournalStatements of(DatabaseKind kind, NodeFence fence) {
        return kind == DatabaseKind.H2 ? new H2Statements() : new PostgresStatements(fence);
    }

    /**
     * Writes the rows and what they change in the directory in one transaction, all or nothing; returns when it is
     * persisted. After an exception it may still be: the connection may have been lost after the commit.
     *
     * @param rows at least one; those of one persistence id in the order of their numbers
     */
    void write(Connection connection, List<JournalRow> rows) throws SQLException;

    /** True when every one of these events is in the journal, by the same writer and with the same payload. */
    default boolean arePresent(Connection connection, List<JournalRow> rows) throws SQLException {
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
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }
}
