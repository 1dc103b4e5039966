package dev.switchboard.delivery;

import dev.switchboard.ports.Storage;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;

/** What the actors' house offers to the edge. Every part is thread-safe. */
public record Services(
        Peers peers,
        Gateway gateway,
        QueueCatalog queues,
        Storage storage,
        DeliveryFigures deliveries,
        BulkRetrySettings bulkRetries,
        Ledgers ledgers) {
    /** The same with figures of its own, and the usual bounds. */
    public Services(Peers peers, Gateway gateway, QueueCatalog queues, Storage storage) {
        this(peers, gateway, queues, storage, new DeliveryFigures(), BulkRetrySettings.USUAL, Ledgers.NONE);
    }
}
