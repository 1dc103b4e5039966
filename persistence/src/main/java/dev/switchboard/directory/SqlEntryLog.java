package dev.switchboard.directory;

import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.JournaledEvent;
import dev.switchboard.serialization.EventCodec;
import java.io.NotSerializableException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Conversations' entries by JDBC, from the journal's own rows. Thread-safe; never blocks the caller. In place of an entry
 * that can't be read stands one of the kind {@code unreadable}, so that the others can be read and nobody looks for a gap.
 */
final class SqlEntryLog implements EntryLog {
    /** The longest page that is read, whatever was asked for. */
    static final int MAX_PAGE = 1000;

    /** More than any event that has an entry: what is larger isn't loaded. */
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(SqlEntryLog.class);
    private static final String COLUMNS = "entry_seq, write_timestamp, event_ser_id, event_ser_manifest, CASE WHEN"
            + " OCTET_LENGTH(event_payload) <= " + MAX_BYTES + " THEN event_payload END";
    /**
     * What is read of one conversation is also ordered by its persistence id: H2 takes an index's order only when all of
     * its columns are named, and else reads the whole conversation to sort it.
     */
    private static final String OF_CONVERSATION =
            "SELECT " + COLUMNS + " FROM event_journal WHERE persistence_id = ? AND deleted = FALSE";

    private final SqlReader reader;
    private final EventCodec codec;

    SqlEntryLog(SqlReader reader, EventCodec codec) {
        this.reader = reader;
        this.codec = codec;
    }

    @Override
    public CompletionStage<Page> readUpwards(String conv, Entry.Visibility who, long since, long before, int limit) {
        int size = pageSize(limit);
        Query query = Query.of(OF_CONVERSATION + seenBy(who) + " AND entry_seq >= ? AND entry_seq < ?"
                        + " ORDER BY persistence_id, entry_seq LIMIT ?")
                .with(persistenceId(conv))
                .with(since)
                .with(before)
                .with(size + 1);
        return reader.run(connection -> {
            List<Entry> found = query.all(connection, row -> entry(conv, row));
            boolean more = found.size() > size;
            return new Page(more ? found.subList(0, size) : found, more);
        });
    }

    @Override
    public CompletionStage<Page> readNewest(String conv, Entry.Visibility who, long before, int limit) {
        int size = pageSize(limit);
        Query query = Query.of(OF_CONVERSATION + seenBy(who) + " AND entry_seq < ? ORDER BY persistence_id DESC,"
                        + " entry_seq DESC LIMIT ?")
                .with(persistenceId(conv))
                .with(before)
                .with(size + 1);
        return reader.run(connection -> {
            List<Entry> found = query.all(connection, row -> entry(conv, row));
            boolean more = found.size() > size;
            List<Entry> ascending = new ArrayList<>(more ? found.subList(0, size) : found);
            Collections.reverse(ascending);
            return new Page(ascending, more);
        });
    }

    @Override
    public CompletionStage<Long> lastSeq(String conv, Entry.Visibility who) {
        Query query = Query.of("SELECT entry_seq FROM event_journal WHERE persistence_id = ? AND deleted = FALSE"
                        + seenBy(who) + " AND entry_seq > 0 ORDER BY persistence_id DESC, entry_seq DESC LIMIT 1")
                .with(persistenceId(conv));
        return reader.run(
                connection -> query.first(connection, row -> row.getLong(1)).orElse(0L));
    }

    @Override
    public CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId) {
        Query query = Query.of("SELECT entry_seq, body_hash, event_ser_id, event_ser_manifest, event_payload FROM"
                        + " event_journal WHERE persistence_id = ? AND deleted = FALSE AND sender = ?"
                        + " AND client_msg_id = ? AND entry_seq IS NOT NULL ORDER BY entry_seq LIMIT 1")
                .with(persistenceId(conv))
                .with(sender.key())
                .with(clientMsgId);
        return reader.run(connection -> query.first(
                connection, row -> new RequestRecord(clientMsgId, row.getLong(2), row.getLong(1), epoch(conv, row))));
    }

    private Entry entry(String conv, ResultSet row) throws SQLException {
        long seq = row.getLong(1);
        try {
            return read(row.getInt(3), row.getString(4), row.getBytes(5));
        } catch (NotSerializableException | RuntimeException e) {
            LOG.debug("Entry {} of {} can't be read", seq, conv, e);
            return new Entry(
                    seq,
                    Entry.Kind.UNREADABLE,
                    null,
                    Instant.ofEpochMilli(row.getLong(2)),
                    null,
                    null,
                    null,
                    0,
                    null,
                    null,
                    null,
                    List.of(),
                    List.of());
        }
    }

    /** The epoch that the entry brought; 0, as of an entry that brought none, when it can't be read. */
    private long epoch(String conv, ResultSet row) throws SQLException {
        try {
            return read(row.getInt(3), row.getString(4), row.getBytes(5)).epoch();
        } catch (NotSerializableException | RuntimeException e) {
            LOG.debug("Entry {} of {} can't be read", row.getLong(1), conv, e);
            return 0;
        }
    }

    private Entry read(int serializer, String manifest, byte[] bytes) throws NotSerializableException {
        if (serializer != EventCodec.SERIALIZER_ID || bytes == null) {
            throw new IllegalStateException("an entry of " + (bytes == null ? "too many" : bytes.length)
                    + " bytes by serializer " + serializer + " under the manifest " + manifest);
        }
        JournaledEvent event = (JournaledEvent) codec.read(manifest, bytes);
        return event.journaledEntry()
                .orElseThrow(() -> new IllegalStateException("an event without an entry has a seq: " + manifest));
    }

    private static String persistenceId(String conv) {
        return EntityKind.CONVERSATION.persistenceId(conv);
    }

    private static String seenBy(Entry.Visibility who) {
        // The code of Visibility.ALL, as JournalRow writes it.
        return who == Entry.Visibility.STAFF ? "" : " AND visibility = 0";
    }

    private static int pageSize(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1, not " + limit);
        }
        return Math.min(limit, MAX_PAGE);
    }
}
