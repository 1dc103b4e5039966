package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.Traces;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;

/** Erasure on PostgreSQL: dead rows go with a full vacuum, and its pages reach the files with a checkpoint. */
class PostgresErasureTest extends ErasureContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }

    @Override
    List<?> filesWithTextAfterCleaning(TestDatabase database, String text) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM FULL event_journal");
            statement.execute("VACUUM FULL snapshot");
            statement.execute("VACUUM FULL dead_letter");
            statement.execute("CHECKPOINT");
            try (ResultSet row = statement.executeQuery("SELECT current_setting('data_directory') || '/base/' || oid"
                    + " FROM pg_database WHERE datname = current_database()")) {
                row.next();
                return Traces.inFiles(Path.of(row.getString(1)), text);
            }
        }
    }
}
