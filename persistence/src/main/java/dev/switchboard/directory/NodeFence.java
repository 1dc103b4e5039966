package dev.switchboard.directory;

import java.sql.PreparedStatement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which nodes may write to this database. A node that was thought dead may wake and write; so each batch of events also
 * checks the row of its node here, and the other nodes bar a lost one before they recover what it had. Used by the
 * server's main and the journal. Thread-safe; never blocks: what has to wait runs on connections of its own, so that a
 * flood of reads can't delay it.
 *
 * <p>H2 serves one node alone, which needs no fence: there {@link #enter} and {@link #barAllBut} do nothing.
 */
public final class NodeFence implements AutoCloseable {
    /** The SQLSTATE of a batch whose node is barred. */
    public static final String BARRED = "SB001";

    static final int CONNECTIONS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(NodeFence.class);
    private static final int WAITING = 1_000;

    private final Optional<SqlReader> statements;
    private final CompletableFuture<Void> barred = new CompletableFuture<>();
    private volatile String entered;

    /** A fence on these connections; without any on a database that needs none. */
    NodeFence(Optional<DataSource> pool) {
        statements = pool.map(connections ->
                new SqlReader("switchboard-fence", connections, CONNECTIONS, WAITING, "statements of the fence"));
    }

    /**
     * Makes this process a node that may write; from here on, its batches check that it still may. Rows of nodes that
     * were barred a month ago go.
     *
     * @param node a name that no other process ever has, nor this one after another start
     */
    public CompletionStage<Void> enter(String node) {
        if (statements.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return run(Query.of("DELETE FROM node_fence WHERE fenced_at < now() - interval '30 days'"))
                .thenCompose(done ->
                        run(Query.of("INSERT INTO node_fence (node) VALUES (?)").with(node)))
                .thenAccept(done -> entered = node);
    }

    /** The node that this process entered as; empty before, and where there is no fence. */
    public Optional<String> entered() {
        return Optional.ofNullable(entered);
    }

    /**
     * Bars every node but these. When the stage completes, none of the barred has a batch under way, and none of its
     * later ones can be committed. Repeating it does no harm.
     *
     * @param present the nodes that may go on
     * @return the nodes that this call has barred
     */
    public CompletionStage<List<String>> barAllBut(Set<String> present) {
        if (statements.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        String by = entered;
        return statements.get().run(connection -> {
            List<String> lost = Query.of(
                            "UPDATE node_fence SET fenced_at = now(), fenced_by = ? WHERE fenced_at IS NULL"
                                    + " AND NOT (node = ANY(?)) RETURNING node")
                    .with(by)
                    .with(connection.createArrayOf("text", present.toArray()))
                    .all(connection, row -> row.getString(1));
            lost.forEach(node -> LOG.warn("Barred the lost node {} from writing", node));
            return lost;
        });
    }

    /** Whether this node may still write, as the database says now. */
    public CompletionStage<Boolean> stillOpen() {
        String node = entered;
        if (statements.isEmpty() || node == null) {
            return CompletableFuture.completedFuture(true);
        }
        return statements
                .get()
                .run(connection -> Query.of("SELECT 1 FROM node_fence WHERE node = ? AND fenced_at IS NULL")
                        .with(node)
                        .first(connection, row -> row.getInt(1))
                        .isPresent())
                .thenApply(open -> {
                    if (!open) {
                        foundBarred();
                    }
                    return open;
                });
    }

    /** The journal found that this node may no longer write. */
    public void foundBarred() {
        if (barred.complete(null)) {
            LOG.error("This node was thought lost and is barred from writing; it ends");
        }
    }

    /** Completes when it turns out that this node may no longer write. */
    public CompletionStage<Void> whenBarred() {
        return barred;
    }

    /** Takes this node's row away after its last write, at an orderly end. */
    @Override
    public void close() {
        statements.ifPresent(reader -> {
            if (entered != null && !barred.isDone()) {
                CompletionStage<Void> unused =
                        run(Query.of("DELETE FROM node_fence WHERE node = ?").with(entered));
            }
            reader.close();
        });
    }

    private CompletionStage<Void> run(Query query) {
        return statements.get().run(connection -> {
            try (PreparedStatement statement = query.prepare(connection)) {
                statement.executeUpdate();
            }
            return null;
        });
    }
}
