package dev.switchboard.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every strategy, and what each is for. */
class RoutingStrategyTest {
    private static final Instant T0 = Instant.parse("2026-01-05T09:00:00Z");

    static Stream<RoutingStrategy> all() {
        return RoutingStrategy.ALL.stream();
    }

    private static FreeDesk desk(String agent, int held, int capacity, int asked, int idleSeconds, long turn) {
        return new FreeDesk(
                agent, capacity - held, held, capacity, asked, Set.of(), T0.minusSeconds(idleSeconds), turn);
    }

    private static String first(RoutingStrategy strategy, FreeDesk... desks) {
        return Stream.of(desks)
                .min(strategy.thenComparing(FreeDesk::agent))
                .orElseThrow()
                .agent();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldBeFoundByItsName(RoutingStrategy strategy) {
        assertEquals(strategy, RoutingStrategy.ofName(strategy.name()).orElseThrow());
    }

    @Test
    void shouldKnowNoOtherName() {
        assertTrue(RoutingStrategy.ofName("random").isEmpty());
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldBeATotalOrder(RoutingStrategy strategy) {
        Random random = new Random(7);
        List<FreeDesk> desks = IntStream.range(0, 60)
                .mapToObj(i -> desk(
                        "a" + i,
                        random.nextInt(3),
                        3 + random.nextInt(3),
                        random.nextInt(2),
                        random.nextInt(5),
                        random.nextInt(5)))
                .toList();
        Comparator<FreeDesk> order = strategy.thenComparing(FreeDesk::agent);
        for (FreeDesk a : desks) {
            for (FreeDesk b : desks) {
                assertEquals(Integer.signum(order.compare(a, b)), -Integer.signum(order.compare(b, a)));
                for (FreeDesk c : desks) {
                    if (order.compare(a, b) < 0 && order.compare(b, c) < 0) {
                        assertTrue(order.compare(a, c) < 0);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldSayWhyInTheRestOfASentence(RoutingStrategy strategy) {
        String reason = strategy.reason(desk("ann", 1, 3, 0, 1, 1));
        assertFalse(reason.isBlank());
        assertFalse(reason.endsWith("."));
    }

    @Test
    void shouldPreferTheLongestIdle() {
        assertEquals("ben", first(new LongestIdle(), desk("ann", 0, 3, 0, 5, 0), desk("ben", 2, 3, 0, 6, 0)));
    }

    @Test
    void shouldCountWhatIsBeingAskedAsAnEndOfIdleness() {
        assertEquals("ann", first(new LongestIdle(), desk("ann", 0, 3, 0, 5, 0), desk("ben", 0, 3, 1, 6, 0)));
    }

    @Test
    void shouldPreferTheLowestShareOfCapacity() {
        assertEquals("ben", first(new LeastLoaded(), desk("ann", 1, 3, 0, 9, 0), desk("ben", 2, 10, 0, 1, 0)));
        assertEquals("ann", first(new LeastLoaded(), desk("ann", 1, 3, 0, 9, 0), desk("ben", 2, 10, 2, 1, 0)));
    }

    @Test
    void shouldGoRoundInTurn() {
        assertEquals("ben", first(new RoundRobin(), desk("ann", 0, 3, 0, 9, 4), desk("ben", 2, 3, 0, 1, 2)));
    }
}
