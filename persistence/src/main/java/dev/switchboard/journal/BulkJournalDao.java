package dev.switchboard.journal;

import java.util.List;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.jdbc.config.JournalConfig;
import org.apache.pekko.persistence.jdbc.journal.dao.DefaultJournalDao;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.stream.Materializer;
import scala.collection.immutable.Seq;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;
import scala.util.Try;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcProfile;

/**
 * The journal's access to its tables, named by {@code jdbc-journal.dao} and made by the plugin. Reading, replaying and
 * deleting are the plugin's; writing is ours: see {@link JournalWriter}. Thread-safe; writing never blocks the caller.
 */
public final class BulkJournalDao extends DefaultJournalDao {
    private final JournalWriters writers;
    private final Serialization serialization;
    private final ExecutionContext executor;

    /** The plugin's constructor: it looks for these parameters. */
    public BulkJournalDao(
            JdbcBackend.JdbcDatabaseDef database,
            JdbcProfile profile,
            JournalConfig config,
            Serialization serialization,
            ExecutionContext executor,
            Materializer materializer) {
        super(database, profile, config, serialization, executor, materializer);
        this.serialization = serialization;
        this.executor = executor;
        writers = StorageExtension.of(serialization.system()).writers();
    }

    @Override
    public Future<Seq<Try<BoxedUnit>>> asyncWriteMessages(Seq<AtomicWrite> messages) {
        return writers.write(List.copyOf(CollectionConverters.asJava(messages)), serialization, executor);
    }
}
