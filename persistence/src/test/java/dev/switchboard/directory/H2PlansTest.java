package dev.switchboard.directory;

import dev.switchboard.testing.TestDatabase;

class H2PlansTest extends PlansContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }

    @Override
    int conversations() {
        return 30_000;
    }

    @Override
    String numbers(int count) {
        return "(SELECT X AS n FROM SYSTEM_RANGE(1, " + count + ")) AS numbers";
    }
}
