package dev.switchboard.journal;

import static dev.switchboard.testing.Stages.get;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Status;
import dev.switchboard.directory.WriteFigures;
import dev.switchboard.ports.Directory;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.Stages;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.pekko.persistence.journal.Tagged;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the journal promises, over either database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JournalContractTest {
    private TestDatabase database;
    private TestJournal journal;

    abstract TestDatabase newDatabase();

    @BeforeAll
    void open() {
        database = newDatabase();
        // One writer, so that what is sent together can be made to go together.
        journal = new TestJournal(database.config("switchboard.database { journal-writers = 1, lock-timeout = 20s }"));
        // As a node of a cluster does, so that all of this holds with the fence's check.
        Stages.get(journal.storage.fence().enter("node-under-test"));
    }

    @AfterAll
    void close() {
        journal.close();
        database.close();
    }

    private static void assertWritten(Outcome outcome) {
        assertInstanceOf(Outcome.Written.class, outcome);
    }

    private WriteFigures.View figures() {
        return journal.storage.writeFigures().view();
    }

    private static void assertFailed(Outcome outcome) {
        assertInstanceOf(Outcome.Failed.class, outcome);
    }

    /** What one cell of the journal holds; null when the row is not there. */
    private Object column(String column, String persistenceId, long sequenceNr) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT " + column + " FROM event_journal WHERE persistence_id = ? AND sequence_number = ?")) {
            statement.setString(1, persistenceId);
            statement.setLong(2, sequenceNr);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getObject(1) : null;
            }
        }
    }

    /**
     * Sends writes while another transaction holds a row that a first write needs, so that they gather behind it and go
     * into one batch.
     */
    private List<Outcome> writeTogether(List<Supplier<TestJournal.Begun>> writes) throws SQLException {
        String blocked = "desk|blocked-" + System.nanoTime();
        String agent = blocked.substring("desk|".length());
        assertWritten(journal.write(blocked, 1, Samples.desk(1)));
        List<TestJournal.Begun> begun = new ArrayList<>();
        TestJournal.Begun first;
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.createStatement().executeUpdate("UPDATE agent SET held = 7 WHERE agent = '" + agent + "'");
            first = journal.begin(blocked, TestJournal.WRITER, 2, Samples.desk(2));
            await().atMost(10, TimeUnit.SECONDS).until(() -> figures().underWay() == 1);
            writes.forEach(write -> begun.add(write.get()));
            await().atMost(10, TimeUnit.SECONDS).until(() -> figures().waiting() == writes.size());
            connection.rollback();
        }
        assertWritten(first.outcome());
        return begun.stream().map(TestJournal.Begun::outcome).toList();
    }

    @Test
    void shouldReplayWhatWasWritten() {
        String id = "conversation|c-replay";
        assertWritten(journal.write(id, 1, Samples.opened("replay", "default")));
        assertWritten(journal.write(id, 2, Samples.message("replay", 1, "hello")));
        assertWritten(journal.write(id, 3, Samples.message("replay", 2, "there")));
        assertEquals(
                List.of(Samples.message("replay", 1, "hello"), Samples.message("replay", 2, "there")),
                journal.replay(id, 2));
        assertEquals(3, journal.highest(id));
        assertEquals(0, journal.highest("conversation|c-nobody"));
    }

    @Test
    void shouldReplayMoreThanOneBatchInOrder() {
        String id = "conversation|c-long";
        int total = 1000;
        List<Object> expected = new ArrayList<>();
        for (int i = 0; i < total; i += 100) {
            Object[] events = new Object[100];
            for (int k = 0; k < 100; k++) {
                events[k] = Samples.message("long", i + k + 1, "text " + (i + k));
                expected.add(events[k]);
            }
            assertWritten(journal.write(id, i + 1, events));
        }
        assertEquals(expected, journal.replay(id, 1));
    }

    @Test
    void shouldKeepTheHighestNumberWhenEventsAreDeleted() {
        // Of another application: a desk has a snapshot of what it deleted, or is unreadable.
        String id = "other|deleted";
        for (int i = 1; i <= 5; i++) {
            assertWritten(journal.write(id, i, Samples.desk(i)));
        }
        journal.deleteTo(id, 3);
        assertEquals(List.of(Samples.desk(4), Samples.desk(5)), journal.replay(id, 1));
        journal.deleteTo(id, 5);
        assertEquals(List.of(), journal.replay(id, 1));
        assertEquals(5, journal.highest(id));
        assertWritten(journal.write(id, 6, Samples.desk(6)));
        assertEquals(List.of(Samples.desk(6)), journal.replay(id, 1));
    }

    @Test
    void shouldCommitDirectoryRowsWithTheEvent() {
        String id = "conversation|c-rows";
        assertWritten(journal.write(id, 1, Samples.opened("rows", "rows-queue")));
        Directory directory = journal.storage.storage().directory();
        Directory.ConversationRow row = get(directory.conversation("c-rows")).orElseThrow();
        assertEquals(Status.WAITING, row.status());
        assertEquals(Samples.AT, row.openedAt());
        assertEquals(
                List.of(Samples.ticket("rows", "rows-queue", 1)),
                get(directory.waiting("rows-queue", null, 10)).stream()
                        .map(Directory.WaitingRow::ticket)
                        .toList());
        assertWritten(journal.write(id, 2, Samples.assigned("alice", 1, 2, "rows-queue")));
        assertEquals(
                "alice", get(directory.conversation("c-rows")).orElseThrow().owner());
        assertTrue(get(directory.waiting("rows-queue", null, 10)).isEmpty());
    }

    @Test
    void shouldApplyOneBatchesChangesInTheirOrder() {
        String id = "conversation|c-order";
        assertWritten(journal.write(
                id,
                1,
                Samples.opened("order", "order-queue"),
                Samples.assigned("alice", 1, 2, "order-queue"),
                Samples.returned("order", 2, 3, "order-queue")));
        Directory directory = journal.storage.storage().directory();
        Directory.ConversationRow row = get(directory.conversation("c-order")).orElseThrow();
        assertEquals(Status.WAITING, row.status());
        assertEquals(3, row.epoch());
        assertEquals(
                List.of(3L),
                get(directory.waiting("order-queue", null, 10)).stream()
                        .map(each -> each.ticket().epoch())
                        .toList());
        assertTrue(get(journal.storage.storage().deadlines().due(Samples.AT.plusSeconds(600), 1000)).stream()
                .anyMatch(due -> due.id().equals("c-order") && due.at().equals(Samples.AT.plusSeconds(600))));
    }

    @Test
    void shouldFillTheColumnsOfEntriesAlone() throws SQLException {
        String id = "conversation|c-columns";
        assertWritten(journal.write(
                id, 1, Samples.opened("columns", "default"), Samples.message("columns", 1, "key-1", "hello")));
        assertNull(column("entry_seq", id, 1));
        assertEquals(1L, column("entry_seq", id, 2));
        assertEquals(0, ((Number) column("visibility", id, 2)).intValue());
        assertEquals("customer:columns", column("sender", id, 2));
        assertEquals("key-1", column("client_msg_id", id, 2));
        assertEquals(1001L, column("body_hash", id, 2));
    }

    @Test
    void shouldTakeEventsOfOtherApplications() throws SQLException {
        String id = "foreign-1";
        assertWritten(journal.write(id, 1, "plain", new Tagged("tagged", Set.of("red", "blue"))));
        assertEquals(List.of("plain", "tagged"), journal.replay(id, 1));
        assertNull(column("entry_seq", id, 1));
        try (Connection connection = database.connect();
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery("SELECT count(*) FROM event_tag t JOIN event_journal e ON e.ordering = t.event_id"
                                + " WHERE e.persistence_id = 'foreign-1'")) {
            rows.next();
            assertEquals(2, rows.getInt(1));
        }
    }

    @Test
    void shouldRejectOnlyTheWriteThatCannotBeSerialized() throws SQLException {
        List<Outcome> outcomes = writeTogether(List.of(
                () -> journal.begin("foreign-before", TestJournal.WRITER, 1, "good"),
                () -> journal.begin("foreign-bad", TestJournal.WRITER, 1, "half", new Unserializable()),
                () -> journal.begin("foreign-after", TestJournal.WRITER, 1, "good")));
        assertWritten(outcomes.get(0));
        assertInstanceOf(Outcome.Rejected.class, outcomes.get(1));
        assertWritten(outcomes.get(2));
        assertEquals(List.of(), journal.replay("foreign-bad", 1));
        assertEquals(List.of("good"), journal.replay("foreign-after", 1));
    }

    /** A class that no serializer takes. */
    private static final class Unserializable {}

    @Test
    void shouldFailOnlyTheBadWriteOfABatchAndKeepItWhole() throws SQLException {
        List<Supplier<TestJournal.Begun>> writes = new ArrayList<>();
        int bad = 17;
        for (int i = 0; i < 40; i++) {
            String customer = "halved-" + i;
            String clientMsgId = i == bad ? "x".repeat(65) : "m1";
            writes.add(() -> journal.begin(
                    "conversation|c-" + customer,
                    TestJournal.WRITER,
                    1,
                    Samples.opened(customer, "halved"),
                    Samples.message(customer, 1, clientMsgId, "hello")));
        }
        WriteFigures.View before = figures();
        List<Outcome> outcomes = writeTogether(writes);
        WriteFigures.View after = figures();
        assertTrue(after.halvings() > before.halvings());
        assertEquals(before.failedWrites() + 1, after.failedWrites());
        for (int i = 0; i < outcomes.size(); i++) {
            String id = "conversation|c-halved-" + i;
            if (i == bad) {
                assertFailed(outcomes.get(i));
                assertEquals(List.of(), journal.replay(id, 1));
            } else {
                assertWritten(outcomes.get(i));
                assertEquals(2, journal.replay(id, 1).size());
            }
        }
        Directory directory = journal.storage.storage().directory();
        assertFalse(get(directory.conversation("c-halved-" + bad)).isPresent());
        assertEquals(39, get(directory.waiting("halved", null, 100)).size());
    }

    @Test
    void shouldFailWhatFollowsABadWriteOfTheSameId() throws SQLException {
        String id = "conversation|c-follows";
        List<Outcome> outcomes = writeTogether(List.of(
                () -> journal.begin(id, TestJournal.WRITER, 1, Samples.message("follows", 1, "x".repeat(65), "bad")),
                () -> journal.begin(id, TestJournal.WRITER, 2, Samples.message("follows", 2, "good")),
                () -> journal.begin(
                        "conversation|c-other", TestJournal.WRITER, 1, Samples.message("other", 1, "good"))));
        assertFailed(outcomes.get(0));
        assertFailed(outcomes.get(1));
        assertWritten(outcomes.get(2));
        assertEquals(List.of(), journal.replay(id, 1));
    }

    @Test
    void shouldTakeTheSameWriteAgainAsDone() {
        String id = "conversation|c-again";
        assertWritten(journal.write(id, 1, Samples.message("again", 1, "hello"), Samples.message("again", 2, "there")));
        assertWritten(journal.write(id, 1, Samples.message("again", 1, "hello"), Samples.message("again", 2, "there")));
        assertEquals(2, journal.replay(id, 1).size());
    }

    @Test
    void shouldRefuseANumberThatAnotherWriterOrEventHas() {
        String id = "conversation|c-taken";
        assertWritten(journal.write(id, 1, Samples.message("taken", 1, "hello")));
        assertFailed(journal.writeBy("writer-2", id, 1, Samples.message("taken", 1, "hello")));
        assertFailed(journal.write(id, 1, Samples.message("taken", 1, "other")));
        assertFailed(journal.write(id, 1, Samples.message("taken", 1, "hello"), Samples.message("taken", 2, "more")));
        assertEquals(List.of(Samples.message("taken", 1, "hello")), journal.replay(id, 1));
    }

    @Test
    void shouldCountWhatItDid() {
        WriteFigures.View before = figures();
        assertWritten(journal.write("desk|counted", 1, Samples.desk(1), Samples.desk(2)));
        WriteFigures.View after = figures();
        assertEquals(before.rows() + 2, after.rows());
        assertEquals(before.writes() + 1, after.writes());
        assertTrue(after.latencyP99Nanos() > 0);
        assertTrue(get(journal.storage.ping()));
    }
}
