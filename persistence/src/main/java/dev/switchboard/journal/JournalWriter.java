package dev.switchboard.journal;

import dev.switchboard.directory.NodeFence;
import dev.switchboard.directory.WriteFigures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.pekko.serialization.Serialization$;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.Future;

/**
 * One thread that takes batches of writes from the queue and writes each in one transaction. All but
 * {@link #awaitEnd} runs on it.
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
 * divided, so an atomic write stays one. After a failed write of an id, later ones of the same id that came before its
 * answer fail too: written, they would leave a gap. Any other failure lies not in the writes: then all of the batch
 * fail, and are not tried one by one against a database that is away.
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);
    private static final long CLOSE_SECONDS = 20;

    private final WriteQueue queue;
    private final DataSource pool;
    private final JournalStatements statements;
    private final WriteFigures figures;
    private final NodeFence fence;
    private final long batchBytes;
    private final Thread thread;

    JournalWriter(
            String name,
            WriteQueue queue,
            DataSource pool,
            JournalStatements statements,
            long batchBytes,
            WriteFigures figures,
            NodeFence fence) {
        this.queue = queue;
        this.pool = pool;
        this.statements = statements;
        this.figures = figures;
        this.fence = fence;
        this.batchBytes = batchBytes;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Waits until all that the closed queue held is written. The thread is not interrupted, as H2 would close its file.
     */
    void awaitEnd() {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (true) {
            List<PendingWrite> batch;
            try {
                batch = queue.take();
            } catch (InterruptedException e) {
                // Nobody interrupts this thread; were it to end, writes would stay without an answer.
                LOG.error("The journal's writer was interrupted", e);
                continue;
            }
            if (batch.isEmpty()) {
                return;
            }
            figures.taken(batch.size());
            try {
                writeAll(batch);
            } catch (Throwable e) {
                // The thread must live on, and no write may stay without an answer.
                LOG.error("A batch of {} writes failed unexpectedly", batch.size(), e);
                failAll(batch, e);
            } finally {
                figures.ended(batch.size());
                queue.ended(batch);
            }
        }
    }

    /** Serializes, off the journal's actor, and writes in as many transactions as their bytes make necessary. */
    private void writeAll(List<PendingWrite> batch) {
        Map<String, Throwable> failedIds = new HashMap<>();
        int from = 0;
        while (from < batch.size()) {
            int to = serialize(batch, from);
            write(batch.subList(from, to), failedIds);
            from = to;
        }
    }

    /** Serializes from there up to the bound in bytes; where the next part begins. */
    private int serialize(List<PendingWrite> batch, int from) {
        return Serialization$.MODULE$.withTransportInformation(
                batch.get(from).serialization().system(), () -> {
                    int to = from;
                    long bytes = 0;
                    while (to < batch.size() && bytes < batchBytes) {
                        PendingWrite write = batch.get(to++);
                        write.serialize(figures);
                        bytes += write.bytes();
                    }
                    return to;
                });
    }

    private void write(List<PendingWrite> batch, Map<String, Throwable> failedIds) {
        List<PendingWrite> sound = batch;
        if (!failedIds.isEmpty()) {
            sound = new ArrayList<>(batch.size());
            for (PendingWrite write : batch) {
                Throwable earlier = failedIds.get(write.persistenceId());
                if (earlier == null) {
                    sound.add(write);
                } else {
                    failAll(List.of(write), earlier);
                }
            }
        }
        if (sound.isEmpty()) {
            return;
        }
        try {
            transact(sound);
            succeed(sound);
        } catch (SQLException e) {
            if (!SqlFailures.isOfData(e)) {
                SQLException shown = SqlFailures.withoutContent(e);
                LOG.warn("A batch of {} writes failed ({}): {}", sound.size(), e.getSQLState(), shown.getMessage());
                if (NodeFence.BARRED.equals(e.getSQLState())) {
                    fence.foundBarred();
                }
                sound.forEach(write -> failedIds.put(write.persistenceId(), shown));
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
        List<JournalRow> rows = new ArrayList<>(writes.size());
        writes.forEach(write -> rows.addAll(write.rows()));
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
        if (SqlFailures.isDuplicateKey(failure)) {
            try (Connection connection = pool.getConnection()) {
                if (statements.arePresent(connection, write.rows())) {
                    figures.repeated();
                    succeed(List.of(write));
                    return;
                }
            } catch (SQLException e) {
                LOG.warn("Whether a write of {} is there already could not be read", write.persistenceId(), e);
            }
        }
        SQLException shown = SqlFailures.withoutContent(failure);
        LOG.warn(
                "A write of {} failed for its data ({}): {}",
                write.persistenceId(),
                failure.getSQLState(),
                shown.getMessage());
        failedIds.put(write.persistenceId(), shown);
        failAll(List.of(write), shown);
    }

    /**
     * Answers together: in one task of the caller's executor, which then runs what hangs on the answers one after the
     * other, instead of waking a thread for each. So the answers of one id keep their order, too.
     */
    private void succeed(List<PendingWrite> writes) {
        // Counted first: whoever has the answer finds it in the figures.
        long now = System.nanoTime();
        for (PendingWrite write : writes) {
            write.settle();
            figures.succeeded(now - write.arrivedNanos());
        }
        // As a future's body it may share its thread with what it sets off; a plain task would not.
        Future<Object> unused = Future.apply(
                () -> {
                    writes.forEach(PendingWrite::succeed);
                    return null;
                },
                writes.get(0).executor());
    }

    private void failAll(List<PendingWrite> writes, Throwable cause) {
        Set<String> ids = new HashSet<>();
        writes.forEach(write -> ids.add(write.persistenceId()));
        List<PendingWrite> followers = queue.takeBack(ids);
        figures.turnedAway(followers.size());
        writes.forEach(write -> fail(write, cause));
        followers.forEach(write -> fail(write, cause));
    }

    private void fail(PendingWrite write, Throwable cause) {
        if (write.settle()) {
            figures.failed();
            write.fail(cause);
        }
    }
}
