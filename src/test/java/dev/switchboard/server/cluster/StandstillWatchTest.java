package dev.switchboard.server.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a node that stood still may speak again. */
class StandstillWatchTest {
    private final AtomicLong now = new AtomicLong();
    private final Deque<CompletableFuture<Boolean>> questions = new ArrayDeque<>();
    private final StandstillWatch watch = new StandstillWatch(this::ask, Duration.ofSeconds(3), now::get);

    private CompletableFuture<Boolean> ask() {
        questions.add(new CompletableFuture<>());
        return questions.getLast();
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void shouldHoldAndAskNobodyWhileItTicks() {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofMillis(2900));
            assertTrue(watch.holds());
            watch.tick();
        }
        assertEquals(0, questions.size());
    }

    @Test
    void shouldNotHoldFromTheFirstMomentAfterAStandstill() {
        pass(Duration.ofMillis(3001));
        assertFalse(watch.holds());
    }

    @Test
    void shouldHoldAgainOnlyWhenTheDatabaseHasSaidSo() {
        pass(Duration.ofSeconds(60));
        watch.tick();
        assertFalse(watch.holds());
        questions.getLast().completeExceptionally(new IllegalStateException("out of reach"));
        assertFalse(watch.holds());
        watch.tick();
        assertEquals(2, questions.size());
        questions.getLast().complete(true);
        assertTrue(watch.holds());
        watch.tick();
        assertEquals(2, questions.size());
    }

    @Test
    void shouldNeverHoldAgainWhenItWasReplaced() {
        pass(Duration.ofSeconds(60));
        watch.tick();
        questions.getLast().complete(false);
        pass(Duration.ofMillis(300));
        watch.tick();
        assertFalse(watch.holds());
    }
}
