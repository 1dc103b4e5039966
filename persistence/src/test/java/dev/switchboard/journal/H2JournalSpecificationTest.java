package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

class H2JournalSpecificationTest extends JournalSpecificationTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }
}
