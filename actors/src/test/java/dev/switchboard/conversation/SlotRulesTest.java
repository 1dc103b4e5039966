package dev.switchboard.conversation;

import static dev.switchboard.conversation.Given.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationCommand.OfferSlot;
import dev.switchboard.conversation.ConversationCommand.OwnerGone;
import dev.switchboard.conversation.ConversationCommand.SlotQuery;
import dev.switchboard.conversation.SlotRules.Answer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table in {@link SlotRules}, cell by cell. The desk is alice's; the reservation's offer is offer 1 of epoch 1. */
class SlotRulesTest {
    private static final SlotRules RULES = new SlotRules(Given.RULES.transitions());
    private static final String OFFER = Given.offer(1, "alice");

    static Stream<Arguments> cells() {
        return Stream.of(
                        "unopened offer release",
                        "waiting offer OFFERED",
                        "waiting auto ASSIGNED",
                        "offered offer still-open",
                        "ended offer release",
                        "assigned offer confirm",
                        "others offer release",
                        "closed offer release",
                        "unopened query release",
                        "waiting query barred",
                        "offered query still-open",
                        "offered late-query timeout",
                        "offered withdraw withdrawn",
                        "ended query release",
                        "assigned query confirm",
                        "others query release",
                        "closed query release",
                        "unopened gone release",
                        "waiting gone release",
                        "assigned gone WAITING",
                        "assigned old-gone confirm",
                        "others gone release",
                        "closed gone release")
                .map(cell -> Arguments.of((Object[]) cell.split(" ")));
    }

    @ParameterizedTest(name = "{0}: {1} -> {2}")
    @MethodSource("cells")
    void shouldAnswerTheDeskAsTheCellSays(String state, String step, String answer) {
        assertEquals(answer, word(state(state), answer(state(state), step)));
    }

    private static ConversationState state(String name) {
        return switch (name) {
            case "unopened" -> ConversationState.EMPTY;
            case "waiting" -> Given.waiting();
            case "offered" -> Given.offered(Given.waiting(), "alice");
            case "ended" -> {
                ConversationState offered = Given.offered(Given.waiting(), "alice");
                yield offered.apply(Given.RULES.transitions().offerEnded(offered, OFFER, "alice", "declined", T0));
            }
            case "assigned" -> Given.assigned();
            case "others" -> {
                ConversationState offered = Given.offered(Given.waiting(), "bob");
                yield Given.after(
                        offered,
                        Given.RULES.accept(
                                offered,
                                Given.BOB,
                                OfferId.parse(Given.offer(1, "bob")).orElseThrow(),
                                T0));
            }
            case "closed" -> Given.closed();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static Answer answer(ConversationState state, String step) {
        return switch (step) {
            case "offer" -> RULES.offerSlot(state, offerSlot(false), T0);
            case "auto" -> RULES.offerSlot(state, offerSlot(true), T0);
            case "query" -> RULES.slotQuery(state, new SlotQuery("alice", OFFER, 1, false), T0);
            case "late-query" -> RULES.slotQuery(state, new SlotQuery("alice", OFFER, 1, false), T0.plusSeconds(20));
            case "withdraw" -> RULES.slotQuery(state, new SlotQuery("alice", OFFER, 1, true), T0);
            case "gone" -> RULES.ownerGone(state, new OwnerGone("alice", 2, "unreachable"), T0);
            case "old-gone" -> RULES.ownerGone(state, new OwnerGone("alice", 1, "unreachable"), T0);
            default -> throw new IllegalArgumentException(step);
        };
    }

    private static OfferSlot offerSlot(boolean auto) {
        return new OfferSlot("alice", OFFER, 1, "default", auto, T0.plusSeconds(20), Given.WHY, null);
    }

    private static String word(ConversationState before, Answer answer) {
        if (answer instanceof Answer.Confirm) {
            return "confirm";
        }
        if (answer instanceof Answer.Release) {
            return "release";
        }
        if (answer instanceof Answer.StillOpen) {
            return "still-open";
        }
        ConversationEvent event = ((Answer.Persist) answer).event();
        return event instanceof ConversationEvent.OfferEnded ended
                ? ended.reason()
                : before.apply(event).ownership().status().name();
    }

    @Test
    void shouldBarAnOfferThatComesAfterItsDeskAskedAboutIt() {
        ConversationState waiting = Given.waiting();
        Answer asked = RULES.slotQuery(waiting, new SlotQuery("alice", OFFER, 1, false), T0);
        ConversationState barred = waiting.apply(((Answer.Persist) asked).event());

        assertEquals("release", word(barred, RULES.offerSlot(barred, offerSlot(true), T0)));
        assertEquals(Status.WAITING, barred.ownership().status());
        assertEquals(DeskIntent.Kind.RELEASE, barred.intents().get("alice").kind());
    }

    @Test
    void shouldSendTheLineAwayWhoseTicketIsVoid() {
        Answer answer = RULES.offerSlot(Given.closed(), offerSlot(false), T0);

        assertTrue(((Answer.Release) answer).lineToo());
    }
}
