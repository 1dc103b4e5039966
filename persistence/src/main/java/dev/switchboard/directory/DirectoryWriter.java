package dev.switchboard.directory;

import dev.switchboard.conversation.Ticket;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.AgentPut;
import dev.switchboard.ports.DirectoryChange.ConversationChanged;
import dev.switchboard.ports.DirectoryChange.ConversationOpened;
import dev.switchboard.ports.DirectoryChange.DeadlinePut;
import dev.switchboard.ports.DirectoryChange.DeadlineRemoved;
import dev.switchboard.ports.DirectoryChange.WaitingPut;
import dev.switchboard.ports.DirectoryChange.WaitingRemoved;
import dev.switchboard.ports.EntityKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Applies events' changes to the directory's tables, in the transaction of the events. Thread-safe: it has no state of
 * its own; called by the journal's writers.
 *
 * <p>Each table's last word on a row is what counts, because every change but {@code ConversationChanged} says all of
 * its row, and that one all that can change. So the changes of a batch are first reduced to one or two a row, then
 * written by one JDBC batch a statement, with keys in order, so that two writers could not block each other crosswise.
 */
public final class DirectoryWriter {
    private final String putConversation;
    private final String putWaiting;
    private final String putDeadline;
    private final String putAgent;

    public DirectoryWriter(DatabaseKind kind) {
        putConversation = kind.upsert(
                "conversation",
                "conv",
                "customer, queue, status, owner, opened_by, epoch, priority, opened_us, updated_us");
        putWaiting = kind.upsert(
                "waiting",
                "conv",
                "queue, epoch, customer, priority, skills_list, since_us, front, prefer, prefer_until_us, direct");
        putDeadline = kind.upsert("deadline", "entity, id", "due_us");
        putAgent = kind.upsert(
                "agent", "agent", "availability, capacity, held, queues_list, skills_list, profiled, updated_us");
    }

    /** Applies the changes as if one after the other. The caller commits. */
    public void apply(Connection transaction, List<DirectoryChange> changes) throws SQLException {
        if (changes.isEmpty()) {
            return;
        }
        Reduced reduced = new Reduced();
        changes.forEach(reduced::add);
        batch(transaction, putConversation, reduced.opened.values(), DirectoryWriter::bindOpened);
        batch(
                transaction,
                "UPDATE conversation SET status = ?, owner = ?, queue = ?, epoch = ?, updated_us = ? WHERE conv = ?",
                reduced.changed.values(),
                DirectoryWriter::bindChanged);
        batch(transaction, putWaiting, reduced.waiting.values(), DirectoryWriter::bindWaiting);
        batch(
                transaction,
                "DELETE FROM waiting WHERE conv = ?",
                reduced.notWaiting.keySet(),
                (row, conv) -> row.setString(1, conv));
        batch(transaction, putDeadline, reduced.deadlines.values(), (row, put) -> {
            bindKey(row, put.entity(), put.id());
            row.setLong(3, Micros.of(put.at()));
        });
        batch(
                transaction,
                "DELETE FROM deadline WHERE entity = ? AND id = ?",
                reduced.noDeadlines.values(),
                (row, removed) -> bindKey(row, removed.entity(), removed.id()));
        batch(transaction, putAgent, reduced.agents.values(), DirectoryWriter::bindAgent);
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

    private static void bindOpened(PreparedStatement row, ConversationOpened opened) throws SQLException {
        row.setString(1, opened.conv());
        row.setString(2, opened.customer());
        row.setString(3, opened.queue());
        row.setString(4, opened.status().wireName());
        row.setNull(5, Types.VARCHAR);
        row.setString(6, opened.openedBy());
        row.setLong(7, opened.epoch());
        row.setInt(8, opened.priority());
        row.setLong(9, Micros.of(opened.openedAt()));
        row.setLong(10, Micros.of(opened.openedAt()));
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

    private static void bindKey(PreparedStatement row, EntityKind entity, String id) throws SQLException {
        row.setString(1, entity.storedName());
        row.setString(2, id);
    }

    /** What is left to write for each row. Confined to one call. */
    private static final class Reduced {
        final Map<String, ConversationOpened> opened = new TreeMap<>();
        final Map<String, ConversationChanged> changed = new TreeMap<>();
        final Map<String, WaitingPut> waiting = new TreeMap<>();
        final Map<String, WaitingRemoved> notWaiting = new TreeMap<>();
        final Map<String, DeadlinePut> deadlines = new TreeMap<>();
        final Map<String, DeadlineRemoved> noDeadlines = new TreeMap<>();
        final Map<String, AgentPut> agents = new TreeMap<>();

        void add(DirectoryChange change) {
            if (change instanceof ConversationOpened row) {
                opened.put(row.conv(), row);
                changed.remove(row.conv());
            } else if (change instanceof ConversationChanged row) {
                changed.put(row.conv(), row);
            } else if (change instanceof WaitingPut row) {
                waiting.put(row.conv(), row);
                notWaiting.remove(row.conv());
            } else if (change instanceof WaitingRemoved row) {
                notWaiting.put(row.conv(), row);
                waiting.remove(row.conv());
            } else if (change instanceof DeadlinePut row) {
                deadlines.put(row.entity().persistenceId(row.id()), row);
                noDeadlines.remove(row.entity().persistenceId(row.id()));
            } else if (change instanceof DeadlineRemoved row) {
                noDeadlines.put(row.entity().persistenceId(row.id()), row);
                deadlines.remove(row.entity().persistenceId(row.id()));
            } else if (change instanceof AgentPut row) {
                agents.put(row.agent(), row);
            } else {
                throw new IllegalArgumentException("unknown change of the directory: " + change);
            }
        }
    }
}
