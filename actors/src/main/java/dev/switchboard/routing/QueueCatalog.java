package dev.switchboard.routing;

import java.util.Collection;
import java.util.Optional;

/**
 * The queues as this node knows them: those of the configuration and those that operators set. Thread-safe and never
 * blocking: it answers from memory, which follows the directory within {@code switchboard.queues.refresh}.
 */
public interface QueueCatalog {
    /** The settings of a queue, or empty for an unknown one. */
    Optional<QueueSettings> find(String queue);

    /** Every known queue. */
    Collection<QueueSettings> all();
}
