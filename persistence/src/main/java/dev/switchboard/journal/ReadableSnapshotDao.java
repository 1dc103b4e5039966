package dev.switchboard.journal;

import dev.switchboard.directory.SqlReader;
import dev.switchboard.ports.EntityKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.jdbc.config.SnapshotConfig;
import org.apache.pekko.persistence.jdbc.snapshot.dao.DefaultSnapshotDao;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.stream.Materializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.jdk.javaapi.FutureConverters;
import scala.jdk.javaapi.OptionConverters;
import scala.util.Try;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcProfile;

/**
 * The snapshot store's access to its table, named by {@code jdbc-snapshot-store.dao} and made by the plugin. Saving and
 * deleting are the plugin's. Reading gives the newest snapshot that can be read: a conversation or a desk whose newest one
 * is damaged starts from the one before it, or from its events. Thread-safe.
 */
public final class ReadableSnapshotDao extends DefaultSnapshotDao {
    private static final Logger LOG = LoggerFactory.getLogger(ReadableSnapshotDao.class);
    private static final int MAX_TOLD = 10_000;

    private static final String NEWEST = "SELECT sequence_number, created, snapshot_ser_id, snapshot_ser_manifest, "
            + StoredPayload.bounded("snapshot_payload")
            + ", meta_ser_id, meta_ser_manifest, meta_payload FROM snapshot WHERE persistence_id = ?"
            + " AND sequence_number <= ? AND created <= ? ORDER BY persistence_id DESC, sequence_number DESC LIMIT 1";

    private final SqlReader reader;
    private final Serialization serialization;

    /** The damaged snapshots that the log has been told of. */
    private final Set<String> told = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MAX_TOLD;
        }
    }));

    /** The plugin's constructor: it looks for these parameters. */
    public ReadableSnapshotDao(
            JdbcBackend.JdbcDatabaseDef database,
            JdbcProfile profile,
            SnapshotConfig config,
            Serialization serialization,
            ExecutionContext executor,
            Materializer materializer) {
        super(database, profile, config, serialization, executor, materializer);
        this.serialization = serialization;
        reader = StorageExtension.of(serialization.system()).storage().recoveries();
    }

    @Override
    public Future<Option<Tuple2<SnapshotMetadata, Object>>> latestSnapshot(String persistenceId) {
        return newest(persistenceId, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    @Override
    public Future<Option<Tuple2<SnapshotMetadata, Object>>> snapshotForMaxTimestamp(
            String persistenceId, long maxTimestamp) {
        return newest(persistenceId, Long.MAX_VALUE, maxTimestamp);
    }

    @Override
    public Future<Option<Tuple2<SnapshotMetadata, Object>>> snapshotForMaxSequenceNr(
            String persistenceId, long maxSequenceNr) {
        return newest(persistenceId, maxSequenceNr, Long.MAX_VALUE);
    }

    @Override
    public Future<Option<Tuple2<SnapshotMetadata, Object>>> snapshotForMaxSequenceNrAndMaxTimestamp(
            String persistenceId, long maxSequenceNr, long maxTimestamp) {
        return newest(persistenceId, maxSequenceNr, maxTimestamp);
    }

    private Future<Option<Tuple2<SnapshotMetadata, Object>>> newest(
            String persistenceId, long maxSequenceNr, long maxTimestamp) {
        return FutureConverters.asScala(reader.run(connection ->
                OptionConverters.toScala(newest(connection, persistenceId, maxSequenceNr, maxTimestamp))));
    }

    private Optional<Tuple2<SnapshotMetadata, Object>> newest(
            Connection connection, String persistenceId, long maxSequenceNr, long maxTimestamp) throws SQLException {
        long below = maxSequenceNr;
        try (PreparedStatement statement = connection.prepareStatement(NEWEST)) {
            while (true) {
                statement.setInt(1, StoredPayload.bound(persistenceId));
                statement.setString(2, persistenceId);
                statement.setLong(3, below);
                statement.setLong(4, maxTimestamp);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        return Optional.empty();
                    }
                    Try<Object> snapshot = StoredPayload.read(row, 3, serialization);
                    if (snapshot.isSuccess()) {
                        return Optional.of(new Tuple2<>(metadata(persistenceId, row), snapshot.get()));
                    }
                    Throwable failure = snapshot.failed().get();
                    if (EntityKind.ofPersistenceId(persistenceId).isEmpty()) {
                        // It may have deleted the events before it: only its own application can tell.
                        throw new IllegalStateException("a snapshot can't be read", failure);
                    }
                    tell(persistenceId, row.getLong(1), failure);
                    below = row.getLong(1) - 1;
                }
            }
        }
    }

    private SnapshotMetadata metadata(String persistenceId, ResultSet row) throws SQLException {
        return SnapshotMetadata.apply(
                persistenceId,
                row.getLong(1),
                row.getLong(2),
                OptionConverters.toScala(StoredPayload.metadata(row, 6, serialization)));
    }

    private void tell(String persistenceId, long sequenceNr, Throwable failure) {
        if (told.add(persistenceId + ' ' + sequenceNr)) {
            LOG.warn(
                    "A snapshot of {} at sequence number {} can't be read; what was before it is read instead: {}",
                    persistenceId,
                    sequenceNr,
                    StoredPayload.reason(failure));
        }
    }
}
