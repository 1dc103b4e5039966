package dev.switchboard.directory;

import dev.switchboard.testing.TestDatabase;

/** The contract of bulk retries over this database. */
class PostgresBulkRetriesTest extends BulkRetriesContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }
}
