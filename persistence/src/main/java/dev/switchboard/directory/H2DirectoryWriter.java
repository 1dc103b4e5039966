package dev.switchboard.directory;

import dev.switchboard.conversation.Ticket;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.AgentPut;
import dev.switchboard.ports.DirectoryChange.ConversationChanged;
import dev.switchboard.ports.DirectoryChange.DeadLetterPut;
import dev.switchboard.ports.DirectoryChange.WaitingPut;
import dev.switchboard.ports.EntityKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.List;

/**
 * Applies events' changes to H2's directory tables, in the transaction of the events: the changes of a batch are first
 * reduced to one for each row, then written by one JDBC batch a statement. For PostgreSQL see {@link DirectoryArrays}.
 * Stateless; called by the journal's writers.
 */
public final class H2DirectoryWriter {
    private static final String PUT_CONVERSATION = DatabaseKind.H2.upsert(
            "conversation",
            "conv",
            "customer, queue, status, owner, opened_by, epoch, priority, opened_us, updated_us");
    private static final String PUT_WAITING = DatabaseKind.H2.upsert(
            "waiting",
            "conv",
            "queue, epoch, customer, priority, skills_list, since_us, front, prefer, prefer_until_us, direct");
    private static final String PUT_DEADLINE = DatabaseKind.H2.upsert("deadline", "entity, id", "due_us");
    private static final String PUT_AGENT = DatabaseKind.H2.upsert(
            "agent", "agent", "availability, capacity, held, queues_list, skills_list, profiled, updated_us");

    private static final String PUT_DEAD_LETTER = DatabaseKind.H2.upsert(
            "dead_letter", "id", "conv, queue, receiver, seq, state, died_us, updated_us, letter");

    private H2DirectoryWriter() {}

    /** Applies the changes as if one after the other. The caller commits. */
    public static void apply(Connection transaction, List<DirectoryChange> changes) throws SQLException {
        if (changes.isEmpty()) {
            return;
        }
        DirectoryRows rows = new DirectoryRows();
        changes.forEach(rows::add);
        batch(transaction, PUT_CONVERSATION, rows.opened(), H2DirectoryWriter::bindOpened);
        batch(
                transaction,
                "UPDATE conversation SET status = ?, owner = ?, queue = ?, epoch = ?, updated_us = ? WHERE conv = ?",
                rows.changed(),
                H2DirectoryWriter::bindChanged);
        batch(transaction, PUT_WAITING, rows.waiting(), H2DirectoryWriter::bindWaiting);
        batch(
                transaction,
                "DELETE FROM waiting WHERE conv = ?",
                rows.notWaiting(),
                (row, conv) -> row.setString(1, conv));
        batch(transaction, PUT_DEADLINE, rows.deadlines(), (row, put) -> {
            bindKey(row, put.entity(), put.id());
            row.setLong(3, Micros.of(put.at()));
        });
        batch(
                transaction,
                "DELETE FROM deadline WHERE entity = ? AND id = ?",
                rows.noDeadlines(),
                (row, removed) -> bindKey(row, removed.entity(), removed.id()));
        batch(transaction, PUT_AGENT, rows.agents(), H2DirectoryWriter::bindAgent);
        batch(transaction, PUT_DEAD_LETTER, rows.deadLetters(), H2DirectoryWriter::bindDeadLetter);
    }

    private interface Binder<T> {
        void bind(PreparedStatement row, T value) throws SQLException;
    }

    private static <T> void batch(Connection transaction, String sql, Collection<T> values, Binder<T> binder)
            throws SQLException {
        if (values.isEmpty()) {
            return;
        }
        try (PreparedStatement row = transaction.prepareStatement(sql)) {
            for (T value : values) {
                binder.bind(row, value);
                row.addBatch();
            }
            row.executeBatch();
        }
    }

    private static void bindOpened(PreparedStatement statement, DirectoryRows.ConversationRow row) throws SQLException {
        statement.setString(1, row.opened().conv());
        statement.setString(2, row.opened().customer());
        statement.setString(3, row.queue());
        statement.setString(4, row.status());
        statement.setString(5, row.owner());
        statement.setString(6, row.opened().openedBy());
        statement.setLong(7, row.epoch());
        statement.setInt(8, row.opened().priority());
        statement.setLong(9, row.openedMicros());
        statement.setLong(10, row.updatedMicros());
    }

    private static void bindChanged(PreparedStatement row, ConversationChanged changed) throws SQLException {
        row.setString(1, changed.status().wireName());
        row.setString(2, changed.owner());
        row.setString(3, changed.queue());
        row.setLong(4, changed.epoch());
        row.setLong(5, Micros.of(changed.at()));
        row.setString(6, changed.conv());
    }

    private static void bindWaiting(PreparedStatement row, WaitingPut put) throws SQLException {
        Ticket ticket = put.ticket();
        row.setString(1, put.conv());
        row.setString(2, ticket.queue());
        row.setLong(3, ticket.epoch());
        row.setString(4, ticket.customer());
        row.setInt(5, ticket.priority());
        row.setString(6, TextList.write(ticket.skills()));
        row.setLong(7, Micros.of(ticket.since()));
        row.setBoolean(8, ticket.front());
        row.setString(9, ticket.prefer());
        if (ticket.preferUntil() == null) {
            row.setNull(10, Types.BIGINT);
        } else {
            row.setLong(10, Micros.of(ticket.preferUntil()));
        }
        row.setBoolean(11, ticket.direct());
    }

    private static void bindAgent(PreparedStatement row, AgentPut put) throws SQLException {
        row.setString(1, put.agent());
        row.setString(2, put.availability());
        row.setInt(3, put.capacity());
        row.setInt(4, put.held());
        row.setString(5, TextList.write(put.queues()));
        row.setString(6, TextList.write(put.skills()));
        row.setBoolean(7, put.profiled());
        row.setLong(8, Micros.of(put.at()));
    }

    private static void bindDeadLetter(PreparedStatement row, DeadLetterPut put) throws SQLException {
        row.setString(1, put.letter().id());
        row.setString(2, put.conv());
        row.setString(3, put.letter().queue());
        row.setString(4, put.letter().receiver().key());
        row.setLong(5, put.letter().seq());
        row.setString(6, put.letter().state().wireName());
        row.setLong(7, Micros.of(put.letter().diedAt()));
        row.setLong(8, Micros.of(put.letter().at()));
        row.setBytes(9, DeadLetterRows.bytes(put.letter()));
    }

    private static void bindKey(PreparedStatement row, EntityKind entity, String id) throws SQLException {
        row.setString(1, entity.storedName());
        row.setString(2, id);
    }
}
