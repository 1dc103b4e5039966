package dev.switchboard.directory;

import static dev.switchboard.testing.Stages.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Entry.Visibility;
import dev.switchboard.conversation.Status;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.ConversationFilter;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.serialization.EventCodec;
import dev.switchboard.testing.ExplainedReads;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A page costs no more wherever it lies, however long the list: the database's own account of each statement that is run
 * says by which index it found its rows, and how many it touched. Over a conversation of 100 000 entries and lists of as many
 * conversations as the property {@code switchboard.test.conversations} says.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PlansContractTest {
    static final int ENTRIES = 100_000;
    private static final int PAGE = 100;

    private TestDatabase database;
    private SqlStorage storage;
    private ExplainedReads explained;
    private SqlReader reader;
    private int conversations;

    abstract TestDatabase newDatabase();

    /** The default number of conversations. */
    abstract int conversations();

    /** A table with the numbers from 1 to so many. */
    abstract String numbers(int count);

    @BeforeAll
    void fill() throws SQLException {
        conversations = Integer.getInteger("switchboard.test.conversations", conversations());
        database = newDatabase();
        storage = SqlStorage.open(database.config());
        explained = new ExplainedReads(database);
        reader = new SqlReader("explained", explained.pool(), 1, 10, "here");
        byte[] event = new EventCodec().write(Samples.message("long", 1, "hello"));
        try (Connection connection = database.connect();
                Statement plain = connection.createStatement();
                PreparedStatement entries = connection.prepareStatement("INSERT INTO event_journal (persistence_id,"
                        + " sequence_number, deleted, writer, write_timestamp, adapter_manifest, event_payload,"
                        + " event_ser_id, event_ser_manifest, entry_seq, visibility, sender, client_msg_id, body_hash)"
                        + " SELECT CASE WHEN n > " + ENTRIES
                        + " THEN 'conversation|c-' || n ELSE 'conversation|c-long' END,"
                        + " n + 1, FALSE, 'w', 0, '', ?, 53401, 'c.entry:1', n, 0, 'customer:long', 'm' || n, n FROM "
                        + numbers(ENTRIES + ENTRIES / 5))) {
            entries.setBytes(1, event);
            entries.executeUpdate();
            plain.execute("INSERT INTO conversation (conv, customer, queue, status, owner, opened_by, epoch, priority,"
                    + " opened_us, updated_us) SELECT 'c-' || n, 'customer-' || MOD(n, 5000), 'queue-' || MOD(n, 20),"
                    + " CASE MOD(n, 4) WHEN 0 THEN 'waiting' ELSE 'assigned' END, CASE MOD(n, 4) WHEN 0 THEN NULL ELSE"
                    + " 'agent-' || MOD(n, 100) END, 'customer:' || MOD(n, 5000), 1, 0, n, n / 3 FROM "
                    + numbers(conversations));
            plain.execute("ANALYZE");
        }
    }

    @AfterAll
    void close() {
        reader.close();
        storage.close();
        database.close();
    }

    private <T> T assertTouches(long bound, Supplier<CompletionStage<T>> read) {
        T result = get(read.get());
        String plan = explained.plan();
        assertFalse(explained.readsATableThrough(plan), plan);
        assertTrue(explained.rows(plan) > 0 && explained.rows(plan) <= bound, plan);
        return result;
    }

    @Test
    void shouldTouchNoMoreThanAPageOfALongConversation() {
        EntryLog log = new SqlEntryLog(reader, new EventCodec());
        for (Visibility who : Visibility.values()) {
            for (long since : new long[] {1, ENTRIES / 2, ENTRIES - PAGE}) {
                assertEquals(
                        PAGE,
                        assertTouches(PAGE + 2, () -> log.readUpwards("c-long", who, since, Long.MAX_VALUE, PAGE))
                                .entries()
                                .size());
            }
            for (long before : new long[] {PAGE + 2, ENTRIES / 2, Long.MAX_VALUE}) {
                assertEquals(
                        PAGE,
                        assertTouches(PAGE + 2, () -> log.readNewest("c-long", who, before, PAGE))
                                .entries()
                                .size());
            }
            assertEquals(ENTRIES, assertTouches(2, () -> log.lastSeq("c-long", who)));
        }
    }

    /** A page of each list, at its beginning and deep in it; twice as deep costs the same. */
    @Test
    void shouldTouchNoMoreThanAPageOfALongList() {
        Directory directory = new SqlDirectory(reader, storage.settings().kind());
        Map<String, ConversationFilter> filters = new TreeMap<>(Map.of(
                "all", new ConversationFilter(null, null, null, null, null),
                "status", new ConversationFilter(Status.WAITING, null, null, null, null),
                "owner", new ConversationFilter(null, "agent-7", null, null, null),
                "queue", new ConversationFilter(null, null, "queue-7", null, null),
                "queues", new ConversationFilter(null, null, null, java.util.Set.of("queue-7", "queue-8"), null),
                "status and queue", new ConversationFilter(Status.WAITING, null, "queue-8", null, null)));
        if (database.isH2()) {
            // Where no index has the order of the page, H2 reads all that the best one finds: these are not constant
            // there.
            filters.remove("queues");
            filters.remove("status and queue");
        }
        filters.forEach((name, filter) -> {
            for (long depth : new long[] {conversations / 3, conversations / 6, conversations / 9}) {
                Optional<String> cursor = Optional.of(new Cursor("c", depth, "c-9").write());
                assertEquals(
                        PAGE,
                        // One in twenty is in a queue: passing over the others in the order of time may be cheaper.
                        assertTouches(25 * PAGE, () -> directory.conversations(filter, cursor, PAGE))
                                .items()
                                .size(),
                        name);
            }
            assertTouches(25 * PAGE, () -> directory.conversations(filter, Optional.empty(), PAGE));
        });
        assertTouches(
                2 * PAGE,
                () -> directory.conversations(
                        new ConversationFilter(null, null, null, null, "customer-7"), Optional.empty(), 10));
        assertTouches(2, () -> directory.conversation("c-77"));
    }
}
