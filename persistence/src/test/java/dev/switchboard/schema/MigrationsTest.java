package dev.switchboard.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.directory.SqlStorage;
import dev.switchboard.directory.StorageStartException;
import dev.switchboard.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema is the release's, and a start that finds it so does no more. */
class MigrationsTest {
    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void shouldListEveryScriptOfTheFolder(String folder) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/dev/switchboard/schema", folder))) {
            assertEquals(
                    Migrations.SCRIPTS,
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    void shouldMigrateAgainOnlyWhenTheScriptsAreOthers() throws Exception {
        try (TestDatabase database = TestDatabase.h2()) {
            SqlStorage.open(database.config()).close();
            try (Connection connection = database.connect()) {
                // Flyway would refuse a script that was changed; the digest says that there is nothing to look at.
                connection.createStatement().execute("UPDATE \"schema_history\" SET \"checksum\" = 1");
            }
            SqlStorage.open(database.config()).close();
            try (Connection connection = database.connect()) {
                connection.createStatement().execute("UPDATE meta SET content = 'x' WHERE name = 'schema_digest'");
            }
            String message = assertThrows(StorageStartException.class, () -> SqlStorage.open(database.config()))
                    .getMessage();
            assertTrue(message.contains("can't be brought up to date"), message);
        }
    }
}
