package dev.switchboard.directory;

import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.ports.Directory;
import dev.switchboard.routing.QueueSettings;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The directory's lists by JDBC. Thread-safe; never blocks the caller. */
final class SqlDirectory implements Directory {
    /** The longest page that is given, whatever was asked for. */
    static final int MAX_PAGE = 1000;

    private static final String CONVERSATION_COLUMNS =
            "conv, customer, queue, status, owner, opened_by, epoch, priority, opened_us, updated_us";
    private static final String WAITING_COLUMNS =
            "conv, queue, epoch, customer, priority, skills_list, since_us, front, prefer, prefer_until_us, direct";
    private static final String AGENT_COLUMNS =
            "agent, availability, capacity, held, queues_list, skills_list, profiled, updated_us";
    private static final String QUEUE_COLUMNS = "strategy, auto_accept, offer_to, offer_timeout_ms, max_length, "
            + "ageing_ms, relax_skills_after_ms, prefer_last_agent_for_ms, prefer_target_for_ms, owner_grace_ms, "
            + "abandon_after_ms, close_idle_after_ms, when_closed, dead_letters";

    private final SqlReader reader;
    private final DatabaseKind kind;
    private final String putQueue;
    private final String putRevocation;

    SqlDirectory(SqlReader reader, DatabaseKind kind) {
        this.reader = reader;
        this.kind = kind;
        putQueue = kind.upsert("queue_settings", "queue", QUEUE_COLUMNS);
        putRevocation = kind.upsert("revocation", "person", "at_us");
    }

    @Override
    public CompletionStage<Optional<ConversationRow>> conversation(String conv) {
        return reader.run(connection -> Query.of("SELECT " + CONVERSATION_COLUMNS + " FROM conversation WHERE conv = ?")
                .with(conv)
                .first(connection, SqlDirectory::conversationRow));
    }

    @Override
    public CompletionStage<Rows<ConversationRow>> conversations(
            ConversationFilter filter, Optional<String> cursor, int limit) {
        Query query = Query.of("SELECT " + CONVERSATION_COLUMNS + " FROM conversation WHERE 1 = 1");
        if (filter.status() != null) {
            query.add(" AND status = ?").with(filter.status().wireName());
        }
        if (filter.owner() != null) {
            query.add(" AND owner = ?").with(filter.owner());
        }
        if (filter.queue() != null) {
            query.add(" AND queue = ?").with(filter.queue());
        }
        if (filter.customer() != null) {
            query.add(" AND customer = ?").with(filter.customer());
        }
        if (filter.queues() != null) {
            if (filter.queues().isEmpty()) {
                return reader.run(connection -> new Rows<>(List.of(), Optional.empty()));
            }
            query.add(" AND queue IN (?" + ", ?".repeat(filter.queues().size() - 1) + ")");
            filter.queues().stream().sorted().forEach(query::with);
        }
        if (cursor.isPresent()) {
            Cursor after = Cursor.read("c", cursor.get());
            // The first part alone says where in the index the page begins, however deep.
            query.add(" AND updated_us <= ? AND (updated_us < ? OR conv < ?)")
                    .with(after.number())
                    .with(after.number())
                    .with(after.text());
        }
        query.add(" ORDER BY " + leading(filter) + "updated_us DESC, conv DESC");
        return page(
                query,
                limit,
                SqlDirectory::conversationRow,
                last -> new Cursor("c", Micros.of(last.updatedAt()), last.conv()));
    }

    /**
     * The column by which the list's index begins, which is the same in all of its rows: H2 takes an index's order only when
     * all of its columns are named, and else reads the whole list to sort it.
     */
    private static String leading(ConversationFilter filter) {
        if (filter.owner() != null) {
            return "owner DESC, ";
        }
        if (filter.customer() != null) {
            return "customer DESC, ";
        }
        if (filter.queue() != null) {
            return "queue DESC, ";
        }
        return filter.status() != null ? "status DESC, " : "";
    }

    @Override
    public CompletionStage<List<WaitingRow>> waiting(String queue, String afterConv, int limit) {
        Query query = Query.of("SELECT " + WAITING_COLUMNS + " FROM waiting WHERE queue = ?")
                .with(queue);
        if (afterConv != null) {
            query.add(" AND conv > ?").with(afterConv);
        }
        query.add(" ORDER BY queue, conv LIMIT ?").with(limit);
        return reader.run(connection -> query.all(connection, SqlDirectory::waitingRow));
    }

    @Override
    public CompletionStage<Set<String>> waitingQueues() {
        return texts("SELECT DISTINCT queue FROM waiting");
    }

    @Override
    public CompletionStage<Optional<AgentRow>> agent(String agent) {
        return reader.run(connection -> Query.of("SELECT " + AGENT_COLUMNS + " FROM agent WHERE agent = ?")
                .with(agent)
                .first(connection, SqlDirectory::agentRow));
    }

    @Override
    public CompletionStage<Rows<AgentRow>> agents(
            String queue, String availability, Optional<String> cursor, int limit) {
        Query query = Query.of("SELECT " + AGENT_COLUMNS + " FROM agent WHERE 1 = 1");
        if (queue != null) {
            query.add(" AND queues_list LIKE ? ESCAPE '!'").with(TextList.containing(queue));
        }
        if (availability != null) {
            query.add(" AND availability = ?").with(availability);
        }
        if (cursor.isPresent()) {
            query.add(" AND agent > ?").with(Cursor.read("a", cursor.get()).text());
        }
        query.add(" ORDER BY agent");
        return page(query, limit, SqlDirectory::agentRow, last -> new Cursor("a", 0, last.agent()));
    }

    @Override
    public CompletionStage<Optional<DeadLetterRow>> deadLetter(String id) {
        return reader.run(connection -> DeadLetterRows.byId(id).first(connection, DeadLetterRows::row));
    }

    @Override
    public CompletionStage<Rows<DeadLetterRow>> deadLetters(
            DeadLetterFilter filter, Optional<String> cursor, int limit) {
        Query query = DeadLetterRows.list(
                filter, cursor.map(text -> Cursor.read("d", text)).orElse(null));
        return query == null
                ? reader.run(connection -> new Rows<>(List.of(), Optional.empty()))
                : page(
                        query,
                        limit,
                        DeadLetterRows::row,
                        last -> new Cursor(
                                "d",
                                Micros.of(last.letter().diedAt()),
                                last.letter().id()));
    }

    @Override
    public CompletionStage<DeadLetterFigures> deadLetterFigures() {
        return reader.run(connection -> DeadLetterRows.figures()
                .first(connection, DeadLetterRows::figures)
                .orElseThrow());
    }

    @Override
    public CompletionStage<HallFigures> hallFigures(int lines) {
        return reader.run(connection -> new HallFigures(
                Query.of("SELECT queue, COUNT(*) AS waiters, MIN(since_us) FROM waiting GROUP BY queue"
                                + " ORDER BY waiters DESC, queue LIMIT ?")
                        .with(lines)
                        .all(
                                connection,
                                row -> new LineFigures(
                                        row.getString(1), row.getLong(2), Micros.toInstant(row.getLong(3)))),
                Query.of("SELECT availability, COUNT(*), SUM(capacity), SUM(held) FROM agent GROUP BY availability")
                        .all(
                                connection,
                                row -> new DeskFigures(
                                        row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4)))));
    }

    @Override
    public CompletionStage<List<QueueSettings>> queues() {
        return reader.run(
                connection -> Query.of("SELECT queue, " + QUEUE_COLUMNS + " FROM queue_settings ORDER BY queue")
                        .all(connection, SqlDirectory::queueRow));
    }

    @Override
    public CompletionStage<Void> putQueue(QueueSettings settings) {
        Query query = Query.of(putQueue)
                .with(settings.queue())
                .with(settings.strategy())
                .with(settings.autoAccept())
                .with(settings.offerTo())
                .with(settings.offerTimeout().toMillis())
                .with(settings.maxLength())
                .with(settings.ageing().toMillis())
                .with(settings.relaxSkillsAfter().toMillis())
                .with(settings.preferLastAgentFor().toMillis())
                .with(settings.preferTargetFor().toMillis())
                .with(settings.ownerGrace().toMillis())
                .with(settings.abandonAfter().toMillis())
                .with(settings.closeIdleAfter().toMillis())
                .with(settings.whenClosed().name())
                .with(settings.deadLetters().name());
        return change(query);
    }

    @Override
    public CompletionStage<Set<String>> revoked() {
        return texts("SELECT person FROM revocation");
    }

    @Override
    public CompletionStage<Void> revoke(String personKey, Instant at) {
        return change(Query.of(putRevocation).with(personKey).with(Micros.of(at)));
    }

    @Override
    public CompletionStage<Void> unrevoke(String personKey) {
        return change(Query.of("DELETE FROM revocation WHERE person = ?").with(personKey));
    }

    @Override
    public CompletionStage<String> logId() {
        return reader.run(connection -> Query.of("SELECT content FROM meta WHERE name = 'log_id'")
                .first(connection, row -> row.getString(1))
                .orElseThrow(() -> new SQLException("the meta table has no log_id")));
    }

    private CompletionStage<Void> change(Query query) {
        return reader.run(connection -> {
            try (PreparedStatement statement = query.prepare(connection)) {
                statement.executeUpdate();
            }
            H2Flush.afterCommit(connection, kind);
            return null;
        });
    }

    private CompletionStage<Set<String>> texts(String sql) {
        return reader.run(connection -> new HashSet<>(Query.of(sql).all(connection, row -> row.getString(1))));
    }

    private interface ToCursor<T> {
        Cursor of(T last);
    }

    /** One row more than the page is read: it tells if there is a next page. */
    private <T> CompletionStage<Rows<T>> page(Query query, int limit, Query.RowReader<T> rows, ToCursor<T> toCursor) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1, not " + limit);
        }
        int size = Math.min(limit, MAX_PAGE);
        query.add(" LIMIT ?").with(size + 1);
        return reader.run(connection -> {
            List<T> found = query.all(connection, rows);
            if (found.size() <= size) {
                return new Rows<>(found, Optional.empty());
            }
            List<T> items = found.subList(0, size);
            return new Rows<>(
                    items, Optional.of(toCursor.of(items.get(size - 1)).write()));
        });
    }

    private static ConversationRow conversationRow(ResultSet row) throws SQLException {
        return new ConversationRow(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                Status.ofWireName(row.getString(4)),
                row.getString(5),
                row.getString(6),
                row.getLong(7),
                row.getInt(8),
                Micros.toInstant(row.getLong(9)),
                Micros.toInstant(row.getLong(10)));
    }

    private static WaitingRow waitingRow(ResultSet row) throws SQLException {
        long preferUntil = row.getLong(10);
        boolean noPreference = row.wasNull();
        return new WaitingRow(
                row.getString(1),
                new Ticket(
                        row.getString(2),
                        row.getLong(3),
                        row.getString(4),
                        row.getInt(5),
                        TextList.read(row.getString(6)),
                        Micros.toInstant(row.getLong(7)),
                        row.getBoolean(8),
                        row.getString(9),
                        noPreference ? null : Micros.toInstant(preferUntil),
                        row.getBoolean(11)));
    }

    private static AgentRow agentRow(ResultSet row) throws SQLException {
        return new AgentRow(
                row.getString(1),
                row.getString(2),
                row.getInt(3),
                row.getInt(4),
                TextList.read(row.getString(5)),
                TextList.read(row.getString(6)),
                row.getBoolean(7),
                Micros.toInstant(row.getLong(8)));
    }

    private static QueueSettings queueRow(ResultSet row) throws SQLException {
        return new QueueSettings(
                row.getString(1),
                row.getString(2),
                row.getBoolean(3),
                row.getInt(4),
                Duration.ofMillis(row.getLong(5)),
                row.getInt(6),
                Duration.ofMillis(row.getLong(7)),
                Duration.ofMillis(row.getLong(8)),
                Duration.ofMillis(row.getLong(9)),
                Duration.ofMillis(row.getLong(10)),
                Duration.ofMillis(row.getLong(11)),
                Duration.ofMillis(row.getLong(12)),
                Duration.ofMillis(row.getLong(13)),
                QueueSettings.WhenClosed.valueOf(row.getString(14)),
                QueueSettings.DeadLetters.valueOf(row.getString(15)));
    }
}
