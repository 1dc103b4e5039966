package dev.switchboard.ports;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The rows that say which entity must be awake when. Written by events, read by the sweeper. Thread-safe. */
public interface Deadlines {
    /** A row that is due. */
    record Due(EntityKind entity, String id, Instant at) {}

    /** The rows due at {@code now}, the oldest first, at most {@code limit}. */
    CompletionStage<List<Due>> due(Instant now, int limit);
}
