package dev.switchboard.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Entry.Visibility;
import dev.switchboard.conversation.Status;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
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
        journal = new TestJournal(database.config());
    }

    @AfterAll
    void close() {
        journal.close();
        database.close();
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertWritten(Outcome outcome) {
        assertInstanceOf(Outcome.Written.class, outcome);
    }

    @Test
    void shouldReplayWhatWasWritten() {
        String id = "conversation|c-replay";
        assertWritten(journal.write(id, 1, Samples.opened("replay", "default")));
        assertWritten(journal.write(id, 2, Samples.message("replay", 1, "hello")));
        assertWritten(journal.write(id, 3, Samples.message("replay", 2, "there")));
        List<Object> events = journal.replay(id, 2);
        assertEquals(List.of(Samples.message("replay", 1, "hello"), Samples.message("replay", 2, "there")), events);
        assertEquals(3, journal.highest(id));
    }

    @Test
    void shouldCommitDirectoryRowsWithTheEvent() {
        String id = "conversation|c-rows";
        assertWritten(journal.write(id, 1, Samples.opened("rows", "vip")));
        var directory = journal.storage.storage().directory();
        var row = get(directory.conversation("c-rows")).orElseThrow();
        assertEquals(Status.WAITING, row.status());
        assertEquals(Samples.AT, row.openedAt());
        assertEquals(
                List.of(Samples.ticket("rows", "vip", 1)),
                get(directory.waiting("vip", null, 10)).stream()
                        .map(each -> each.ticket())
                        .toList());
        assertWritten(journal.write(id, 2, Samples.assigned("alice", 1, 2, "vip")));
        assertEquals("alice", get(directory.conversation("c-rows")).orElseThrow().owner());
        assertTrue(get(directory.waiting("vip", null, 10)).isEmpty());
    }

    @Test
    void shouldReadEntriesBySeq() {
        String id = "conversation|c-log";
        assertWritten(journal.write(id, 1, Samples.opened("log", "default")));
        assertWritten(journal.write(
                id,
                2,
                Samples.message("log", 1, "one"),
                Samples.note("bob", 2, "secret"),
                Samples.message("log", 3, "three")));
        var log = journal.storage.storage().entryLog();
        assertEquals(
                List.of(1L, 3L),
                get(log.readUpwards("c-log", Visibility.ALL, 1, Long.MAX_VALUE, 10)).entries().stream()
                        .map(each -> each.seq())
                        .toList());
    }
}
