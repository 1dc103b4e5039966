package dev.switchboard.routing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.OfferId;
import dev.switchboard.desk.DeskCommand;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each step between the actors is lost once for every conversation or desk, and then also with the end of either side
 * at that moment. Nothing may come of it but time: capacity is never exceeded, no slot is held for ever, nobody waits
 * for ever.
 */
class LostStepsTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final List<String> AGENTS = List.of("ann", "ben");

    static Stream<Class<?>> steps() {
        return Stream.of(
                LineCommand.Enqueue.class,
                LineCommand.Leave.class,
                LineCommand.Reserved.class,
                LineCommand.NotReserved.class,
                LineCommand.DeskOpen.class,
                LineCommand.DeskClosed.class,
                DeskCommand.Reserve.class,
                DeskCommand.OfferOpen.class,
                DeskCommand.Confirm.class,
                DeskCommand.Release.class,
                DeskCommand.Announced.class,
                ConversationCommand.OfferSlot.class,
                ConversationCommand.SlotQuery.class,
                ConversationCommand.DeskAcked.class,
                ConversationCommand.LineAcked.class,
                ConversationCommand.OwnerGone.class,
                ConversationCommand.Accept.class);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void shouldServeEverybodyWhenEachStepIsLostOnce(Class<?> step) {
        try (Hall hall = new Hall(Hall.queue(false, 1))) {
            Set<String> once = ConcurrentHashMap.newKeySet();
            hall.lose(message -> step.isInstance(message) && once.add(keyOf(message)));
            serveEverybody(hall, () -> {});
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void shouldServeEverybodyWhenEachStepIsLostOnceAndItsSidesEnd(Class<?> step) {
        try (Hall hall = new Hall(Hall.queue(true, 1))) {
            Set<String> once = ConcurrentHashMap.newKeySet();
            hall.lose(message -> step.isInstance(message) && once.size() < 4 && once.add(keyOf(message)));
            int[] crashed = new int[1];
            serveEverybody(hall, () -> {
                // As many ends as losses, of every actor that the lost steps can concern.
                while (crashed[0] < once.size()) {
                    crashed[0]++;
                    AGENTS.forEach(agent -> hall.crash("desk", agent));
                    hall.crash("line", Hall.QUEUE);
                    hall.conversations().forEach(conv -> hall.crash("conversation", conv));
                }
                hall.sweep();
            });
        }
    }

    private static void serveEverybody(Hall hall, Runnable meanwhile) {
        AGENTS.forEach(agent -> HallTest.ready(hall, agent, 2));
        List<String> convs = HallTest.open(hall, 8);
        // One of the agents leaves in the middle, so that returns are lost as well.
        await().atMost(LIMIT).until(() -> {
            meanwhile.run();
            return HallTest.assigned(hall, convs).size() == 4;
        });
        hall.disappears("ben");
        await().atMost(LIMIT).until(() -> {
            meanwhile.run();
            return hall.desk("ben").slots().isEmpty();
        });
        hall.arrives("ben", conv -> true);
        await().atMost(LIMIT).until(() -> {
            meanwhile.run();
            HallTest.assigned(hall, convs).forEach(hall::closes);
            return HallTest.closed(hall, convs) == convs.size();
        });
        await().atMost(LIMIT).until(() -> {
            meanwhile.run();
            return AGENTS.stream().allMatch(agent -> hall.desk(agent).slots().isEmpty())
                    && hall.show().length() == 0;
        });
        for (String agent : AGENTS) {
            assertTrue(hall.heldOverTime(agent).stream().allMatch(held -> held <= 2), agent);
            assertFalse(hall.heldOverTime(agent).isEmpty());
        }
    }

    /** Once for each conversation and agent that a step concerns. */
    private static String keyOf(Object message) {
        if (message instanceof LineCommand.Enqueue m) {
            return m.conv() + m.ticket().epoch();
        } else if (message instanceof LineCommand.Leave m) {
            return m.conv() + m.epoch();
        } else if (message instanceof LineCommand.Reserved m) {
            return m.conv() + m.epoch();
        } else if (message instanceof LineCommand.NotReserved m) {
            return m.conv() + m.epoch();
        } else if (message instanceof LineCommand.DeskOpen m) {
            return m.agent() + m.free();
        } else if (message instanceof LineCommand.DeskClosed m) {
            return m.agent() + m.reason();
        } else if (message instanceof DeskCommand.Reserve m) {
            return m.conv() + m.epoch();
        } else if (message instanceof DeskCommand.OfferOpen m) {
            return m.offer();
        } else if (message instanceof DeskCommand.Confirm m) {
            return m.conv() + m.epoch();
        } else if (message instanceof DeskCommand.Release m) {
            return m.conv() + m.epoch();
        } else if (message instanceof ConversationCommand.OfferSlot m) {
            return m.offer();
        } else if (message instanceof ConversationCommand.SlotQuery m) {
            return m.offer();
        } else if (message instanceof ConversationCommand.DeskAcked m) {
            return m.agent() + m.epoch();
        } else if (message instanceof ConversationCommand.OwnerGone m) {
            return m.agent() + m.epoch();
        } else if (message instanceof ConversationCommand.Accept m) {
            return OfferId.parse(m.offer()).orElseThrow().conv();
        }
        return message.getClass().getName();
    }
}
