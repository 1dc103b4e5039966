package dev.switchboard.routing;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The queues as this node knows them: those of the configuration and those that operators set. Thread-safe and never
 * blocking: it answers from memory, which follows the directory within {@code switchboard.queues-refresh}.
 */
public interface QueueCatalog {
    /** The settings of a queue, or empty for an unknown one. */
    Optional<QueueSettings> find(String queue);

    /** Every known queue. */
    Collection<QueueSettings> all();

    /**
     * Asks for room in a line for one more conversation; asked by a conversation before it opens. False: the line holds
     * {@link QueueSettings#maxLength} and the opening is refused. The length is known within {@code
     * switchboard.queue-length-refresh}; what was admitted since counts too. So one node never admits too many; several
     * nodes together may admit a few more while the line fills up.
     */
    default boolean admits(String queue) {
        return true;
    }

    /** Stores an operator's settings of a queue; they hold on this node at once, on others after the refresh. */
    default CompletionStage<Void> put(QueueSettings settings) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("queues can't be set here"));
    }
}
