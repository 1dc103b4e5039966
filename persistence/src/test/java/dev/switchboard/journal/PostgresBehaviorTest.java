package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

/** A persistent actor over this database. */
class PostgresBehaviorTest extends BehaviorContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }
}
