package dev.switchboard.directory;

import dev.switchboard.conversation.Ticket;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.AgentPut;
import dev.switchboard.ports.DirectoryChange.ConversationChanged;
import dev.switchboard.ports.DirectoryChange.DeadLetterPut;
import dev.switchboard.ports.DirectoryChange.DeadlinePut;
import dev.switchboard.ports.DirectoryChange.DeadlineRemoved;
import dev.switchboard.ports.DirectoryChange.WaitingPut;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A batch's changes of the directory for PostgreSQL, as data-modifying parts of a {@code WITH} clause whose parameters
 * are whole columns. So they share one statement, one round trip and one transaction with the events that they come
 * from. All parts of a statement see the tables as they were before it: that is why no row may be in two of them, which
 * {@link DirectoryRows} sees to. Made by the journal's writers; confined to one thread.
 */
public final class DirectoryArrays {
    private static final String OPENED = "opened AS (INSERT INTO conversation (conv, customer, queue, status, owner,"
            + " opened_by, epoch, priority, opened_us, updated_us) SELECT * FROM unnest(?::text[], ?::text[], ?::text[],"
            + " ?::text[], ?::text[], ?::text[], ?::int8[], ?::int2[], ?::int8[], ?::int8[]) ON CONFLICT (conv) DO"
            + " UPDATE SET customer = EXCLUDED.customer, queue = EXCLUDED.queue, status = EXCLUDED.status, owner ="
            + " EXCLUDED.owner, opened_by = EXCLUDED.opened_by, epoch = EXCLUDED.epoch, priority = EXCLUDED.priority,"
            + " opened_us = EXCLUDED.opened_us, updated_us = EXCLUDED.updated_us)";

    private static final String CHANGED = "changed AS (UPDATE conversation AS c SET status = n.status, owner = n.owner,"
            + " queue = n.queue, epoch = n.epoch, updated_us = n.updated_us FROM unnest(?::text[], ?::text[],"
            + " ?::text[], ?::text[], ?::int8[], ?::int8[]) AS n(conv, status, owner, queue, epoch, updated_us)"
            + " WHERE c.conv = n.conv)";

    private static final String WAITING = "waits AS (INSERT INTO waiting (conv, queue, epoch, customer, priority,"
            + " skills_list, since_us, front, prefer, prefer_until_us, direct) SELECT * FROM unnest(?::text[],"
            + " ?::text[], ?::int8[], ?::text[], ?::int2[], ?::text[], ?::int8[], ?::bool[], ?::text[], ?::int8[],"
            + " ?::bool[]) ON CONFLICT (conv) DO UPDATE SET queue = EXCLUDED.queue, epoch = EXCLUDED.epoch, customer ="
            + " EXCLUDED.customer, priority = EXCLUDED.priority, skills_list = EXCLUDED.skills_list, since_us ="
            + " EXCLUDED.since_us, front = EXCLUDED.front, prefer = EXCLUDED.prefer, prefer_until_us ="
            + " EXCLUDED.prefer_until_us, direct = EXCLUDED.direct)";

    private static final String NOT_WAITING = "served AS (DELETE FROM waiting WHERE conv = ANY (?::text[]))";

    private static final String DEADLINES = "due AS (INSERT INTO deadline (entity, id, due_us) SELECT * FROM"
            + " unnest(?::text[], ?::text[], ?::int8[]) ON CONFLICT (entity, id) DO UPDATE SET due_us ="
            + " EXCLUDED.due_us WHERE deadline.due_us <> EXCLUDED.due_us)";

    private static final String NO_DEADLINES = "done AS (DELETE FROM deadline AS d USING unnest(?::text[], ?::text[])"
            + " AS n(entity, id) WHERE d.entity = n.entity AND d.id = n.id)";

    private static final String AGENTS = "desks AS (INSERT INTO agent (agent, availability, capacity, held,"
            + " queues_list, skills_list, profiled, updated_us) SELECT * FROM unnest(?::text[], ?::text[], ?::int4[],"
            + " ?::int4[], ?::text[], ?::text[], ?::bool[], ?::int8[]) ON CONFLICT (agent) DO UPDATE SET availability ="
            + " EXCLUDED.availability, capacity = EXCLUDED.capacity, held = EXCLUDED.held, queues_list ="
            + " EXCLUDED.queues_list, skills_list = EXCLUDED.skills_list, profiled = EXCLUDED.profiled, updated_us ="
            + " EXCLUDED.updated_us)";

    private static final String DEAD_LETTERS = "letters AS (INSERT INTO dead_letter (id, conv, queue, receiver, seq,"
            + " state, died_us, updated_us, letter) SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[],"
            + " ?::int8[], ?::text[], ?::int8[], ?::int8[], ?::bytea[]) ON CONFLICT (id) DO UPDATE SET conv ="
            + " EXCLUDED.conv, queue = EXCLUDED.queue, receiver = EXCLUDED.receiver, seq = EXCLUDED.seq, state ="
            + " EXCLUDED.state, died_us = EXCLUDED.died_us, updated_us = EXCLUDED.updated_us, letter ="
            + " EXCLUDED.letter)";

    private interface Binding {
        void to(ArrayBinder binder) throws SQLException;
    }

    private final StringBuilder with = new StringBuilder();
    private final List<Binding> bindings = new ArrayList<>();

    /** The changes as if made one after the other. */
    public DirectoryArrays(List<DirectoryChange> changes) {
        DirectoryRows rows = new DirectoryRows();
        changes.forEach(rows::add);
        add(OPENED, rows.opened(), DirectoryArrays::bindOpened);
        add(CHANGED, rows.changed(), DirectoryArrays::bindChanged);
        add(WAITING, rows.waiting(), DirectoryArrays::bindWaiting);
        add(NOT_WAITING, rows.notWaiting(), (binder, convs) -> binder.texts(convs.toArray(new String[0])));
        add(
                DEADLINES,
                rows.deadlines(),
                (binder, puts) -> binder.texts(texts(puts, put -> put.entity().storedName()))
                        .texts(texts(puts, DeadlinePut::id))
                        .longs(longs(puts, put -> Micros.of(put.at()))));
        add(
                NO_DEADLINES,
                rows.noDeadlines(),
                (binder, removed) -> binder.texts(
                                texts(removed, each -> each.entity().storedName()))
                        .texts(texts(removed, DeadlineRemoved::id)));
        add(AGENTS, rows.agents(), DirectoryArrays::bindAgents);
        add(DEAD_LETTERS, rows.deadLetters(), DirectoryArrays::bindDeadLetters);
    }

    private interface Columns<T> {
        void bind(ArrayBinder binder, Collection<T> rows) throws SQLException;
    }

    private <T> void add(String part, Collection<T> rows, Columns<T> columns) {
        if (!rows.isEmpty()) {
            with.append(with.length() == 0 ? "WITH " : ", ").append(part);
            bindings.add(binder -> columns.bind(binder, rows));
        }
    }

    public boolean isEmpty() {
        return bindings.isEmpty();
    }

    /** {@code WITH …}, to stand before a statement; empty when nothing changes. */
    public String with() {
        return with.toString();
    }

    /** Binds the parameters of {@link #with}, which are the statement's first. */
    public void bind(ArrayBinder binder) throws SQLException {
        for (Binding binding : bindings) {
            binding.to(binder);
        }
    }

    private static void bindOpened(ArrayBinder binder, Collection<DirectoryRows.ConversationRow> rows)
            throws SQLException {
        binder.texts(texts(rows, row -> row.opened().conv()))
                .texts(texts(rows, row -> row.opened().customer()))
                .texts(texts(rows, DirectoryRows.ConversationRow::queue))
                .texts(texts(rows, DirectoryRows.ConversationRow::status))
                .texts(texts(rows, DirectoryRows.ConversationRow::owner))
                .texts(texts(rows, row -> row.opened().openedBy()))
                .longs(longs(rows, DirectoryRows.ConversationRow::epoch))
                .shorts(shorts(rows, row -> row.opened().priority()))
                .longs(longs(rows, DirectoryRows.ConversationRow::openedMicros))
                .longs(longs(rows, DirectoryRows.ConversationRow::updatedMicros));
    }

    private static void bindChanged(ArrayBinder binder, Collection<ConversationChanged> rows) throws SQLException {
        binder.texts(texts(rows, ConversationChanged::conv))
                .texts(texts(rows, row -> row.status().wireName()))
                .texts(texts(rows, ConversationChanged::owner))
                .texts(texts(rows, ConversationChanged::queue))
                .longs(longs(rows, ConversationChanged::epoch))
                .longs(longs(rows, row -> Micros.of(row.at())));
    }

    private static void bindWaiting(ArrayBinder binder, Collection<WaitingPut> puts) throws SQLException {
        List<Ticket> tickets = puts.stream().map(WaitingPut::ticket).toList();
        binder.texts(texts(puts, WaitingPut::conv))
                .texts(texts(tickets, Ticket::queue))
                .longs(longs(tickets, Ticket::epoch))
                .texts(texts(tickets, Ticket::customer))
                .shorts(shorts(tickets, Ticket::priority))
                .texts(texts(tickets, ticket -> TextList.write(ticket.skills())))
                .longs(longs(tickets, ticket -> Micros.of(ticket.since())))
                .flags(flags(tickets, Ticket::front))
                .texts(texts(tickets, Ticket::prefer))
                .longs(tickets.stream()
                        .map(ticket -> ticket.preferUntil() == null ? null : Micros.of(ticket.preferUntil()))
                        .toArray(Long[]::new))
                .flags(flags(tickets, Ticket::direct));
    }

    private static void bindAgents(ArrayBinder binder, Collection<AgentPut> puts) throws SQLException {
        binder.texts(texts(puts, AgentPut::agent))
                .texts(texts(puts, AgentPut::availability))
                .integers(puts.stream().mapToInt(AgentPut::capacity).toArray())
                .integers(puts.stream().mapToInt(AgentPut::held).toArray())
                .texts(texts(puts, put -> TextList.write(put.queues())))
                .texts(texts(puts, put -> TextList.write(put.skills())))
                .flags(flags(puts, AgentPut::profiled))
                .longs(longs(puts, put -> Micros.of(put.at())));
    }

    private static void bindDeadLetters(ArrayBinder binder, Collection<DeadLetterPut> puts) throws SQLException {
        binder.texts(texts(puts, put -> put.letter().id()))
                .texts(texts(puts, DeadLetterPut::conv))
                .texts(texts(puts, put -> put.letter().queue()))
                .texts(texts(puts, put -> put.letter().receiver().key()))
                .longs(longs(puts, put -> put.letter().seq()))
                .texts(texts(puts, put -> put.letter().state().wireName()))
                .longs(longs(puts, put -> Micros.of(put.letter().diedAt())))
                .longs(longs(puts, put -> Micros.of(put.letter().at())))
                .bytes(puts.stream()
                        .map(put -> DeadLetterRows.bytes(put.letter()))
                        .toArray(byte[][]::new));
    }

    private static <T> String[] texts(Collection<T> rows, Function<T, String> column) {
        return rows.stream().map(column).toArray(String[]::new);
    }

    private static <T> long[] longs(Collection<T> rows, ToLongFunction<T> column) {
        return rows.stream().mapToLong(column).toArray();
    }

    /** A number that doesn't fit becomes null, which the column refuses: an error of data, as it should be. */
    private static <T> Short[] shorts(Collection<T> rows, ToLongFunction<T> column) {
        return rows.stream()
                .map(row -> {
                    long value = column.applyAsLong(row);
                    return value == (short) value ? (Short) (short) value : null;
                })
                .toArray(Short[]::new);
    }

    private static <T> boolean[] flags(Collection<T> rows, Function<T, Boolean> column) {
        boolean[] flags = new boolean[rows.size()];
        int i = 0;
        for (T row : rows) {
            flags[i++] = column.apply(row);
        }
        return flags;
    }
}
