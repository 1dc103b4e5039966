package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

class PostgresConflictTest extends ConflictContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }
}
