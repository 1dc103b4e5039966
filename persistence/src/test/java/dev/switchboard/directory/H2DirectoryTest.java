package dev.switchboard.directory;

import dev.switchboard.testing.TestDatabase;

/** The directory's contract over this database. */
class H2DirectoryTest extends DirectoryContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }
}
