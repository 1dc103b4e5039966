package dev.switchboard.journal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TcpProxy;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.net.URI;
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
                assertEquals(
                        List.of(Samples.opened("lost", "default").customer(), "back"),
                        journal.replay(ID, 1).stream()
                                .map(LostConnectionTest::shown)
                                .toList());
                assertTrue(journal.storage.failedReads() > 0);
            }
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
