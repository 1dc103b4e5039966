package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

/** A persistent actor over this database. */
class H2BehaviorTest extends BehaviorContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }
}
