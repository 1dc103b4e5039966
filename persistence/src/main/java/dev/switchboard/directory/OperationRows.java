package dev.switchboard.directory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What operators did with shards and nodes, kept in the database: who, when, what, and what came of it. Used by the
 * server's operations. Thread-safe; never blocks the caller. At most one operation of the cluster is running.
 */
public final class OperationRows {
    /**
     * One of them.
     *
     * @param byWhom role and id of the operator
     * @param runner the node that carries it out; empty when it needs none
     * @param status what became of it, in a word
     * @param toStop who wants it to stop; empty when nobody does
     * @param content the rest in JSON: what was asked, how far it is, the report
     */
    public record Row(
            String id,
            String kind,
            String byWhom,
            Instant begun,
            String runner,
            String status,
            boolean running,
            String toStop,
            Optional<Instant> ended,
            String content) {}

    private static final String SELECT =
            "SELECT id, kind, by_whom, begun_us, runner, status, running, to_stop, ended_us, content FROM operation";
    private static final String UNIQUE_VIOLATION = "23505";

    private final SqlReader reader;

    OperationRows(SqlReader reader) {
        this.reader = reader;
    }

    /** Keeps a new one. False, and nothing is kept, when it is to run and another one is running. */
    public CompletionStage<Boolean> add(Row row) {
        return reader.run(connection -> {
            try {
                execute(
                        connection,
                        Query.of("INSERT INTO operation (id, kind, by_whom, begun_us, runner, status, running, to_stop,"
                                        + " ended_us, content) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)")
                                .with(row.id())
                                .with(row.kind())
                                .with(row.byWhom())
                                .with(Micros.of(row.begun()))
                                .with(row.runner())
                                .with(row.status())
                                .with(row.running() ? Boolean.TRUE : null)
                                .with(row.ended().map(Micros::of).orElse(null))
                                .with(row.content()));
                return true;
            } catch (SQLException e) {
                if (UNIQUE_VIOLATION.equals(e.getSQLState())) {
                    return false;
                }
                throw e;
            }
        });
    }

    /** Notes how far it is; once {@code ended} is there, it runs no more. A row that runs no more stays as it is. */
    public CompletionStage<Boolean> change(String id, String status, Optional<Instant> ended, String content) {
        return reader.run(connection -> execute(
                        connection,
                        Query.of("UPDATE operation SET status = ?, running = ?, ended_us = ?, content = ?"
                                        + " WHERE id = ? AND running = TRUE")
                                .with(status)
                                .with(ended.isPresent() ? null : Boolean.TRUE)
                                .with(ended.map(Micros::of).orElse(null))
                                .with(content)
                                .with(id))
                > 0);
    }

    /** Asks the running operation to stop; false when none is running. */
    public CompletionStage<Boolean> stop(String byWhom) {
        return reader.run(connection -> execute(
                        connection,
                        Query.of("UPDATE operation SET to_stop = ? WHERE running = TRUE")
                                .with(byWhom))
                > 0);
    }

    public CompletionStage<Optional<Row>> find(String id) {
        return reader.run(
                connection -> Query.of(SELECT + " WHERE id = ?").with(id).first(connection, OperationRows::read));
    }

    /** The one that is running. */
    public CompletionStage<Optional<Row>> running() {
        return reader.run(
                connection -> Query.of(SELECT + " WHERE running = TRUE").first(connection, OperationRows::read));
    }

    /** The newest, the newest first. */
    public CompletionStage<List<Row>> newest(int limit) {
        return reader.run(connection -> Query.of(SELECT + " ORDER BY begun_us DESC, id DESC LIMIT ?")
                .with(limit)
                .all(connection, OperationRows::read));
    }

    private static int execute(Connection connection, Query query) throws SQLException {
        try (PreparedStatement statement = query.prepare(connection)) {
            return statement.executeUpdate();
        }
    }

    private static Row read(ResultSet row) throws SQLException {
        long ended = row.getLong("ended_us");
        Optional<Instant> end = row.wasNull() ? Optional.empty() : Optional.of(Micros.toInstant(ended));
        return new Row(
                row.getString("id"),
                row.getString("kind"),
                row.getString("by_whom"),
                Micros.toInstant(row.getLong("begun_us")),
                orEmpty(row.getString("runner")),
                row.getString("status"),
                row.getBoolean("running"),
                orEmpty(row.getString("to_stop")),
                end,
                row.getString("content"));
    }

    private static String orEmpty(String text) {
        return text == null ? "" : text;
    }
}
