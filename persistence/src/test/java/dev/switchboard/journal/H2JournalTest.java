package dev.switchboard.journal;

import dev.switchboard.testing.TestDatabase;

/** The journal's contract over this database. */
class H2JournalTest extends JournalContractTest {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.h2();
    }
}
