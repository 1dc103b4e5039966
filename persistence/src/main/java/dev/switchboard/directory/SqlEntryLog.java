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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Conversations' entries by JDBC, from the journal's own rows. Thread-safe; never blocks the caller. */
final class SqlEntryLog implements EntryLog {
    /** The longest page that is read, whatever was asked for. */
    static final int MAX_PAGE = 1000;

    private static final String COLUMNS = "event_ser_id, event_ser_manifest, event_payload, body_hash";
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
                        + " ORDER BY entry_seq LIMIT ?")
                .with(persistenceId(conv))
                .with(since)
                .with(before)
                .with(size + 1);
        return reader.run(connection -> {
            List<Entry> found = query.all(connection, row -> event(row).entry());
            boolean more = found.size() > size;
            return new Page(more ? found.subList(0, size) : found, more);
        });
    }

    @Override
    public CompletionStage<Page> readNewest(String conv, Entry.Visibility who, long before, int limit) {
        int size = pageSize(limit);
        Query query = Query.of(OF_CONVERSATION + seenBy(who) + " AND entry_seq < ? ORDER BY entry_seq DESC LIMIT ?")
                .with(persistenceId(conv))
                .with(before)
                .with(size + 1);
        return reader.run(connection -> {
            List<Entry> found = query.all(connection, row -> event(row).entry());
            boolean more = found.size() > size;
            List<Entry> ascending = new ArrayList<>(more ? found.subList(0, size) : found);
            Collections.reverse(ascending);
            return new Page(ascending, more);
        });
    }

    @Override
    public CompletionStage<Long> lastSeq(String conv, Entry.Visibility who) {
        Query query = Query.of("SELECT entry_seq FROM event_journal WHERE persistence_id = ? AND deleted = FALSE"
                        + seenBy(who) + " AND entry_seq IS NOT NULL ORDER BY entry_seq DESC LIMIT 1")
                .with(persistenceId(conv));
        return reader.run(
                connection -> query.first(connection, row -> row.getLong(1)).orElse(0L));
    }

    @Override
    public CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId) {
        Query query = Query.of(OF_CONVERSATION + " AND sender = ? AND client_msg_id = ? AND entry_seq IS NOT NULL"
                        + " ORDER BY entry_seq LIMIT 1")
                .with(persistenceId(conv))
                .with(sender.key())
                .with(clientMsgId);
        return reader.run(connection -> query.first(connection, row -> {
            Journaled journaled = event(row);
            return new RequestRecord(
                    clientMsgId,
                    journaled.hash(),
                    journaled.entry().seq(),
                    journaled.entry().epoch());
        }));
    }

    private record Journaled(Entry entry, long hash) {}

    private Journaled event(ResultSet row) throws SQLException {
        int serializer = row.getInt(1);
        String manifest = row.getString(2);
        if (serializer != EventCodec.SERIALIZER_ID) {
            throw new IllegalStateException("an entry was written by serializer " + serializer + " (" + manifest + ")");
        }
        try {
            JournaledEvent event = (JournaledEvent) codec.read(manifest, row.getBytes(3));
            Entry entry = event.journaledEntry()
                    .orElseThrow(() -> new IllegalStateException("an event without an entry has a seq: " + manifest));
            return new Journaled(entry, row.getLong(4));
        } catch (NotSerializableException e) {
            throw new IllegalStateException("this release can't read an entry: " + manifest, e);
        }
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
