package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.Traces;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;

/** Erasure on H2: the file is rewritten by SHUTDOWN COMPACT. */
class H2ErasureTest extends ErasureContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }

    @Override
    List<?> filesWithTextAfterCleaning(TestDatabase database, String text) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN COMPACT");
        }
        String file = database.url().substring("jdbc:h2:file:".length());
        return Traces.inFiles(Path.of(file).getParent(), text);
    }
}
