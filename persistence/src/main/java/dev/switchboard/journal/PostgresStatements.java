package dev.switchboard.journal;

import dev.switchboard.conversation.Entry;
import dev.switchboard.directory.ArrayBinder;
import dev.switchboard.directory.DirectoryArrays;
import dev.switchboard.directory.NodeFence;
import dev.switchboard.ports.DirectoryChange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One statement a batch, whose parameters are whole columns: events, tags and directory rows together. On a connection
 * in auto-commit mode it is the whole transaction and costs one round trip. Its text is the same for batches of any
 * size, so the server plans it once. Thread-safe.
 */
final class PostgresStatements implements JournalStatements {
    private static final String COLUMNS = "deleted, persistence_id, sequence_number, writer, write_timestamp,"
            + " adapter_manifest, event_payload, event_ser_id, event_ser_manifest, entry_seq, visibility, sender,"
            + " client_msg_id, body_hash";

    // Set-returning functions in a select list go on in step and, unlike in FROM, keep no copy of their rows.
    private static final String PLAIN = "INSERT INTO event_journal (" + COLUMNS + ") SELECT false, pid, nr, writer, ts,"
            + " '', payload, ser, man, seq, vis, sender, msg, hash FROM (SELECT unnest(?::text[]) AS pid,"
            + " unnest(?::int8[]) AS nr, unnest(?::text[]) AS writer, unnest(?::int8[]) AS ts, unnest(?::bytea[]) AS"
            + " payload, unnest(?::int4[]) AS ser, unnest(?::text[]) AS man, unnest(?::int8[]) AS seq,"
            + " unnest(?::int2[]) AS vis, unnest(?::text[]) AS sender, unnest(?::text[]) AS msg, unnest(?::int8[]) AS"
            + " hash) AS event";

    /** Evaluated once a statement; it fails the whole of it, the directory's rows included. */
    private static final String FENCE = " WHERE (SELECT require_node(?))";

    private static final String FULL = "INSERT INTO event_journal (" + COLUMNS + ", meta_payload, meta_ser_id,"
            + " meta_ser_manifest) SELECT deleted, pid, nr, writer, ts, adapter, payload, ser, man, seq, vis, sender,"
            + " msg, hash, meta, meta_ser, meta_man FROM unnest(?::text[], ?::int8[], ?::text[], ?::int8[],"
            + " ?::bytea[], ?::int4[], ?::text[], ?::int8[], ?::int2[], ?::text[], ?::text[], ?::int8[], ?::bool[],"
            + " ?::text[], ?::bytea[], ?::int4[], ?::text[]) AS event(pid, nr, writer, ts, payload, ser, man, seq, vis,"
            + " sender, msg, hash, deleted, adapter, meta, meta_ser, meta_man)";

    /** Tags refer to a row by the number that the database has given it. */
    private static final String TAGS = " RETURNING ordering, persistence_id,"
            + " sequence_number) INSERT INTO event_tag (event_id, tag) SELECT written.ordering, t.tag FROM"
            + " unnest(?::text[], ?::int8[], ?::text[]) AS t(pid, nr, tag) JOIN written ON written.persistence_id ="
            + " t.pid AND written.sequence_number = t.nr";

    private final NodeFence fence;

    PostgresStatements(NodeFence fence) {
        this.fence = fence;
    }

    @Override
    public void write(Connection connection, List<JournalRow> rows) throws SQLException {
        List<DirectoryChange> changes = new ArrayList<>();
        boolean plain = true;
        boolean tagged = false;
        for (JournalRow row : rows) {
            changes.addAll(row.changes());
            tagged |= !row.tags().isEmpty();
            plain &= row.isPlain();
        }
        DirectoryArrays directory = new DirectoryArrays(changes);
        Optional<String> node = fence.entered();
        String guard = node.isPresent() ? FENCE : "";
        String sql = tagged
                ? (directory.isEmpty() ? "WITH " : directory.with() + ", ") + "written AS (" + FULL + guard + TAGS
                : directory.with() + " " + (plain ? PLAIN : FULL) + guard;
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ArrayBinder binder = new ArrayBinder(connection, statement)) {
            directory.bind(binder);
            bindPlain(binder, rows);
            if (tagged || !plain) {
                bindRest(binder, rows);
            }
            if (node.isPresent()) {
                binder.text(node.get());
            }
            if (tagged) {
                bindTags(binder, rows);
            }
            statement.executeUpdate();
        }
    }

    private static void bindPlain(ArrayBinder binder, List<JournalRow> rows) throws SQLException {
        int size = rows.size();
        String[] ids = new String[size];
        long[] numbers = new long[size];
        String[] writers = new String[size];
        long[] timestamps = new long[size];
        byte[][] payloads = new byte[size][];
        int[] serializers = new int[size];
        String[] manifests = new String[size];
        for (int i = 0; i < size; i++) {
            JournalRow row = rows.get(i);
            ids[i] = row.persistenceId();
            numbers[i] = row.sequenceNumber();
            writers[i] = row.writer();
            timestamps[i] = row.timestamp();
            payloads[i] = row.event().bytes();
            serializers[i] = row.event().serializer();
            manifests[i] = row.event().manifest();
        }
        binder.texts(ids)
                .longs(numbers)
                .texts(writers)
                .longs(timestamps)
                .bytes(payloads)
                .integers(serializers)
                .texts(manifests);
        bindEntries(binder, rows);
    }

    private static void bindEntries(ArrayBinder binder, List<JournalRow> rows) throws SQLException {
        int size = rows.size();
        Long[] seqs = new Long[size];
        Short[] visibilities = new Short[size];
        String[] senders = new String[size];
        String[] messageIds = new String[size];
        Long[] hashes = new Long[size];
        for (int i = 0; i < size; i++) {
            Entry entry = rows.get(i).entry();
            if (entry != null) {
                seqs[i] = entry.seq();
                visibilities[i] = JournalRow.visibilityCode(entry.visibility());
                senders[i] = rows.get(i).sender();
                messageIds[i] = entry.clientMsgId();
                hashes[i] = entry.clientMsgId() == null ? null : rows.get(i).requestHash();
            }
        }
        binder.longs(seqs).shorts(visibilities).texts(senders).texts(messageIds).longs(hashes);
    }

    private static void bindRest(ArrayBinder binder, List<JournalRow> rows) throws SQLException {
        int size = rows.size();
        boolean[] deleted = new boolean[size];
        String[] adapters = new String[size];
        byte[][] payloads = new byte[size][];
        Integer[] serializers = new Integer[size];
        String[] manifests = new String[size];
        for (int i = 0; i < size; i++) {
            JournalRow row = rows.get(i);
            deleted[i] = row.deleted();
            adapters[i] = row.adapterManifest();
            if (row.meta() != null) {
                payloads[i] = row.meta().bytes();
                serializers[i] = row.meta().serializer();
                manifests[i] = row.meta().manifest();
            }
        }
        binder.flags(deleted)
                .texts(adapters)
                .bytes(payloads)
                .integers(serializers)
                .texts(manifests);
    }

    private static void bindTags(ArrayBinder binder, List<JournalRow> rows) throws SQLException {
        List<String> ids = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        List<String> tags = new ArrayList<>();
        for (JournalRow row : rows) {
            for (String tag : row.tags()) {
                ids.add(row.persistenceId());
                numbers.add(row.sequenceNumber());
                tags.add(tag);
            }
        }
        binder.texts(ids.toArray(new String[0]))
                .longs(numbers.toArray(new Long[0]))
                .texts(tags.toArray(new String[0]));
    }
}
