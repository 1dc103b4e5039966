package dev.switchboard.journal;

import dev.switchboard.directory.SqlReader;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.Unreadable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.stream.javadsl.Source;
import scala.Tuple2;
import scala.util.Failure;
import scala.util.Success;
import scala.util.Try;

/**
 * Reads events back, in pages by the primary key, off the journal's actor. Thread-safe; never blocks the caller.
 *
 * <p>An event of one of our entities that can't be read, or is missing, is given as an {@link Unreadable}, and is the last
 * of its replay: see {@link dev.switchboard.delivery.Recovered}. For others' entities the replay fails, as they expect.
 */
final class JournalReader {
    private static final String HIGHEST = "SELECT sequence_number FROM event_journal WHERE persistence_id = ?"
            + " ORDER BY persistence_id DESC, sequence_number DESC LIMIT 1";
    private static final String PAGE = "SELECT sequence_number, ordering, writer, write_timestamp, adapter_manifest,"
            + " event_ser_id, event_ser_manifest, " + StoredPayload.bounded("event_payload")
            + ", meta_ser_id, meta_ser_manifest, meta_payload FROM event_journal WHERE persistence_id = ?"
            + " AND sequence_number >= ? AND sequence_number <= ? AND deleted = FALSE"
            + " ORDER BY persistence_id, sequence_number LIMIT ?";

    private final SqlReader reader;
    private final Serialization serialization;

    JournalReader(SqlReader reader, Serialization serialization) {
        this.reader = reader;
        this.serialization = serialization;
    }

    /** The last number that was ever given; 0 for an unknown id. */
    CompletionStage<Long> highest(String persistenceId) {
        return reader.run(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(HIGHEST)) {
                statement.setString(1, persistenceId);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? row.getLong(1) : 0L;
                }
            }
        });
    }

    /** The events between two numbers, both included, each with its {@code ordering}. */
    Source<Try<Tuple2<PersistentRepr, Object>>, NotUsed> events(
            String persistenceId, long from, long to, int pageRows) {
        return Source.unfoldAsync(
                        from,
                        next -> next > to
                                ? java.util.concurrent.CompletableFuture.completedFuture(Optional.empty())
                                : reader.run(connection -> page(connection, persistenceId, next, to, pageRows)))
                .mapConcat(page -> page);
    }

    /** A page and where the next one begins; empty at the end. */
    private Optional<Pair<Long, Iterable<Try<Tuple2<PersistentRepr, Object>>>>> page(
            Connection connection, String persistenceId, long from, long to, int pageRows) throws SQLException {
        List<Try<Tuple2<PersistentRepr, Object>>> events = new ArrayList<>();
        long next = from;
        try (PreparedStatement statement = connection.prepareStatement(PAGE)) {
            statement.setInt(1, StoredPayload.bound(persistenceId));
            statement.setString(2, persistenceId);
            statement.setLong(3, from);
            statement.setLong(4, to);
            statement.setInt(5, pageRows);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Optional<Unreadable> missing = missing(persistenceId, next, row.getLong(1));
                    Try<Object> event = missing.isPresent() ? new Success<>(missing.get()) : event(persistenceId, row);
                    events.add(
                            event.isSuccess() ? new Success<>(read(persistenceId, row, event.get())) : failed(event));
                    if (event.isFailure() || event.get() instanceof Unreadable) {
                        return Optional.of(Pair.create(Long.MAX_VALUE, events));
                    }
                    next = row.getLong(1) + 1;
                }
            }
        }
        if (events.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Pair.create(events.size() < pageRows ? Long.MAX_VALUE : next, events));
    }

    /**
     * What lies before the row that was found is missing. Deletions leave none but at the beginning, where an entity of ours
     * has a snapshot; a conversation then sees by itself if what comes first can't be its beginning.
     */
    private static Optional<Unreadable> missing(String persistenceId, long expected, long found) {
        Optional<EntityKind> kind = EntityKind.ofPersistenceId(persistenceId);
        boolean mayBegin = expected == 1 && kind.equals(Optional.of(EntityKind.CONVERSATION));
        return found == expected || kind.isEmpty() || mayBegin
                ? Optional.empty()
                : Optional.of(new Unreadable(
                        persistenceId,
                        expected,
                        "the events from there up to " + (found - 1)
                                + " are missing, and no snapshot of later ones can be read"));
    }

    private Try<Object> event(String persistenceId, ResultSet row) throws SQLException {
        Try<Object> event = StoredPayload.read(row, 6, serialization);
        return event.isSuccess() || EntityKind.ofPersistenceId(persistenceId).isEmpty()
                ? event
                : new Success<>(new Unreadable(
                        persistenceId,
                        row.getLong(1),
                        StoredPayload.reason(event.failed().get())));
    }

    private static Try<Tuple2<PersistentRepr, Object>> failed(Try<Object> event) {
        return new Failure<>(event.failed().get());
    }

    private Tuple2<PersistentRepr, Object> read(String persistenceId, ResultSet row, Object event) throws SQLException {
        PersistentRepr repr = PersistentRepr.apply(
                        event,
                        row.getLong(1),
                        persistenceId,
                        row.getString(5),
                        false,
                        ActorRef.noSender(),
                        row.getString(3))
                .withTimestamp(row.getLong(4));
        Optional<Object> metadata = StoredPayload.metadata(row, 9, serialization);
        return new Tuple2<>(metadata.isPresent() ? repr.withMetadata(metadata.get()) : repr, row.getLong(2));
    }
}
