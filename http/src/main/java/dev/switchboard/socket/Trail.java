package dev.switchboard.socket;

import dev.switchboard.delivery.Ledger;

/**
 * Notes in the node's ledger which frames of a connection are messages of others, and when they were written. Not thread-safe;
 * lives in the connection's stage. Costs a field or two where nothing is delivered.
 */
final class Trail {
    private final Ledger ledger;
    private final Outbound outbound;
    private Ledger.Endpoint endpoint;

    /** The number of the last frame that was noted as queued, and how many frames were noted as written. */
    private long queued;

    private long written;

    Trail(Ledger ledger, Outbound outbound) {
        this.ledger = ledger;
        this.outbound = outbound;
    }

    /** The next frame that is queued is that message. */
    void queueing(Terminal terminal, String conv, long seq, int attempt) {
        if (!ledger.isOn()) {
            return;
        }
        if (endpoint == null) {
            endpoint = new Ledger.Endpoint(terminal.principal().person(), terminal.name());
        }
        queued = outbound.added() + 1;
        ledger.queued(conv, seq, endpoint, queued, attempt);
    }

    /** Frames were handed to the connection. */
    void wrote() {
        if (queued > written) {
            written = outbound.taken();
            ledger.written(endpoint, written);
        }
    }

    /** What is queued will never be written. */
    void dropped() {
        written = Long.MAX_VALUE;
    }
}
