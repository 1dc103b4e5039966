package dev.switchboard.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.testing.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators did is kept, and one operation runs at a time. */
class OperationRowsTest {
    private static final Instant BEGUN = Instant.parse("2026-01-02T03:04:05.678901Z");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepWhoDidWhatAndLetOneRunAtATime(boolean h2) throws Exception {
        try (TestDatabase database = h2 ? TestDatabase.h2() : TestDatabase.postgresql();
                SqlStorage storage = SqlStorage.open(database.config())) {
            OperationRows rows = storage.operations();
            assertTrue(get(rows.add(row("plan-1", false, BEGUN))));
            assertTrue(get(rows.add(row("plan-2", false, BEGUN))), "any number needs no running");
            assertTrue(get(rows.add(row("move-1", true, BEGUN.plusSeconds(1)))));
            assertFalse(get(rows.add(row("move-2", true, BEGUN.plusSeconds(2)))), "one runs at a time");
            assertEquals(Optional.empty(), get(rows.find("move-2")));
            assertEquals(Optional.of(row("move-1", true, BEGUN.plusSeconds(1))), get(rows.running()));

            assertTrue(get(rows.stop("operator:olga")));
            assertEquals("operator:olga", get(rows.find("move-1")).orElseThrow().toStop());
            assertTrue(get(rows.change("move-1", "running", Optional.empty(), "{\"done\":1}")));
            Instant end = BEGUN.plusSeconds(60);
            assertTrue(get(rows.change("move-1", "stopped", Optional.of(end), "{\"done\":2}")));
            assertFalse(get(rows.change("move-1", "done", Optional.of(end), "{}")), "what has ended stays as it is");
            assertFalse(get(rows.stop("operator:olga")));

            OperationRows.Row ended = get(rows.find("move-1")).orElseThrow();
            assertEquals("stopped", ended.status());
            assertEquals(Optional.of(end), ended.ended());
            assertEquals("{\"done\":2}", ended.content());
            assertTrue(get(rows.add(row("move-3", true, BEGUN.plusSeconds(3)))));
            assertEquals(
                    List.of("move-3", "move-1", "plan-2"),
                    get(rows.newest(3)).stream().map(OperationRows.Row::id).toList());
        }
    }

    private static OperationRows.Row row(String id, boolean running, Instant begun) {
        return new OperationRows.Row(
                id,
                id.substring(0, 4),
                "operator:olga",
                begun,
                "127.0.0.1:1",
                running ? "running" : "planned",
                running,
                "",
                Optional.empty(),
                "{}");
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
