package dev.switchboard.server.shards;

import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.ShardSteering;
import dev.switchboard.directory.OperationRows;
import java.util.function.IntSupplier;
import org.apache.pekko.actor.typed.ActorSystem;

/** Puts the operations of a node together. Called once a node. */
public final class OperationsOfNode {
    /** What a drain does to the node's doors; called by threads that may wait. */
    public interface Doors {
        /** The node is not ready any more, and its sockets are sent away. */
        void close();

        /** The node is ready, and takes sockets. */
        void open();

        /** Ends the node in order. */
        void end();
    }

    private OperationsOfNode() {}

    /**
     * Starts them.
     *
     * @param sockets how many are open
     * @param http where clients reach this node, {@code host:port}
     * @param management where operators reach it
     */
    public static ShardOperations start(
            ActorSystem<?> system,
            Services services,
            OperationRows rows,
            IntSupplier sockets,
            Doors doors,
            String http,
            String management) {
        NodeLinks links = new NodeLinks(system);
        LocalNode local = new LocalNode(system, services, sockets, links.self(), http, management);
        OperationRunner runner = new OperationRunner(links, local, rows, ShardSteering.of(system), doors);
        return new ShardOperations(links, local, rows, runner);
    }
}
