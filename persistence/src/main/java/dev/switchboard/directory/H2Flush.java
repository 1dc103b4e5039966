package dev.switchboard.directory;

import java.sql.Connection;
import java.sql.SQLException;
import org.h2.engine.Session;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVStore;

/**
 * Brings what H2 has committed into its file. Thread-safe; blocks the caller until it is written. The
 * calling thread must never be interrupted: H2 would give up waiting, or close the file.
 *
 * <p>H2's {@code COMMIT} changes memory only; a background thread writes the file {@code WRITE_DELAY} (half a second)
 * later, so a killed process would lose what was already answered. The ways out that H2 documents don't fit:
 * {@code WRITE_DELAY=0} writes at each commit, but also ends the background thread, and with it the reuse of the file's
 * space, so that the file grows without end; and both it and {@code CHECKPOINT} return at once when that thread has
 * just taken the same changes and is still writing them. So the store is told to write what it has; if it finds
 * nothing left, its write queues are waited for: whoever took our changes, they are in the file now. One such flush
 * serves all writes of a batch.
 *
 * <p>In the file means handed to the operating system: it survives the end of the process, not a loss of power.
 */
public final class H2Flush {
    private H2Flush() {}

    /** Returns when all that was committed before this call is in the file; does nothing for other databases. */
    public static void afterCommit(Connection connection, DatabaseKind kind) throws SQLException {
        if (kind != DatabaseKind.H2) {
            return;
        }
        Session session = connection.unwrap(JdbcConnection.class).getSession();
        if (session instanceof SessionLocal local) {
            MVStore store = local.getDatabase().getStore().getMvStore();
            // A commit that had something to write has waited for it, and for all that was queued before.
            if (store.isPersistent() && store.commit() < 0) {
                store.executeFilestoreOperation(() -> {});
            }
        }
    }
}
