package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

/** The journal's contract over this database. */
class PostgresJournalTest extends JournalContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgresql();
    }
}
