package dev.switchboard.journal;

import dev.switchboard.directory.DatabaseSettings;
import dev.switchboard.directory.WriteFigures;
import dev.switchboard.ports.StorageUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.serialization.Serialization;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Seq;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;
import scala.util.Failure;
import scala.util.Success;
import scala.util.Try;

/**
 * One thread that writes events: while a transaction is on its way, what comes gathers, and goes together into the next
 * one. {@link #submit} may be called from any thread and never blocks; all else runs on the writer's own thread.
 *
 * <p>What the future of a write says, and no more:
 *
 * <ul>
 *   <li>success: its events are persisted, except those whose {@code Try} is a failure: these could not be serialized;
 *   <li>failure: its events may or may not be persisted. The actor stops, and what it finds when it recovers is the
 *   truth.
 * </ul>
 *
 * <p>A batch that fails for an error of data or keys has one bad write, and the others must not suffer for it: the
 * batch is halved, each half in its own transaction, down to the bad write alone. What came with one call is never
 * divided, so an atomic write stays one. After a failed write of an id, later ones of the same id in the batch fail
 * too: written, they would leave a gap. Any other failure lies not in the writes: then all of the batch fail, and are
 * not tried one by one against a database that is away.
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);
    private static final long CLOSE_SECONDS = 20;
    private static final long IDLE_CHECK_MILLIS = 250;

    private final BlockingQueue<PendingWrite> queue;
    private final DataSource pool;
    private final JournalStatements statements;
    private final WriteFigures figures;
    private final int batchRows;
    private final long batchBytes;
    private final Thread thread;
    private volatile boolean stopping;

    JournalWriter(
            String name,
            DataSource pool,
            JournalStatements statements,
            DatabaseSettings settings,
            WriteFigures figures) {
        this.pool = pool;
        this.statements = statements;
        this.figures = figures;
        queue = new ArrayBlockingQueue<>(settings.journalQueue());
        batchRows = settings.batchRows();
        batchBytes = settings.batchBytes();
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes the writes of one call of one persistent actor. */
    Future<Seq<Try<BoxedUnit>>> submit(List<AtomicWrite> writes, Serialization serialization) {
        PendingWrite write = new PendingWrite(writes, serialization);
        figures.arrived();
        if (!queue.offer(write)) {
            turnAway(write, "too many writes wait for the database (switchboard.database.journal-queue)");
        } else if (stopping && queue.remove(write)) {
            turnAway(write, "the journal is closed");
        }
        return write.promise.future();
    }

    private void turnAway(PendingWrite write, String why) {
        figures.turnedAway();
        fail(write, new StorageUnavailableException(why, null));
    }

    /**
     * Takes nothing more. The thread ends after what it has taken; it is not interrupted, as H2 would close its file.
     */
    void stop() {
        stopping = true;
    }

    void awaitEnd() {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!stopping || !queue.isEmpty()) {
            List<PendingWrite> batch = new ArrayList<>();
            try {
                gather(batch);
                if (!batch.isEmpty()) {
                    write(batch, new HashMap<>());
                }
            } catch (Throwable e) {
                // The thread must live on, and no write may stay without an answer.
                LOG.error("A batch of {} writes failed unexpectedly", batch.size(), e);
                failAll(batch, e);
            } finally {
                figures.ended(batch.size());
            }
        }
    }

    /** Takes what waits, up to the bounds, and serializes it here, off the journal's actor. */
    private void gather(List<PendingWrite> batch) throws InterruptedException {
        PendingWrite next = queue.poll(IDLE_CHECK_MILLIS, TimeUnit.MILLISECONDS);
        int rows = 0;
        long bytes = 0;
        while (next != null) {
            batch.add(next);
            figures.taken();
            next.serialize(figures);
            rows += next.rows.size();
            bytes += next.bytes();
            next = rows < batchRows && bytes < batchBytes ? queue.poll() : null;
        }
    }

    private void write(List<PendingWrite> batch, Map<String, Throwable> failedIds) {
        List<PendingWrite> sound = new ArrayList<>(batch.size());
        for (PendingWrite write : batch) {
            Throwable earlier = failedIds.get(write.persistenceId);
            if (earlier == null) {
                sound.add(write);
            } else {
                fail(write, earlier);
            }
        }
        if (sound.isEmpty()) {
            return;
        }
        try {
            transact(sound);
            sound.forEach(this::succeed);
        } catch (SQLException e) {
            if (!JournalStatements.isOfData(e)) {
                SQLException shown = JournalStatements.withoutContent(e);
                LOG.warn("A batch of {} writes failed ({}): {}", sound.size(), e.getSQLState(), shown.getMessage());
                failAll(sound, shown);
            } else if (sound.size() == 1) {
                settleAlone(sound.get(0), e, failedIds);
            } else {
                figures.halved();
                int middle = sound.size() / 2;
                write(sound.subList(0, middle), failedIds);
                write(sound.subList(middle, sound.size()), failedIds);
            }
        }
    }

    private void transact(List<PendingWrite> writes) throws SQLException {
        List<JournalRow> rows = new ArrayList<>();
        writes.forEach(write -> rows.addAll(write.rows));
        if (rows.isEmpty()) {
            return;
        }
        try (Connection connection = pool.getConnection()) {
            statements.write(connection, rows);
        }
        figures.committed(rows.size());
    }

    /** A write that fails by itself for its data. If its events are there already, a former try had got through. */
    private void settleAlone(PendingWrite write, SQLException failure, Map<String, Throwable> failedIds) {
        if (JournalStatements.isDuplicateKey(failure)) {
            try (Connection connection = pool.getConnection()) {
                if (statements.arePresent(connection, write.rows)) {
                    figures.repeated();
                    succeed(write);
                    return;
                }
            } catch (SQLException e) {
                LOG.warn("Whether a write of {} is there already could not be read", write.persistenceId, e);
            }
        }
        SQLException shown = JournalStatements.withoutContent(failure);
        LOG.warn(
                "A write of {} failed for its data ({}): {}",
                write.persistenceId,
                failure.getSQLState(),
                shown.getMessage());
        failedIds.put(write.persistenceId, shown);
        fail(write, shown);
    }

    private void succeed(PendingWrite write) {
        // Counted first: whoever has the answer finds it in the figures. Only one thread answers a write.
        if (!write.promise.isCompleted()) {
            figures.succeeded(System.nanoTime() - write.arrivedNanos);
            write.promise.trySuccess(write.results());
        }
    }

    private void failAll(List<PendingWrite> writes, Throwable cause) {
        writes.forEach(write -> fail(write, cause));
    }

    private void fail(PendingWrite write, Throwable cause) {
        if (!write.promise.isCompleted()) {
            figures.failed();
            write.promise.tryFailure(cause);
        }
    }

    /** One call's writes on their way. Made by the caller's thread, then used by the writer's alone. */
    private static final class PendingWrite {
        final String persistenceId;
        final Promise<Seq<Try<BoxedUnit>>> promise = Promise.apply();
        final long arrivedNanos = System.nanoTime();
        final List<JournalRow> rows = new ArrayList<>();
        private final List<AtomicWrite> writes;
        private final Serialization serialization;
        private final List<Try<BoxedUnit>> results = new ArrayList<>();
        private boolean rejected;

        PendingWrite(List<AtomicWrite> writes, Serialization serialization) {
            this.writes = writes;
            this.serialization = serialization;
            persistenceId = writes.get(0).persistenceId();
        }

        /** An atomic write that can't be serialized is rejected by itself. */
        void serialize(WriteFigures figures) {
            for (AtomicWrite write : writes) {
                List<JournalRow> serialized = new ArrayList<>(write.size());
                try {
                    for (PersistentRepr repr : CollectionConverters.asJava(write.payload())) {
                        serialized.add(JournalRow.of(repr, serialization));
                    }
                    rows.addAll(serialized);
                    results.add(new Success<>(BoxedUnit.UNIT));
                } catch (Exception e) {
                    rejected = true;
                    figures.rejected();
                    results.add(new Failure<>(e));
                }
            }
        }

        long bytes() {
            long bytes = 0;
            for (JournalRow row : rows) {
                bytes += row.event().bytes().length;
            }
            return bytes;
        }

        /** Empty when all went well: the journal's short form. */
        Seq<Try<BoxedUnit>> results() {
            List<Try<BoxedUnit>> told = rejected ? results : List.of();
            return CollectionConverters.asScala(told).toList();
        }
    }
}
