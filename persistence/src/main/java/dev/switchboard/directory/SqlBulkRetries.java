package dev.switchboard.directory;

import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.ports.BulkRetries;
import dev.switchboard.ports.Directory.DeadLetterFilter;
import dev.switchboard.ports.Directory.Rows;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** The bulk retries by JDBC. Thread-safe; never blocks the caller. */
final class SqlBulkRetries implements BulkRetries {
    private static final String DUPLICATE_KEY = "23505";

    private static final String JOB =
            "SELECT id, creator, queues_list, filter_queue, filter_conv, filter_ids, cap, pace, "
                    + "state, created_us, stopped_by, stopped_us, finished_us, "
                    + "(SELECT COUNT(*) FROM retry_item i WHERE i.job = retry_job.id), "
                    + inState("waiting") + ", " + inState("sent") + ", " + inState("delivered") + ", "
                    + inState("failed")
                    + " FROM retry_job";

    private final SqlReader reader;
    private final DatabaseKind kind;

    SqlBulkRetries(SqlReader reader, DatabaseKind kind) {
        this.reader = reader;
        this.kind = kind;
    }

    private static String inState(String state) {
        return "(SELECT COUNT(*) FROM retry_item i WHERE i.job = retry_job.id AND i.state = '" + state + "')";
    }

    // ---- asking ----

    @Override
    public CompletionStage<Asked> ask(Request request, int maxOpen, Instant now) {
        String id = UUID.randomUUID().toString();
        String hash = hash(request);
        return reader.run(connection -> {
            Asked asked = known(connection, request, hash);
            if (asked == null) {
                asked = created(connection, id, request, hash, maxOpen, now);
            }
            H2Flush.afterCommit(connection, kind);
            return asked;
        });
    }

    /** Null when this person asked nothing with this key. */
    private static Asked known(Connection connection, Request request, String hash) throws SQLException {
        record Found(String id, String hash) {}
        Optional<Found> found = Query.of("SELECT id, request_hash FROM retry_job WHERE creator = ? AND request_key = ?")
                .with(request.by().person().key())
                .with(request.key())
                .first(connection, row -> new Found(row.getString(1), row.getString(2)));
        if (found.isEmpty()) {
            return null;
        }
        return found.get().hash().equals(hash)
                ? new Asked.Known(read(connection, found.get().id()).orElseThrow())
                : new Asked.Reused();
    }

    private Asked created(Connection connection, String id, Request request, String hash, int maxOpen, Instant now)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            // Two at the same moment may both find room: the bound keeps the number small, it needn't be exact.
            int open = Query.of("SELECT COUNT(*) FROM retry_job WHERE state IN ('running', 'stopping')")
                    .first(connection, row -> row.getInt(1))
                    .orElse(0);
            if (open >= maxOpen) {
                return new Asked.Full();
            }
            insert(id, request, hash, now, connection);
            Query items = items(id, request, now);
            if (items != null) {
                update(connection, items);
            }
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            Asked other = DUPLICATE_KEY.equals(e.getSQLState()) ? known(connection, request, hash) : null;
            if (other == null) {
                throw e;
            }
            return other;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        return new Asked.Created(read(connection, id).orElseThrow());
    }

    private static void insert(String id, Request request, String hash, Instant now, Connection connection)
            throws SQLException {
        update(
                connection,
                Query.of("INSERT INTO retry_job (id, creator, request_key, request_hash, queues_list, filter_queue, "
                                + "filter_conv, filter_ids, cap, pace, state, created_us) "
                                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?)")
                        .with(id)
                        .with(request.by().person().key())
                        .with(request.key())
                        .with(hash)
                        .with(TextList.write(request.by().queues()))
                        .with(request.queue())
                        .with(request.conv())
                        .with(request.ids() == null ? 0 : request.ids().size())
                        .with(request.cap())
                        .with(request.pace())
                        .with(Micros.of(now)));
    }

    /** Chooses the letters: those that are dead now and that this person may retry. Null when there can be none. */
    private static Query items(String id, Request request, Instant now) {
        Query query = Query.of("INSERT INTO retry_item (job, place, letter, conv, state, updated_us) "
                        + "SELECT CAST(? AS VARCHAR(64)), CAST(ROW_NUMBER() OVER (ORDER BY died_us, id) AS INTEGER), id, "
                        + "conv, 'waiting', CAST(? AS BIGINT) FROM dead_letter WHERE 1 = 1")
                .with(id)
                .with(Micros.of(now));
        Set<String> queues =
                request.by().directsAllQueues() ? null : request.by().queues();
        DeadLetterFilter filter =
                new DeadLetterFilter(Set.of(Letter.State.DEAD), request.queue(), queues, request.conv());
        if (!DeadLetterRows.narrow(query, filter)
                || (request.ids() != null && request.ids().isEmpty())) {
            return null;
        }
        if (request.ids() != null) {
            DeadLetterRows.in(query, "id", request.ids());
        }
        return query.add(" ORDER BY died_us, id LIMIT ?").with(request.cap());
    }

    /** Tells one request from another: each part with its length before it. */
    private static String hash(Request request) {
        StringBuilder text = new StringBuilder();
        part(text, request.queue());
        part(text, request.conv());
        part(text, String.valueOf(request.cap()));
        part(text, String.valueOf(request.pace()));
        if (request.ids() != null) {
            request.ids().forEach(id -> part(text, id));
        }
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void part(StringBuilder text, String part) {
        if (part == null) {
            text.append("-;");
        } else {
            text.append(part.length()).append(':').append(part).append(';');
        }
    }

    // ---- looking ----

    @Override
    public CompletionStage<Optional<Job>> job(String id) {
        return reader.run(connection -> read(connection, id));
    }

    private static Optional<Job> read(Connection connection, String id) throws SQLException {
        return Query.of(JOB + " WHERE id = ?").with(id).first(connection, SqlBulkRetries::jobRow);
    }

    @Override
    public CompletionStage<Rows<Job>> jobs(String creator, Optional<String> cursor, int limit) {
        Query query = Query.of(JOB + " WHERE 1 = 1");
        if (creator != null) {
            query.add(" AND creator = ?").with(creator);
        }
        if (cursor.isPresent()) {
            Cursor after = Cursor.read("r", cursor.get());
            query.add(" AND created_us <= ? AND (created_us < ? OR id < ?)")
                    .with(after.number())
                    .with(after.number())
                    .with(after.text());
        }
        int size = Math.min(limit, SqlDirectory.MAX_PAGE);
        query.add(" ORDER BY created_us DESC, id DESC LIMIT ?").with(size + 1);
        return reader.run(connection -> {
            List<Job> found = query.all(connection, SqlBulkRetries::jobRow);
            if (found.size() <= size) {
                return new Rows<>(found, Optional.empty());
            }
            Job last = found.get(size - 1);
            return new Rows<>(
                    found.subList(0, size), Optional.of(new Cursor("r", Micros.of(last.at()), last.id()).write()));
        });
    }

    @Override
    public CompletionStage<List<Job>> open() {
        return reader.run(
                connection -> Query.of(JOB + " WHERE state IN ('running', 'stopping') ORDER BY created_us, id")
                        .all(connection, SqlBulkRetries::jobRow));
    }

    private static Job jobRow(ResultSet row) throws SQLException {
        Person by = Person.ofKey(row.getString(2));
        int total = row.getInt(14);
        int waiting = row.getInt(15);
        int sent = row.getInt(16);
        int delivered = row.getInt(17);
        int failed = row.getInt(18);
        return new Job(
                row.getString(1),
                Principal.of(by.role(), by.id()).withQueues(TextList.read(row.getString(3))),
                row.getString(4),
                row.getString(5),
                row.getInt(6),
                row.getInt(7),
                row.getInt(8),
                state(row.getString(9)),
                Micros.toInstant(row.getLong(10)),
                row.getString(11),
                time(row, 12),
                time(row, 13),
                new Progress(total, waiting, sent, delivered, failed, total - waiting - sent - delivered - failed));
    }

    private static State state(String stored) throws SQLException {
        for (State state : State.values()) {
            if (state.wireName().equals(stored)) {
                return state;
            }
        }
        throw new SQLException("not a state of a bulk retry: " + stored);
    }

    private static Instant time(ResultSet row, int column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : Micros.toInstant(micros);
    }

    // ---- carrying out ----

    @Override
    public CompletionStage<Optional<Job>> stop(String id, String by, Instant now) {
        return reader.run(connection -> {
            update(
                    connection,
                    Query.of("UPDATE retry_job SET state = 'stopping', stopped_by = ?, stopped_us = ? "
                                    + "WHERE id = ? AND state = 'running'")
                            .with(by)
                            .with(Micros.of(now))
                            .with(id));
            H2Flush.afterCommit(connection, kind);
            return read(connection, id);
        });
    }

    @Override
    public CompletionStage<List<Item>> next(String id, int limit) {
        return reader.run(connection -> Query.of("SELECT place, letter, conv FROM retry_item "
                        + "WHERE job = ? AND state = 'waiting' "
                        + "AND EXISTS (SELECT 1 FROM retry_job j WHERE j.id = ? AND j.state = 'running') "
                        + "ORDER BY job, state, place LIMIT ?")
                .with(id)
                .with(id)
                .with(limit)
                .all(connection, row -> new Item(row.getInt(1), row.getString(2), row.getString(3))));
    }

    @Override
    public CompletionStage<Void> took(String id, List<Turn> turns, Instant now) {
        return reader.run(connection -> {
            try (PreparedStatement statement = connection.prepareStatement("UPDATE retry_item SET state = ?, code = ?, "
                    + "updated_us = ? WHERE job = ? AND place = ? AND state = 'waiting'")) {
                for (Turn turn : turns) {
                    statement.setString(1, turn.failure() == null ? "sent" : "failed");
                    statement.setString(2, turn.failure());
                    statement.setLong(3, Micros.of(now));
                    statement.setString(4, id);
                    statement.setInt(5, turn.place());
                    statement.addBatch();
                }
                statement.executeBatch();
            }
            H2Flush.afterCommit(connection, kind);
            return null;
        });
    }

    @Override
    public CompletionStage<Optional<Job>> settle(String id, Instant now) {
        return reader.run(connection -> {
            // The letter's row commits with its conversation's own event: what it says is so.
            update(
                    connection,
                    Query.of("UPDATE retry_item SET updated_us = ?, "
                                    + "state = COALESCE((SELECT CASE d.state WHEN 'delivered' THEN 'delivered' "
                                    + "WHEN 'dead' THEN 'failed' ELSE 'skipped' END "
                                    + "FROM dead_letter d WHERE d.id = retry_item.letter), 'skipped') "
                                    + "WHERE job = ? AND state = 'sent' AND NOT EXISTS (SELECT 1 FROM dead_letter d "
                                    + "WHERE d.id = retry_item.letter AND d.state = 'retried')")
                            .with(Micros.of(now))
                            .with(id));
            update(
                    connection,
                    Query.of(
                                    "UPDATE retry_job SET finished_us = ?, "
                                            + "state = CASE state WHEN 'stopping' THEN 'stopped' ELSE 'done' END "
                                            + "WHERE id = ? AND state IN ('running', 'stopping') "
                                            + "AND NOT EXISTS (SELECT 1 FROM retry_item i WHERE i.job = retry_job.id "
                                            + "AND (i.state = 'sent' OR (i.state = 'waiting' AND retry_job.state = 'running')))")
                            .with(Micros.of(now))
                            .with(id));
            H2Flush.afterCommit(connection, kind);
            return read(connection, id);
        });
    }

    @Override
    public CompletionStage<Integer> forget(Instant before) {
        return reader.run(connection -> update(
                connection,
                Query.of("DELETE FROM retry_job WHERE state IN ('stopped', 'done') AND finished_us < ?")
                        .with(Micros.of(before))));
    }

    private static int update(Connection connection, Query query) throws SQLException {
        try (PreparedStatement statement = query.prepare(connection)) {
            return statement.executeUpdate();
        }
    }
}
