package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

class PostgresJournalSpecificationTest extends JournalSpecificationTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }
}
