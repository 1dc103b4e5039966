package dev.switchboard.ports;

import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Reads conversations' entries from the journal without waking an actor. Thread-safe; never blocks the caller. A stage
 * fails with {@link StorageUnavailableException} when the database can't answer now.
 */
public interface EntryLog {
    /** A page of entries in ascending order, and whether more that the reader may see lie beyond it. */
    record Page(List<Entry> entries, boolean hasMore) {
        public Page {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Reads upwards: the first {@code limit} entries with {@code since ≤ seq < before}. {@code before} is
     * {@link Long#MAX_VALUE} when open. {@code hasMore}: further ones lie between the page's end and {@code before}.
     */
    CompletionStage<Page> readUpwards(String conv, Entry.Visibility reader, long since, long before, int limit);

    /** Reads the last {@code limit} entries below {@code before}, ascending. {@code hasMore}: older ones exist. */
    CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit);

    /** The last seq that such a reader may see; 0 when there is none. */
    CompletionStage<Long> lastSeq(String conv, Entry.Visibility reader);

    /** The first answer to a request that made an entry, however long ago. */
    CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId);
}
