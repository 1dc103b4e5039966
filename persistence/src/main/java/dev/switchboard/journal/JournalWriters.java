package dev.switchboard.journal;

import dev.switchboard.directory.SqlStorage;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.serialization.Serialization;
import scala.collection.immutable.Seq;
import scala.concurrent.Future;
import scala.runtime.BoxedUnit;
import scala.util.Try;

/**
 * The journal's writers, of which each persistence id has one: so its writes reach the database in the order in which
 * they came, whichever other writes they are gathered with. Thread-safe; never blocks the caller.
 */
final class JournalWriters implements AutoCloseable {
    private final List<JournalWriter> writers = new ArrayList<>();

    JournalWriters(SqlStorage storage) {
        JournalStatements statements = new JournalStatements(storage.settings().kind());
        for (int i = 0; i < storage.settings().journalWriters(); i++) {
            writers.add(new JournalWriter(
                    "switchboard-journal-" + (i + 1),
                    storage.writePool(),
                    statements,
                    storage.settings(),
                    storage.writeFigures()));
        }
    }

    /** Writes of one persistent actor. See {@link JournalWriter} for what the future says. */
    Future<Seq<Try<BoxedUnit>>> write(List<AtomicWrite> writes, Serialization serialization) {
        String persistenceId = writes.get(0).persistenceId();
        int hash = persistenceId.hashCode();
        return writers.get(Math.floorMod(hash ^ (hash >>> 16), writers.size())).submit(writes, serialization);
    }

    /** Ends after what was taken is written. */
    @Override
    public void close() {
        writers.forEach(JournalWriter::stop);
        writers.forEach(JournalWriter::awaitEnd);
    }
}
