package dev.switchboard.bench.journal;

import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.Entry;
import dev.switchboard.serialization.EventCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;

/**
 * Conversations that have had many entries, written straight into the tables: all of them say the same, since only their
 * lengths matter here. Not thread-safe.
 */
final class LongConversations {
    private static final int EVENT_BYTES = 512;
    private static final int BATCH = 500;

    private final int conversations;
    private final int snapshotAt;
    private final int tail;
    private final EventCodec codec = new EventCodec();
    private final EventSource events = new EventSource(EVENT_BYTES);
    private int snapshotBytes;

    LongConversations(int conversations, int entries, int tail) {
        this.conversations = conversations;
        this.snapshotAt = entries;
        this.tail = tail;
    }

    int snapshotBytes() {
        return snapshotBytes;
    }

    void write(Connection connection) throws SQLException {
        try (Statement plain = connection.createStatement()) {
            plain.execute("CREATE TABLE template AS SELECT * FROM event_journal WHERE 1 = 0");
            ConversationState state = writeTemplate(connection);
            // SYSTEM_RANGE and generate_series differ; a table of numbers doesn't.
            plain.execute("CREATE TABLE number (n INTEGER NOT NULL)");
            for (int i = 0; i < conversations; i++) {
                plain.execute("INSERT INTO number VALUES (" + i + ")");
            }
            plain.execute(
                    "INSERT INTO event_journal (persistence_id, sequence_number, deleted, writer, write_timestamp,"
                            + " adapter_manifest, event_payload, event_ser_id, event_ser_manifest, entry_seq, visibility, sender,"
                            + " client_msg_id, body_hash) SELECT 'conversation|c-customer-' || n, sequence_number, FALSE, writer,"
                            + " write_timestamp, adapter_manifest, event_payload, event_ser_id, event_ser_manifest, entry_seq,"
                            + " visibility, sender, client_msg_id, body_hash FROM template CROSS JOIN number WHERE sequence_number"
                            + " <= " + snapshotAt + " + n * " + tail + " / " + conversations);
            writeSnapshots(connection, state);
            plain.execute("ANALYZE");
            plain.execute("CHECKPOINT");
        }
    }

    /** The events of the longest one; the state at the snapshot. */
    private ConversationState writeTemplate(Connection connection) throws SQLException {
        ConversationState state = ConversationState.EMPTY;
        ConversationState atSnapshot = null;
        try (PreparedStatement row =
                connection.prepareStatement("INSERT INTO template (persistence_id, sequence_number,"
                        + " deleted, writer, write_timestamp, adapter_manifest, event_payload, event_ser_id, event_ser_manifest,"
                        + " entry_seq, visibility, sender, client_msg_id, body_hash) VALUES ('', ?, FALSE, 'w', 0, '', ?, ?, ?, ?,"
                        + " ?, ?, ?, ?)")) {
            for (int number = 1; number <= snapshotAt + tail; number++) {
                ConversationEvent event = events.event(0, number);
                state = state.apply(event);
                atSnapshot = number == snapshotAt ? state : atSnapshot;
                row.setLong(1, number);
                row.setBytes(2, codec.write(event));
                row.setInt(3, EventCodec.SERIALIZER_ID);
                row.setString(4, codec.manifest(event));
                bindEntry(row, event);
                row.addBatch();
                if (number % BATCH == 0) {
                    row.executeBatch();
                }
            }
            row.executeBatch();
        }
        return atSnapshot;
    }

    private static void bindEntry(PreparedStatement row, ConversationEvent event) throws SQLException {
        Entry entry = event.journaledEntry().orElse(null);
        if (entry == null) {
            row.setNull(5, Types.BIGINT);
            row.setNull(6, Types.SMALLINT);
            row.setNull(7, Types.VARCHAR);
            row.setNull(8, Types.VARCHAR);
            row.setNull(9, Types.BIGINT);
        } else {
            row.setLong(5, entry.seq());
            row.setShort(6, (short) 0);
            row.setString(7, entry.from() == null ? null : entry.from().key());
            row.setString(8, entry.clientMsgId());
            row.setLong(9, event.requestHash());
        }
    }

    private void writeSnapshots(Connection connection, ConversationState state) throws SQLException {
        byte[] bytes = codec.write(state);
        snapshotBytes = bytes.length;
        try (PreparedStatement row = connection.prepareStatement(
                "INSERT INTO snapshot (persistence_id, sequence_number,"
                        + " created, snapshot_ser_id, snapshot_ser_manifest, snapshot_payload) VALUES (?, ?, 0, ?, ?, ?)")) {
            for (int i = 0; i < conversations; i++) {
                row.setString(1, EventSource.persistenceId(i));
                row.setLong(2, snapshotAt);
                row.setInt(3, EventCodec.SERIALIZER_ID);
                row.setString(4, codec.manifest(state));
                row.setBytes(5, bytes);
                row.executeUpdate();
            }
        }
    }
}
