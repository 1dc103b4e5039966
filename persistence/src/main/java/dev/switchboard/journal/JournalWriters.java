package dev.switchboard.journal;

import dev.switchboard.directory.SqlStorage;
import dev.switchboard.directory.WriteFigures;
import dev.switchboard.ports.StorageUnavailableException;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.serialization.Serialization;
import scala.collection.immutable.Seq;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.runtime.BoxedUnit;
import scala.util.Try;

/** The journal's writers and the queue that they share. Thread-safe; never blocks the caller. */
final class JournalWriters implements AutoCloseable {
    private final WriteQueue queue;
    private final WriteFigures figures;
    private final List<JournalWriter> writers = new ArrayList<>();

    JournalWriters(SqlStorage storage) {
        queue = new WriteQueue(storage.settings());
        figures = storage.writeFigures();
        JournalStatements statements = JournalStatements.of(storage.settings().kind(), storage.fence());
        for (int i = 0; i < storage.settings().journalWriters(); i++) {
            writers.add(new JournalWriter(
                    "switchboard-journal-" + (i + 1),
                    queue,
                    storage.writePool(),
                    statements,
                    storage.settings().batchBytes(),
                    figures,
                    storage.fence()));
        }
    }

    /**
     * Writes of one persistent actor. See {@link JournalWriter} for what the future says.
     *
     * @param executor runs what hangs on the future
     */
    Future<Seq<Try<BoxedUnit>>> write(
            List<AtomicWrite> writes, Serialization serialization, ExecutionContext executor) {
        PendingWrite write = new PendingWrite(writes, serialization, executor);
        figures.arrived();
        WriteQueue.Offer offer = queue.offer(write);
        if (offer == WriteQueue.Offer.FULL) {
            turnAway(write, "too many writes wait for the database (switchboard.database.journal-queue)");
        } else if (offer == WriteQueue.Offer.CLOSED) {
            turnAway(write, "the journal is closed");
        }
        return write.future();
    }

    private void turnAway(PendingWrite write, String why) {
        figures.turnedAway();
        figures.failed();
        write.fail(new StorageUnavailableException(why, null));
    }

    /** Ends after what was taken is written. */
    @Override
    public void close() {
        queue.close();
        writers.forEach(JournalWriter::awaitEnd);
    }
}
