package dev.switchboard.directory;

import dev.switchboard.testing.TestDatabase;

/** The directory's contract over this database. */
class PostgresDirectoryTest extends DirectoryContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }
}
