package dev.switchboard.journal;

import java.util.List;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Scheduler;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.jdbc.config.JournalConfig;
import org.apache.pekko.persistence.jdbc.journal.dao.DefaultJournalDao;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.scaladsl.Source;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;
import scala.runtime.BoxedUnit;
import scala.util.Try;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcProfile;

/**
 * The journal's access to its tables, named by {@code jdbc-journal.dao} and made by the plugin. Deleting is the
 * plugin's; writing and replaying are ours: see {@link JournalWriter} and {@link JournalReader}. Thread-safe; never blocks
 * the caller.
 */
public final class BulkJournalDao extends DefaultJournalDao {
    private final JournalWriters writers;
    private final JournalReader reader;
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
        StorageExtension extension = StorageExtension.of(serialization.system());
        writers = extension.writers();
        reader = new JournalReader(extension.storage().recoveries(), serialization);
    }

    @Override
    public Future<Object> highestSequenceNr(String persistenceId, long fromSequenceNr) {
        return FutureConverters.asScala(reader.highest(persistenceId).thenApply(number -> number));
    }

    @Override
    public Source<Try<Tuple2<PersistentRepr, Object>>, NotUsed> messagesWithBatch(
            String persistenceId,
            long fromSequenceNr,
            long toSequenceNr,
            int batchSize,
            Option<Tuple2<FiniteDuration, Scheduler>> refreshInterval) {
        return refreshInterval.isEmpty()
                ? reader.events(persistenceId, fromSequenceNr, toSequenceNr, batchSize)
                        .asScala()
                : super.messagesWithBatch(persistenceId, fromSequenceNr, toSequenceNr, batchSize, refreshInterval);
    }

    @Override
    public Future<Seq<Try<BoxedUnit>>> asyncWriteMessages(Seq<AtomicWrite> messages) {
        return writers.write(List.copyOf(CollectionConverters.asJava(messages)), serialization, executor);
    }
}
