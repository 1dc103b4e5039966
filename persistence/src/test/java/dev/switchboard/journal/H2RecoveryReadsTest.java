package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

class H2RecoveryReadsTest extends RecoveryReadsContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }

    @Override
    String numbers(int count) {
        return "(SELECT X AS n FROM SYSTEM_RANGE(1, " + count + ")) AS numbers";
    }
}
