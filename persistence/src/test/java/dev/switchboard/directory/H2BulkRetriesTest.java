package dev.switchboard.directory;

import dev.switchboard.testing.TestDatabase;

/** The contract of bulk retries over this database. */
class H2BulkRetriesTest extends BulkRetriesContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }
}
