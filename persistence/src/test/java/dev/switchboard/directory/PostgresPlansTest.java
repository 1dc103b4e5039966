package dev.switchboard.directory;

import dev.switchboard.testing.TestDatabase;

class PostgresPlansTest extends PlansContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }

    @Override
    int conversations() {
        return 200_000;
    }

    @Override
    String numbers(int count) {
        return "generate_series(1, " + count + ") AS n";
    }
}
