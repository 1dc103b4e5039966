package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

class PostgresRecoveryReadsTest extends RecoveryReadsContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }

    @Override
    String numbers(int count) {
        return "generate_series(1, " + count + ") AS n";
    }
}
