package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

class H2ConflictTest extends ConflictContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }
}
