package dev.switchboard.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.ports.Deadlines;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.StorageUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The sweeper wakes what is due, at its pace, and bears a database that is down. */
class DeadlineSweeperTest {
    private static final Instant T0 = Instant.parse("2026-01-05T09:00:00Z");
    private static final Duration QUIET = Duration.ofMillis(100);

    private final ActorTestKit kit = ActorTestKit.create(ManualTime.config());
    private final ManualTime time = ManualTime.get(kit.system());
    private final TestProbe<Object> woken = kit.createTestProbe();
    private final TestProbe<Object> asked = kit.createTestProbe();
    private final List<Deadlines.Due> rows = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private Instant now = T0;

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
    }

    private void start(int atOnce) {
        Peers peers = new Peers() {
            @Override
            public void conversation(String conv, ConversationCommand command) {
                woken.ref().tell("conversation " + conv + " " + ((ConversationCommand.WakeUp) command).due());
            }

            @Override
            public void desk(String agent, DeskCommand command) {
                woken.ref().tell("desk " + agent + " " + ((DeskCommand.WakeUp) command).due());
            }

            @Override
            public void line(String queue, LineCommand command) {
                woken.ref().tell("line " + queue);
            }
        };
        Deadlines deadlines = (at, limit) -> {
            asked.ref().tell(limit);
            return failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0
                    ? CompletableFuture.failedFuture(new StorageUnavailableException("broken by the test", null))
                    : CompletableFuture.completedFuture(rows.stream()
                            .filter(row -> !row.at().isAfter(at))
                            .limit(limit)
                            .toList());
        };
        kit.spawn(DeadlineSweeper.create(
                peers,
                new OneQueueDirectory(),
                deadlines,
                new SweeperSettings(
                        Duration.ofSeconds(1), atOnce, Duration.ofSeconds(10), Duration.ofSeconds(30), () -> now)));
        woken.expectMessage("line default");
    }

    private void pass(Duration duration) {
        now = now.plus(duration);
        time.timePasses(duration);
    }

    /** Time passes, and the sweeper has looked. */
    private void passAndLook(Duration duration) {
        pass(duration);
        asked.receiveMessage();
    }

    @Test
    void shouldWakeWhatIsDueAndNothingElse() {
        rows.add(new Deadlines.Due(EntityKind.CONVERSATION, "c-carol", T0));
        rows.add(new Deadlines.Due(EntityKind.DESK, "ann", T0.minusSeconds(1)));
        rows.add(new Deadlines.Due(EntityKind.DESK, "ben", T0.plusSeconds(5)));
        start(100);
        woken.expectMessage("conversation c-carol " + T0);
        woken.expectMessage("desk ann " + T0.minusSeconds(1));
        woken.expectNoMessage(QUIET);
    }

    @Test
    void shouldLeaveAnEntityTimeToMoveItsRowAndThenWakeItAgain() {
        rows.add(new Deadlines.Due(EntityKind.DESK, "ann", T0));
        start(100);
        woken.expectMessage("desk ann " + T0);
        asked.receiveMessage();
        for (int i = 0; i < 9; i++) {
            passAndLook(Duration.ofSeconds(1));
        }
        woken.expectNoMessage(QUIET);
        passAndLook(Duration.ofSeconds(1));
        woken.expectMessage("desk ann " + T0);
    }

    @Test
    void shouldWakeNoMoreThanItsPaceAndNotBeHeldUpByThoseItHasWoken() {
        for (int i = 0; i < 5; i++) {
            rows.add(new Deadlines.Due(EntityKind.DESK, "a" + i, T0));
        }
        start(2);
        woken.expectMessage("desk a0 " + T0);
        woken.expectMessage("desk a1 " + T0);
        woken.expectNoMessage(QUIET);
        asked.expectMessage(2);
        // Both rows are still there: the next look is wider.
        passAndLook(Duration.ofSeconds(1));
        passAndLook(Duration.ofSeconds(1));
        woken.expectMessage("desk a2 " + T0);
        woken.expectMessage("desk a3 " + T0);
        woken.expectNoMessage(QUIET);
    }

    @Test
    void shouldAskAgainLaterAndLaterWhileTheDatabaseIsDown() {
        rows.add(new Deadlines.Due(EntityKind.DESK, "ann", T0));
        failures.set(3);
        start(100);
        asked.receiveMessage();
        passAndLook(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(1));
        asked.expectNoMessage(QUIET);
        passAndLook(Duration.ofSeconds(1));
        passAndLook(Duration.ofSeconds(4));
        woken.expectMessage("desk ann " + T0);
    }

    @Test
    void shouldMakeSureFromTimeToTimeThatLinesRun() {
        start(100);
        pass(Duration.ofSeconds(30));
        woken.expectMessage("line default");
        assertEquals(0, rows.size());
    }

    /** Somebody waits in {@code default}. */
    private static final class OneQueueDirectory extends StubDirectory {
        @Override
        public java.util.concurrent.CompletionStage<Set<String>> waitingQueues() {
            return CompletableFuture.completedFuture(Set.of("default"));
        }
    }
}
