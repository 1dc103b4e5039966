package dev.switchboard.routing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.Status;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.Slot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations, desks and a line together: capacity is exact, and everybody is served. */
class HallTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFillEveryAgentAndLetTheOthersWaitWhenManyOpenAtOnce(boolean auto) {
        try (Hall hall = new Hall(Hall.queue(auto, 1))) {
            List<String> agents = List.of("ann", "ben", "cem", "dee", "eve");
            agents.forEach(agent -> ready(hall, agent, 3));
            List<String> convs = open(hall, 200);
            await().atMost(LIMIT)
                    .until(() ->
                            assigned(hall, convs).size() == 15 && hall.show().length() == 185);
            for (String agent : agents) {
                assertEquals(3, hall.desk(agent).slots().size());
                assertTrue(hall.heldOverTime(agent).stream().allMatch(held -> held <= 3));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNeverExceedCapacityWhileAgentsComeAndGo(boolean auto) {
        try (Hall hall = new Hall(Hall.queue(auto, 1))) {
            List<String> agents = List.of("ann", "ben", "cem", "dee", "eve");
            agents.forEach(agent -> ready(hall, agent, 3));
            List<String> convs = open(hall, 60);
            for (int round = 0; round < 10; round++) {
                String agent = agents.get(round % agents.size());
                if (round % 3 == 0) {
                    hall.choose(agent, Availability.OFFLINE);
                } else if (round % 3 == 1) {
                    hall.disappears(agent);
                } else {
                    hall.choose(agent, Availability.AWAY);
                }
                assigned(hall, convs).stream().limit(3).forEach(hall::closes);
                ready(hall, agent, 3);
            }
            await().atMost(LIMIT).until(() -> {
                assigned(hall, convs).forEach(hall::closes);
                return closed(hall, convs) == convs.size();
            });
            await().atMost(LIMIT)
                    .until(() ->
                            agents.stream().allMatch(a -> hall.desk(a).slots().isEmpty()));
            for (String agent : agents) {
                assertTrue(hall.heldOverTime(agent).stream().allMatch(held -> held <= 3), agent);
            }
        }
    }

    @Test
    void shouldReturnConversationsToTheFrontWhenTheirAgentStaysAway() {
        try (Hall hall = new Hall(Hall.queue(true, 1))) {
            ready(hall, "ann", 2);
            String first = hall.opens("carol");
            await().atMost(LIMIT).until(() -> "ann".equals(owner(hall, first)));
            hall.disappears("ann");
            await().atMost(LIMIT).until(() -> hall.state(first).ownership().status() == Status.WAITING);
            assertTrue(hall.state(first).ownership().ticket().front());
            await().atMost(LIMIT).until(() -> hall.desk("ann").slots().isEmpty());
            ready(hall, "ben", 1);
            await().atMost(LIMIT).until(() -> "ben".equals(owner(hall, first)));
        }
    }

    @Test
    void shouldKeepTheConversationWhenItsAgentComesBackInTime() {
        QueueSettings base = Hall.queue(true, 1);
        try (Hall hall = new Hall(base)) {
            ready(hall, "ann", 2);
            String first = hall.opens("carol");
            await().atMost(LIMIT).until(() -> "ann".equals(owner(hall, first)));
            hall.disappears("ann");
            hall.arrives("ann", conv -> true);
            await().pollDelay(Duration.ofMillis(600)).atMost(LIMIT).until(() -> "ann".equals(owner(hall, first)));
            assertEquals(2, hall.state(first).ownership().epoch());
        }
    }

    @Test
    void shouldOfferToAnotherWhenTheFirstDeclinesAndToTheSameAgainWhenNobodyElseIsThere() {
        try (Hall hall = new Hall(Hall.queue(false, 1))) {
            Map<String, Integer> asked = new HashMap<>();
            hall.profile("ann", 1);
            hall.choose("ann", Availability.AVAILABLE);
            hall.arrives("ann", conv -> asked.merge(conv, 1, Integer::sum) > 2);
            String conv = hall.opens("carol");
            await().atMost(LIMIT).until(() -> "ann".equals(owner(hall, conv)));
            assertEquals(3, asked.get(conv));
        }
    }

    @Test
    void shouldLetOneWinWhenTwoAreOfferedTheSame() {
        try (Hall hall = new Hall(Hall.queue(false, 2))) {
            ready(hall, "ann", 20);
            ready(hall, "ben", 20);
            List<String> convs = open(hall, 20);
            await().atMost(LIMIT).until(() -> assigned(hall, convs).size() == 20);
            await().atMost(LIMIT).until(() -> {
                int held = 0;
                for (String agent : List.of("ann", "ben")) {
                    for (Slot slot : hall.desk(agent).slots().values()) {
                        held += slot.confirmed() && agent.equals(owner(hall, slot.conv())) ? 1 : 1000;
                    }
                }
                return held == 20;
            });
        }
    }

    static void ready(Hall hall, String agent, int capacity) {
        hall.profile(agent, capacity);
        hall.choose(agent, Availability.AVAILABLE);
        hall.arrives(agent, conv -> true);
    }

    static List<String> open(Hall hall, int count) {
        List<String> convs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            convs.add(hall.opens("k" + i));
        }
        return convs;
    }

    static String owner(Hall hall, String conv) {
        ConversationState state = hall.state(conv);
        return state.isOpened() ? state.ownership().owner() : null;
    }

    static List<String> assigned(Hall hall, List<String> convs) {
        return convs.stream().filter(conv -> owner(hall, conv) != null).toList();
    }

    static long closed(Hall hall, List<String> convs) {
        return convs.stream()
                .filter(conv -> hall.state(conv).ownership().status() == Status.CLOSED)
                .count();
    }
}
