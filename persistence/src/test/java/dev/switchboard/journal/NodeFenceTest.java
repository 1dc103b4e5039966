package dev.switchboard.journal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.directory.NodeFence;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.Stages;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.persistence.journal.Tagged;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that was thought dead can't write any more, and those that go on know when. */
class NodeFenceTest {
    private static final String ID = "conversation|c-fenced";

    private TestDatabase database;
    private TestJournal lost;
    private TestJournal survivor;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
        lost = new TestJournal(database.config("switchboard.database.lock-timeout = 20s"));
        survivor = new TestJournal(database.config("switchboard.database.lock-timeout = 20s"));
        Stages.get(lost.storage.fence().enter("lost"));
        Stages.get(survivor.storage.fence().enter("survivor"));
    }

    @AfterEach
    void close() {
        lost.close();
        survivor.close();
        database.close();
    }

    @Test
    void shouldFailEveryKindOfWriteOfABarredNode() throws SQLException {
        assertInstanceOf(Outcome.Written.class, lost.write(ID, 1, Samples.opened("fenced", "default")));

        assertEquals(List.of("lost"), Stages.get(survivor.storage.fence().barAllBut(Set.of("survivor"))));

        assertInstanceOf(Outcome.Failed.class, lost.write(ID, 2, Samples.message("fenced", 1, "too late")));
        assertInstanceOf(Outcome.Failed.class, lost.write("other", 1, new Tagged("too late", Set.of("red"))));
        assertInstanceOf(
                Outcome.Failed.class, lost.write("conversation|c-new", 1, Samples.opened("new-one", "default")));
        assertEquals(1, count("event_journal"));
        // The directory's rows go with the batch.
        assertEquals(1, count("conversation"));
        assertTrue(lost.storage.fence().whenBarred().toCompletableFuture().isDone());
        assertInstanceOf(
                Outcome.Written.class,
                survivor.writeBy("writer-2", ID, 2, Samples.message("fenced", 1, "in its place")));
        assertFalse(survivor.storage.fence().whenBarred().toCompletableFuture().isDone());
    }

    /** Whoever recovers after the bar must find all that the lost node has been told is written. */
    @Test
    void shouldBarOnlyAfterABatchThatIsUnderWay() throws SQLException {
        CompletableFuture<List<String>> barring;
        try (Connection batch = database.connect()) {
            batch.setAutoCommit(false);
            batch.createStatement().execute("SELECT require_node('lost')");
            barring = survivor.storage.fence().barAllBut(Set.of("survivor")).toCompletableFuture();
            await().atMost(20, TimeUnit.SECONDS).until(() -> count("pg_locks WHERE NOT granted") > 0);
            assertFalse(barring.isDone());
            batch.commit();
        }
        assertEquals(List.of("lost"), Stages.get(barring));
    }

    @Test
    void shouldTellANodeThatItWasBarred() {
        NodeFence fence = lost.storage.fence();
        assertTrue(Stages.get(fence.stillOpen()));
        assertFalse(fence.whenBarred().toCompletableFuture().isDone());

        Stages.get(survivor.storage.fence().barAllBut(Set.of("survivor")));

        assertFalse(Stages.get(fence.stillOpen()));
        assertTrue(fence.whenBarred().toCompletableFuture().isDone());
    }

    @Test
    void shouldBarNobodyTwiceAndNobodyWhoIsPresent() {
        assertEquals(List.of(), Stages.get(survivor.storage.fence().barAllBut(Set.of("survivor", "lost"))));
        assertEquals(List.of("lost"), Stages.get(survivor.storage.fence().barAllBut(Set.of("survivor"))));
        assertEquals(List.of(), Stages.get(survivor.storage.fence().barAllBut(Set.of("survivor"))));
    }

    @Test
    void shouldLeaveNoRowBehindWhenANodeEndsInOrder() throws SQLException {
        lost.close();
        assertEquals(1, count("node_fence"));
    }

    private int count(String from) throws SQLException {
        try (Connection connection = database.connect();
                ResultSet rows = connection.createStatement().executeQuery("SELECT count(*) FROM " + from)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
