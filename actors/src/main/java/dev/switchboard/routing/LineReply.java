package dev.switchboard.routing;

import java.time.Instant;
import java.util.List;

/** What a waiting line answers to a person's request. */
public sealed interface LineReply {
    /**
     * The line as it is.
     *
     * @param length how many wait, offered ones included
     * @param oldest since when the first one waits; null when nobody does
     * @param desks how many agents serve it and are reachable and available
     * @param free how many slots these have free
     */
    record Shown(String queue, int length, Instant oldest, int desks, int free) implements LineReply {}

    /**
     * Why a conversation still waits.
     *
     * @param position its place, from 1; 0 when it is not in the line
     * @param reason one sentence
     * @param considered at most ten agents with the verdict on each
     */
    record Explained(int position, String reason, List<String> considered) implements LineReply {
        public Explained {
            considered = List.copyOf(considered);
        }
    }
}
