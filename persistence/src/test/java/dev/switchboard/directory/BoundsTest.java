package dev.switchboard.directory;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What waits for the database is bounded, and who comes beyond the bound is told at once. */
class BoundsTest {
    @Test
    void shouldFailReadsBeyondTheBoundAtOnceAndAnswerTheOthers() throws Exception {
        try (TestDatabase database = TestDatabase.h2();
                SqlStorage storage = SqlStorage.open(database.config())) {
            CountDownLatch held = new CountDownLatch(1);
            try (SqlReader reader =
                    new SqlReader("test", storage.recoveryPool(), 1, 2, "switchboard.database.read-queue")) {
                var running = reader.run(connection -> {
                    awaitLatch(held);
                    return "first";
                });
                await().atMost(20, TimeUnit.SECONDS).until(() -> reader.waiting() == 0);
                var second = reader.run(connection -> "second");
                var third = reader.run(connection -> "third");
                ExecutionException refused = assertThrows(
                        ExecutionException.class,
                        () -> reader.run(connection -> "fourth")
                                .toCompletableFuture()
                                .get(1, TimeUnit.SECONDS));
                assertInstanceOf(StorageUnavailableException.class, refused.getCause());
                assertTrue(refused.getCause().getMessage().contains("switchboard.database.read-queue"));
                assertFalse(running.toCompletableFuture().isDone());
                held.countDown();
                assertEquals("second", second.toCompletableFuture().get(20, TimeUnit.SECONDS));
                assertEquals("third", third.toCompletableFuture().get(20, TimeUnit.SECONDS));
            }
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldFailReadsOfAClosedStorage() throws Exception {
        try (TestDatabase database = TestDatabase.h2()) {
            SqlStorage storage = SqlStorage.open(database.config());
            storage.close();
            ExecutionException refused = assertThrows(
                    ExecutionException.class,
                    () -> storage.storage()
                            .directory()
                            .logId()
                            .toCompletableFuture()
                            .get(1, TimeUnit.SECONDS));
            assertInstanceOf(StorageUnavailableException.class, refused.getCause());
            assertFalse(storage.ping().toCompletableFuture().get(1, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldFailWritesBeyondTheBoundAndWriteTheOthers() throws Exception {
        try (TestDatabase database = TestDatabase.h2();
                TestJournal journal = new TestJournal(
                        database.config("switchboard.database { journal-queue = 5, lock-timeout = 30s }"))) {
            assertInstanceOf(Outcome.Written.class, journal.write("desk|held", 1, Samples.desk(1)));
            TestJournal.Begun first;
            List<TestJournal.Begun> within = new ArrayList<>();
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                connection.createStatement().executeUpdate("UPDATE agent SET held = 7 WHERE agent = 'held'");
                first = journal.begin("desk|held", TestJournal.WRITER, 2, Samples.desk(2));
                await().atMost(20, TimeUnit.SECONDS)
                        .until(() -> journal.storage.writeFigures().view().underWay() == 1);
                for (int i = 0; i < 5; i++) {
                    within.add(journal.begin("desk|within-" + i, TestJournal.WRITER, 1, Samples.desk(1)));
                }
                await().atMost(20, TimeUnit.SECONDS)
                        .until(() -> journal.storage.writeFigures().view().waiting() == 5);
                Outcome beyond = journal.write("desk|beyond", 1, Samples.desk(1));
                assertTrue(assertInstanceOf(Outcome.Failed.class, beyond)
                        .cause()
                        .getMessage()
                        .contains("switchboard.database.journal-queue"));
                connection.rollback();
            }
            assertInstanceOf(Outcome.Written.class, first.outcome());
            for (TestJournal.Begun begun : within) {
                assertInstanceOf(Outcome.Written.class, begun.outcome());
            }
            assertEquals(List.of(), journal.replay("desk|beyond", 1));
        }
    }
}
