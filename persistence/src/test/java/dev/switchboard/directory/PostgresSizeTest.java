package dev.switchboard.directory;

import static dev.switchboard.testing.Stages.get;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Entry.Visibility;
import dev.switchboard.conversation.Status;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.ConversationFilter;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.serialization.EventCodec;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A page costs no more wherever it lies: the server's own counters say how many rows were read for it, by an index
 * or by reading a table through. Over a conversation of 100 000 entries and lists over as many conversations as the
 * property {@code switchboard.test.conversations} says.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresSizeTest {
    private static final int ENTRIES = 100_000;
    private static final int CONVERSATIONS = Integer.getInteger("switchboard.test.conversations", 100_000);
    private static final int PAGE = 100;

    /**
     * One in twenty matches the widest filter, and the server may find it cheaper to pass over the others in the order of
     * time than to use that filter's own index. It depends neither on the list's length nor on how deep the page lies.
     */
    private static final int LIST_BOUND = 25 * PAGE;

    private TestDatabase database;
    private SqlStorage storage;

    /** What the server has read so far of one table. */
    private record Reads(long indexScans, long indexRows, long tableScans) {}

    @BeforeAll
    void fill() throws SQLException {
        database = TestDatabase.postgresql();
        // One connection: what it did is counted once it has been asked something more.
        storage = SqlStorage.open(database.config("switchboard.database.read-connections = 1"));
        byte[] event = new EventCodec().write(Samples.message("long", 1, "hello"));
        try (Connection connection = database.connect();
                Statement plain = connection.createStatement();
                PreparedStatement entries = connection.prepareStatement("INSERT INTO event_journal (persistence_id,"
                        + " sequence_number, writer, write_timestamp, adapter_manifest, event_payload, event_ser_id,"
                        + " event_ser_manifest, entry_seq, visibility, sender, client_msg_id, body_hash) SELECT"
                        + " 'conversation|c-long', n + 1, 'w', 0, '', ?, 53401, 'c.entry:1', n, 0, 'customer:long',"
                        + " 'm' || n, n FROM generate_series(1, ?) AS n")) {
            entries.setBytes(1, event);
            entries.setInt(2, ENTRIES);
            entries.executeUpdate();
            plain.execute("INSERT INTO conversation (conv, customer, queue, status, owner, opened_by, epoch, priority,"
                    + " opened_us, updated_us) SELECT 'c-' || n, 'customer-' || n % 50, 'queue-' || n % 20,"
                    + " CASE n % 4 WHEN 0 THEN 'waiting' ELSE 'assigned' END, CASE n % 4 WHEN 0 THEN NULL ELSE 'agent-'"
                    + " || n % 100 END, 'customer:' || n % 50, 1, 0, n, n / 3 FROM generate_series(1, " + CONVERSATIONS
                    + ") AS n");
            plain.execute("ANALYZE");
        }
    }

    @AfterAll
    void close() {
        storage.close();
        database.close();
    }

    private Reads reads(String table) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement query = connection.prepareStatement("SELECT t.idx_scan, (SELECT sum(i.idx_tup_read)"
                        + " FROM pg_stat_user_indexes AS i WHERE i.relid = t.relid), t.seq_scan FROM"
                        + " pg_stat_user_tables AS t WHERE t.relname = ?")) {
            query.setString(1, table);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Reads(row.getLong(1), row.getLong(2), row.getLong(3));
            }
        }
    }

    private <T> T assertReadsAPage(String table, Supplier<CompletionStage<T>> read) throws SQLException {
        return assertReads(2 * PAGE, table, read);
    }

    private <T> T assertReads(int bound, String table, Supplier<CompletionStage<T>> read) throws SQLException {
        Reads before = reads(table);
        T result = get(read.get());
        await().atMost(20, TimeUnit.SECONDS).until(() -> {
            get(storage.ping());
            Reads now = reads(table);
            return now.indexScans() > before.indexScans() || now.tableScans() > before.tableScans();
        });
        Reads after = reads(table);
        assertEquals(before.tableScans(), after.tableScans(), "a table was read through");
        long rows = after.indexRows() - before.indexRows();
        assertTrue(rows <= bound, rows + " rows were read for a page of " + PAGE);
        return result;
    }

    @Test
    void shouldReadNoMoreThanAPageOfALongConversation() throws SQLException {
        EntryLog log = storage.storage().entryLog();
        for (Visibility who : Visibility.values()) {
            for (long since : new long[] {1, ENTRIES / 2, ENTRIES - PAGE}) {
                EntryLog.Page page = assertReadsAPage(
                        "event_journal", () -> log.readUpwards("c-long", who, since, Long.MAX_VALUE, PAGE));
                assertEquals(PAGE, page.entries().size());
            }
            for (long before : new long[] {ENTRIES / 2, Long.MAX_VALUE}) {
                EntryLog.Page page =
                        assertReadsAPage("event_journal", () -> log.readNewest("c-long", who, before, PAGE));
                assertEquals(PAGE, page.entries().size());
            }
            assertEquals(ENTRIES, assertReadsAPage("event_journal", () -> log.lastSeq("c-long", who)));
        }
    }

    /** It has no index of its own: it may read the conversation's entries, but of no other, and in bounded time. */
    @Test
    void shouldFindAVeryOldRequestAmongTheConversationsEntries() throws SQLException {
        EntryLog log = storage.storage().entryLog();
        Reads before = reads("event_journal");
        assertEquals(
                77,
                get(log.findRequest("c-long", Samples.customer("long"), "m77"))
                        .orElseThrow()
                        .hash());
        assertEquals(Optional.empty(), get(log.findRequest("c-long", Samples.customer("long"), "never")));
        assertEquals(before.tableScans(), reads("event_journal").tableScans());
    }

    @Test
    void shouldReadNoMoreThanAPageOfALongList() throws SQLException {
        Directory directory = storage.storage().directory();
        ConversationFilter all = new ConversationFilter(null, null, null, null, null);
        for (ConversationFilter filter : new ConversationFilter[] {
            all,
            new ConversationFilter(Status.WAITING, null, null, null, null),
            new ConversationFilter(null, "agent-7", null, null, null),
            new ConversationFilter(null, null, "queue-7", null, null),
            new ConversationFilter(null, null, null, null, "customer-7")
        }) {
            for (long depth : new long[] {CONVERSATIONS / 3, CONVERSATIONS / 6, CONVERSATIONS / 9}) {
                Optional<String> cursor = Optional.of(new Cursor("c", depth, "c-9").write());
                Directory.Rows<Directory.ConversationRow> page =
                        assertReads(LIST_BOUND, "conversation", () -> directory.conversations(filter, cursor, PAGE));
                assertEquals(PAGE, page.items().size());
            }
            assertReads(LIST_BOUND, "conversation", () -> directory.conversations(filter, Optional.empty(), PAGE));
        }
    }
}
