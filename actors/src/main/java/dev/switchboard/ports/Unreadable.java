package dev.switchboard.ports;

import java.util.Objects;

/**
 * What the journal gives a conversation or a desk in place of an event that can't be read; nothing follows it in that
 * replay. Never persisted, never sent. Immutable.
 *
 * @param sequenceNr the journal's number of the event
 * @param reason why, for the operator: no content of the event
 */
public record Unreadable(String persistenceId, long sequenceNr, String reason) {
    public Unreadable {
        Objects.requireNonNull(persistenceId, "persistenceId");
        Objects.requireNonNull(reason, "reason");
    }
}
