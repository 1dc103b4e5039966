package dev.switchboard.directory;

import dev.switchboard.ports.StorageUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * Runs statements that only read on a few threads of their own, one for each connection of their pool.
 * Thread-safe; never blocks the caller: when too many wait already, the stage fails at once.
 */
public final class SqlReader implements AutoCloseable {
    /** Work with a connection in auto-commit mode; it goes back to the pool afterwards. */
    public interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private static final long CLOSE_SECONDS = 10;

    private final DataSource pool;
    private final String bound;
    private final ThreadPoolExecutor threads;
    private final LongAdder failures = new LongAdder();

    /** @param bound what bounds the queue, for whoever is refused */
    public SqlReader(String name, DataSource pool, int connections, int queue, String bound) {
        this.pool = pool;
        this.bound = bound;
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                connections, connections, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(queue), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * A stage with the result, or failed with {@link StorageUnavailableException} when the database can't answer now.
     */
    public <T> CompletionStage<T> run(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            threads.execute(() -> complete(result, work));
        } catch (RejectedExecutionException e) {
            failures.increment();
            result.completeExceptionally(new StorageUnavailableException(
                    threads.isShutdown()
                            ? "the storage is closed"
                            : "too many reads wait for the database (" + bound + ")",
                    e));
        }
        return result;
    }

    private <T> void complete(CompletableFuture<T> result, Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            result.complete(work.with(connection));
        } catch (SQLException e) {
            failures.increment();
            result.completeExceptionally(
                    new StorageUnavailableException("the database can't answer now: " + e.getMessage(), e));
        } catch (Throwable e) {
            failures.increment();
            result.completeExceptionally(e);
        }
    }

    /** Those that wait and those that are worked on. */
    int open() {
        return threads.getQueue().size() + threads.getActiveCount();
    }

    int waiting() {
        return threads.getQueue().size();
    }

    long failures() {
        return failures.sum();
    }

    /** Ends after what was begun; threads are not interrupted, because H2 would close its file. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
