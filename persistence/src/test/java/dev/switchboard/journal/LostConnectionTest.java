package dev.switchboard.journal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TcpProxy;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When the database goes away, writes and reads fail, and succeed again when it is back. */
class LostConnectionTest {
    private static final String ID = "conversation|c-lost";

    @Test
    void shouldFailWhileTheDatabaseIsAwayAndWorkWhenItIsBack() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            URI direct = URI.create(database.url().substring("jdbc:".length()));
            try (TcpProxy proxy = new TcpProxy(direct.getPort());
                    TestJournal journal = new TestJournal(
                            database.config("switchboard.database { connect-timeout = 500ms, url = \"jdbc:postgresql://"
                                    + "localhost:" + proxy.port() + direct.getPath() + "\" }"))) {
                assertInstanceOf(Outcome.Written.class, journal.write(ID, 1, Samples.opened("lost", "default")));
                proxy.cut();
                assertInstanceOf(Outcome.Failed.class, journal.write(ID, 2, Samples.message("lost", 1, "away")));
                assertFalse(ping(journal));
                ExecutionException failure = assertThrows(
                        ExecutionException.class,
                        () -> journal.storage
                                .storage()
                                .directory()
                                .conversation("c-lost")
                                .toCompletableFuture()
                                .get(20, TimeUnit.SECONDS));
                assertInstanceOf(StorageUnavailableException.class, failure.getCause());
                proxy.mend();
                await().atMost(60, TimeUnit.SECONDS).until(() -> ping(journal));
                await().atMost(60, TimeUnit.SECONDS)
                        .until(() ->
                                journal.write(ID, 2, Samples.message("lost", 1, "back")) instanceof Outcome.Written);
                assertReplayed(
                        journal, List.of(Samples.opened("lost", "default").customer(), "back"));
                assertTrue(journal.storage.failedReads() > 0);
            }
        }
    }

    /** The failed write had in fact been committed: the same write again is done, and is there once. */
    @Test
    void shouldTakeAsDoneWhatWasCommittedBeforeTheConnectionWasCut() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            URI direct = URI.create(database.url().substring("jdbc:".length()));
            try (TcpProxy proxy = new TcpProxy(direct.getPort());
                    TestJournal journal = new TestJournal(through(proxy, database, "connect-timeout = 500ms"))) {
                assertInstanceOf(Outcome.Written.class, journal.write(ID, 1, Samples.opened("lost", "default")));
                proxy.mute();
                TestJournal.Begun begun =
                        journal.begin(ID, TestJournal.WRITER, 2, Samples.message("lost", 1, "committed"));
                await().atMost(20, TimeUnit.SECONDS).until(() -> rowsOf(database) == 2);
                proxy.cut();
                assertInstanceOf(Outcome.Failed.class, begun.outcome());
                proxy.mend();
                await().atMost(60, TimeUnit.SECONDS)
                        .until(() -> journal.write(ID, 2, Samples.message("lost", 1, "committed"))
                                instanceof Outcome.Written);
                assertEquals(1, journal.storage.writeFigures().view().repeatedWrites());
                assertReplayed(journal, List.of("lost", "committed"));
            }
        }
    }

    /** A database that takes everything and never answers holds a writer no longer than the timeout. */
    @Test
    void shouldGiveUpOnADatabaseThatNeverAnswers() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            URI direct = URI.create(database.url().substring("jdbc:".length()));
            try (TcpProxy proxy = new TcpProxy(direct.getPort());
                    TestJournal journal = new TestJournal(through(
                            proxy, database, "connect-timeout = 500ms, write-timeout = 1s, journal-writers = 1"))) {
                assertInstanceOf(Outcome.Written.class, journal.write(ID, 1, Samples.opened("lost", "default")));
                proxy.mute();
                assertInstanceOf(Outcome.Failed.class, journal.write(ID, 2, Samples.message("lost", 1, "mute")));
                await().atMost(15, TimeUnit.SECONDS)
                        .until(() -> journal.storage.writeFigures().view().underWay() == 0);
            }
        }
    }

    /**
     * The pool tests a connection only when it lay idle for half a second, so a read may still get one that was cut: it
     * fails, as an entity's recovery would before it backs off, and the next one succeeds.
     */
    private static void assertReplayed(TestJournal journal, List<String> expected) {
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertEquals(
                        expected,
                        journal.replay(ID, 1).stream()
                                .map(LostConnectionTest::shown)
                                .toList()));
    }

    private static Config through(TcpProxy proxy, TestDatabase database, String settings) {
        URI direct = URI.create(database.url().substring("jdbc:".length()));
        return database.config("switchboard.database { " + settings + ", url = \"jdbc:postgresql://localhost:"
                + proxy.port() + direct.getPath() + "\" }");
    }

    private static int rowsOf(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery("SELECT count(*) FROM event_journal WHERE persistence_id = '" + ID + "'")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static boolean ping(TestJournal journal) {
        try {
            return journal.storage.ping().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("a ping never fails", e);
        }
    }

    private static String shown(Object event) {
        if (event instanceof dev.switchboard.conversation.ConversationEvent.Opened opened) {
            return opened.customer();
        }
        return ((dev.switchboard.conversation.ConversationEvent.EntryAppended) event)
                .entry()
                .body()
                .text();
    }
}
