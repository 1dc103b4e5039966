package dev.switchboard.routing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A tenth of everything that actors tell each other is lost, and actors end at random, while conversations are opened,
 * served and closed. When the losses stop, everybody has been served or is, and every slot is free.
 */
class ChaosTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int CAPACITY = 2;
    private static final List<String> AGENTS = List.of("ann", "ben", "cem");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldNeitherExceedCapacityNorForgetAnybodyWhenMessagesAndActorsAreLostAtRandom(long seed) {
        Random random = new Random(seed);
        AtomicBoolean rough = new AtomicBoolean(true);
        try (Hall hall = new Hall(Hall.queue(seed % 2 == 0, (int) (1 + seed / 3)))) {
            AGENTS.forEach(agent -> HallTest.ready(hall, agent, CAPACITY));
            hall.lose(message -> {
                synchronized (random) {
                    return rough.get() && random.nextInt(10) == 0;
                }
            });
            List<String> convs = HallTest.open(hall, 30);
            for (int round = 0; round < 12; round++) {
                HallTest.assigned(hall, convs).stream().limit(2).forEach(hall::closes);
                switch (round % 4) {
                    case 0 -> hall.crash("line", Hall.QUEUE);
                    case 1 -> hall.crash("desk", AGENTS.get(round % AGENTS.size()));
                    case 2 -> hall.crash("conversation", convs.get(random.nextInt(convs.size())));
                    default -> hall.sweep();
                }
            }
            rough.set(false);
            await().atMost(LIMIT).until(() -> {
                hall.sweep();
                HallTest.assigned(hall, convs).forEach(hall::closes);
                return HallTest.closed(hall, convs) == convs.size();
            });
            await().atMost(LIMIT).until(() -> {
                hall.sweep();
                return AGENTS.stream()
                                .allMatch(agent -> hall.desk(agent).slots().isEmpty())
                        && hall.show().length() == 0;
            });
            for (String agent : AGENTS) {
                assertTrue(hall.heldOverTime(agent).stream().allMatch(held -> held <= CAPACITY), agent);
            }
        }
    }
}
