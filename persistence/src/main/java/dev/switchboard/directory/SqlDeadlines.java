package dev.switchboard.directory;

import dev.switchboard.ports.Deadlines;
import dev.switchboard.ports.EntityKind;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The deadline rows by JDBC. Thread-safe; never blocks the caller. */
final class SqlDeadlines implements Deadlines {
    private final SqlReader reader;

    SqlDeadlines(SqlReader reader) {
        this.reader = reader;
    }

    @Override
    public CompletionStage<List<Due>> due(Instant now, int limit) {
        return reader.run(connection -> Query.of(
                        "SELECT entity, id, due_us FROM deadline WHERE due_us <= ? ORDER BY due_us, entity, id LIMIT ?")
                .with(Micros.of(now))
                .with(limit)
                .all(
                        connection,
                        row -> new Due(
                                EntityKind.ofStoredName(row.getString(1)),
                                row.getString(2),
                                Micros.toInstant(row.getLong(3)))));
    }
}
