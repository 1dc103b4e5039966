package dev.switchboard.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A number that somebody else has given fails its own session, and none of the thousand that write with it. */
abstract class ConflictContractTest {
    private static final int SESSIONS = 1000;
    private static final int EVENTS = 5;
    private static final int CONFLICT = 4;

    abstract TestDatabase newDatabase();

    @Test
    void shouldFailExactlyTheSessionWhoseKeyIsTaken() throws Exception {
        try (TestDatabase database = newDatabase();
                TestJournal journal = new TestJournal(database.config())) {
            String victim = id(SESSIONS / 2);
            List<String> failed = new ArrayList<>();
            for (int number = 1; number <= EVENTS; number++) {
                if (number == CONFLICT) {
                    // As a node would that was thought dead: another writer, the same number.
                    journal.writeBy("another", victim, number, Samples.desk(99));
                }
                Map<String, TestJournal.Begun> writes = new LinkedHashMap<>();
                for (int session = 0; session <= SESSIONS; session++) {
                    if (!failed.contains(id(session))) {
                        writes.put(
                                id(session),
                                journal.begin(id(session), TestJournal.WRITER, number, Samples.desk(number)));
                    }
                }
                for (Map.Entry<String, TestJournal.Begun> write : writes.entrySet()) {
                    if (!(write.getValue().outcome() instanceof Outcome.Written)) {
                        failed.add(write.getKey());
                    }
                }
            }
            assertEquals(List.of(victim), failed);
            assertEquals(SESSIONS * EVENTS + CONFLICT, rows(database));
            assertEquals(Samples.desk(99), journal.replay(victim, CONFLICT).get(0));
        }
    }

    private static String id(int session) {
        return "desk|session-" + session;
    }

    private static long rows(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                ResultSet count = connection.createStatement().executeQuery("SELECT count(*) FROM event_journal")) {
            count.next();
            return count.getLong(1);
        }
    }
}
