package dev.switchboard.journal;

import static dev.switchboard.testing.Stages.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.directory.SqlReader;
import dev.switchboard.serialization.EventCodec;
import dev.switchboard.testing.ExplainedReads;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.Sink;
import org.junit.jupiter.api.Test;

/** A conversation of 10 000 entries recovers from what lies after its snapshot, and touches nothing else. */
abstract class RecoveryReadsContractTest {
    private static final int ENTRIES = 10_000;
    private static final int TAIL = 37;
    private static final String ID = "conversation|c-long";

    abstract TestDatabase newDatabase();

    /** A table with the numbers from 1 to so many. */
    abstract String numbers(int count);

    @Test
    void shouldTouchTheTailAlone() throws Exception {
        try (TestDatabase database = newDatabase();
                TestJournal opened = new TestJournal(database.config())) {
            fill(database);
            ExplainedReads explained = new ExplainedReads(database);
            try (SqlReader reads = new SqlReader("explained", explained.pool(), 1, 10, "here")) {
                JournalReader journal = new JournalReader(reads, SerializationExtension.get(opened.system));
                assertEquals(ENTRIES, get(journal.highest(ID)));
                assertTouches(explained, 2);
                List<?> events = get(journal.events(ID, ENTRIES - TAIL + 1, ENTRIES, 400)
                        .runWith(
                                Sink.seq(),
                                SystemMaterializer.get(opened.system).materializer()));
                assertEquals(TAIL, events.size());
                assertTouches(explained, TAIL + 1);
            }
        }
    }

    private static void assertTouches(ExplainedReads explained, long bound) {
        String plan = explained.plan();
        assertFalse(explained.readsATableThrough(plan), plan);
        assertTrue(explained.rows(plan) > 0 && explained.rows(plan) <= bound, plan);
    }

    private void fill(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                Statement plain = connection.createStatement();
                PreparedStatement events = connection.prepareStatement("INSERT INTO event_journal (persistence_id,"
                        + " sequence_number, deleted, writer, write_timestamp, adapter_manifest, event_payload,"
                        + " event_ser_id, event_ser_manifest) SELECT CASE WHEN n > " + ENTRIES
                        + " THEN 'conversation|c-' || n ELSE '" + ID
                        + "' END, n, FALSE, 'w', 0, '', ?, 53401, 'c.marks:1'"
                        + " FROM " + numbers(2 * ENTRIES))) {
            events.setBytes(1, new EventCodec().write(Samples.marks()));
            events.executeUpdate();
            plain.execute("ANALYZE");
        }
    }
}
