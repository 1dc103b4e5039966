package dev.switchboard.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Ticket;
import dev.switchboard.routing.LineBook.Ask;
import dev.switchboard.routing.LineCommand.DeskOpen;
import dev.switchboard.routing.LineCommand.Enqueue;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a line decides: every cell of its table, its order, and what its decisions cost. */
class LineBookTest {
    private static final Instant T0 = Instant.parse("2026-01-05T09:00:00Z");
    private static final LineSettings SETTINGS = new LineSettings(
            500,
            Duration.ofMinutes(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            1000,
            Duration.ofSeconds(1),
            InstantSource.fixed(T0));

    private Instant now = T0;
    private LineBook book = book(queue("longest-idle", 1, Duration.ofMinutes(2), Duration.ZERO));

    private LineBook book(QueueSettings queue) {
        LineBook made = new LineBook(SETTINGS, queue);
        made.startMatching(now);
        return made;
    }

    private static QueueSettings queue(String strategy, int offerTo, Duration ageing, Duration relax) {
        return new QueueSettings(
                "default",
                strategy,
                false,
                offerTo,
                Duration.ofSeconds(20),
                10_000,
                ageing,
                relax,
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ZERO,
                Duration.ZERO,
                QueueSettings.WhenClosed.REOPEN);
    }

    private static Ticket ticket(long epoch, int priority, Instant since, String... skills) {
        return new Ticket("default", epoch, "carol", priority, Set.of(skills), since, false, null, null, false);
    }

    private static Ticket front(Instant since) {
        return new Ticket("default", 3, "carol", 0, Set.of(), since, true, null, null, false);
    }

    private static Ticket preferring(String agent, Instant until, boolean direct) {
        return new Ticket("default", 1, "carol", 0, Set.of(), T0, true, agent, until, direct);
    }

    private void enqueue(String conv, Ticket ticket, String... declinedBy) {
        book.enqueue(new Enqueue(conv, ticket, Set.of(declinedBy), 0), now);
    }

    private void enqueue(String conv) {
        enqueue(conv, ticket(1, 0, now));
    }

    private void open(String agent, int free, String... skills) {
        book.deskOpen(new DeskOpen(agent, free, 3 - free, 3, Set.of(skills), T0, null), now);
    }

    private void pass(Duration duration) {
        now = now.plus(duration);
        book.due(now);
    }

    private List<String> asked() {
        return book.takeAsks().stream()
                .map(ask -> ask.conv() + ">" + ask.agent())
                .toList();
    }

    private void assertAsked(String... expected) {
        assertEquals(Arrays.asList(expected), asked());
    }

    @Nested
    class Cells {
        @Test
        void shouldAskAFreeDeskWhenAConversationComes() {
            open("ann", 1);
            enqueue("c-a");
            assertAsked("c-a>ann");
        }

        @Test
        void shouldKeepAConversationReadyUntilADeskOpens() {
            enqueue("c-a");
            assertAsked();
            open("ann", 1);
            assertAsked("c-a>ann");
        }

        @Test
        void shouldAskOnceWhenAConversationRepeatsItself() {
            open("ann", 1);
            open("ben", 1);
            enqueue("c-a");
            enqueue("c-a");
            assertAsked("c-a>ann");
            assertEquals(1, book.size());
        }

        @Test
        void shouldIgnoreATicketOlderThanTheOneItHas() {
            enqueue("c-a", ticket(5, 0, now));
            enqueue("c-a", ticket(3, 0, now));
            assertEquals(5, book.waiter("c-a").ticket.epoch());
        }

        @Test
        void shouldForgetAConversationThatLeaves() {
            enqueue("c-a");
            book.leave("c-a", 1, now);
            open("ann", 1);
            assertAsked();
            assertEquals(0, book.size());
        }

        @Test
        void shouldIgnoreALeaveOfAnOlderEpoch() {
            enqueue("c-a", ticket(3, 0, now));
            book.leave("c-a", 2, now);
            assertEquals(1, book.size());
        }

        @Test
        void shouldIgnoreATicketThatComesAfterItsLeave() {
            book.leave("c-a", 1, now);
            enqueue("c-a");
            assertEquals(0, book.size());
            enqueue("c-a", ticket(3, 0, now));
            assertEquals(1, book.size());
        }

        @Test
        void shouldNotAskFurtherWhenADeskReserved() {
            open("ann", 1);
            open("ben", 1);
            enqueue("c-a");
            asked();
            book.reserved("c-a", 1, "ann", now);
            assertAsked();
        }

        @Test
        void shouldAskAnotherWhenADeskRefused() {
            open("ann", 1);
            open("ben", 1);
            enqueue("c-a");
            asked();
            book.notReserved("c-a", 1, "ann", "full", now);
            assertAsked("c-a>ben");
        }

        @Test
        void shouldLeaveADeskAloneThatSaidItIsFullUntilItAnnouncesItself() {
            open("ann", 3);
            enqueue("c-a");
            asked();
            book.notReserved("c-a", 1, "ann", "full", now);
            pass(Duration.ofMinutes(5));
            assertAsked();
            open("ann", 1);
            assertAsked("c-a>ann");
        }

        @Test
        void shouldLeaveAPairApartForAMomentWhenTheRefusalWasAboutTheConversation() {
            open("ann", 3);
            enqueue("c-a");
            asked();
            book.notReserved("c-a", 1, "ann", "stale", now);
            assertAsked();
            pass(SETTINGS.apartFor());
            assertAsked("c-a>ann");
        }

        @Test
        void shouldAskOnceMoreAndThenTurnElsewhereWhenADeskIsSilent() {
            open("ann", 1);
            enqueue("c-a");
            open("ben", 1);
            assertAsked("c-a>ann");
            pass(SETTINGS.deskAnswerTime());
            assertAsked("c-a>ann");
            pass(SETTINGS.deskAnswerTime());
            assertAsked("c-a>ben");
        }

        @Test
        void shouldMakeAnotherOfferWhenNothingWasHeardLongAfterTheFirst() {
            open("ann", 3);
            enqueue("c-a");
            asked();
            book.reserved("c-a", 1, "ann", now);
            pass(Duration.ofSeconds(39));
            assertAsked();
            pass(Duration.ofSeconds(1));
            assertAsked("c-a>ann");
        }

        @Test
        void shouldOfferToAnotherWhenTheConversationSaysThatAnAgentDeclined() {
            open("ann", 3);
            open("ben", 3);
            enqueue("c-a");
            asked();
            book.reserved("c-a", 1, "ann", now);
            enqueue("c-a", ticket(1, 0, T0), "ann");
            assertAsked("c-a>ben");
        }

        @Test
        void shouldAskDeclinersAgainAfterAPauseWhenNobodyElseHasRoom() {
            enqueue("c-a", ticket(1, 0, T0), "ann");
            open("ann", 3);
            assertAsked();
            pass(SETTINGS.askAgainAfter().minusMillis(1));
            assertAsked();
            pass(Duration.ofMillis(1));
            assertAsked("c-a>ann");
        }

        @Test
        void shouldCountOffersThatItHasNotMadeItself() {
            open("ann", 3);
            book.enqueue(new Enqueue("c-a", ticket(1, 0, T0), Set.of(), 1), now);
            assertAsked();
            book.enqueue(new Enqueue("c-a", ticket(1, 0, T0), Set.of(), 0), now);
            assertAsked("c-a>ann");
        }

        @Test
        void shouldNotWaitForEverForOffersThatItHasNotMadeItself() {
            open("ann", 3);
            book.enqueue(new Enqueue("c-a", ticket(1, 0, T0), Set.of(), 1), now);
            pass(Duration.ofSeconds(40));
            assertAsked("c-a>ann");
        }

        @Test
        void shouldOfferToAsManyAtOnceAsTheQueueSays() {
            book = book(queue("longest-idle", 2, Duration.ZERO, Duration.ZERO));
            open("ann", 1);
            open("ben", 1);
            open("cem", 1);
            enqueue("c-a");
            assertAsked("c-a>ann", "c-a>ben");
            book.notReserved("c-a", 1, "ann", "full", now);
            assertAsked("c-a>cem");
        }

        @Test
        void shouldNotAskADeskForMoreThanItAnnounced() {
            for (int i = 0; i < 5; i++) {
                enqueue("c-" + i);
            }
            open("ann", 2);
            assertAsked("c-0>ann", "c-1>ann");
            open("ann", 1);
            assertAsked();
            book.reserved("c-0", 1, "ann", now);
            book.reserved("c-1", 1, "ann", now);
            assertAsked("c-2>ann");
        }
    }

    @Nested
    class Preference {
        @Test
        void shouldLeaveAConversationToItsAgentAndThenToOthers() {
            open("ben", 1);
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), false));
            assertAsked();
            pass(Duration.ofSeconds(9));
            assertAsked();
            pass(Duration.ofSeconds(1));
            assertAsked("c-a>ben");
        }

        @Test
        void shouldGiveItToItsAgentAsSoonAsThatHasRoom() {
            open("ben", 1);
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), false));
            open("ann", 1);
            assertAsked("c-a>ann");
        }

        @Test
        void shouldNotWaitForAnAgentThatLeft() {
            open("ben", 1);
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), false));
            book.deskClosed("ann", "offline", now);
            assertAsked("c-a>ben");
        }

        @Test
        void shouldNotWaitForAnAgentThatDeclined() {
            open("ben", 1);
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), true), "ann");
            assertAsked("c-a>ben");
        }

        @Test
        void shouldAskAnAgentThatAPersonNamedEvenIfItServesOtherQueues() {
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), true));
            List<Ask> asks = book.takeAsks();
            assertEquals("ann", asks.get(0).agent());
            assertTrue(asks.get(0).direct());
            assertEquals("direct", asks.get(0).decision().strategy());
            book.notReserved("c-a", 1, "ann", "full", now);
            assertAsked();
            pass(SETTINGS.apartFor());
            assertAsked("c-a>ann");
        }

        @Test
        void shouldStopAskingTheNamedAgentAfterItsTime() {
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), true));
            for (int i = 0; i < 12; i++) {
                asked();
                book.notReserved("c-a", 1, "ann", "away", now);
                pass(Duration.ofSeconds(1));
            }
            assertAsked();
            open("ben", 1);
            assertAsked("c-a>ben");
        }

        @Test
        void shouldNotAskADeskThatAnnouncesItselfFullHereButWaitForIt() {
            book.deskClosed("ann", "full", now);
            enqueue("c-a", preferring("ann", T0.plusSeconds(10), true));
            assertAsked();
            open("ann", 1);
            assertAsked("c-a>ann");
        }
    }

    @Nested
    class Order {
        private void assertOrder(String... expected) {
            List<String> order = new ArrayList<>();
            book.inOrder().forEach(waiter -> order.add(waiter.conv));
            assertEquals(Arrays.asList(expected), order);
        }

        @Test
        void shouldTakeTheOldestFirst() {
            enqueue("c-new", ticket(1, 0, T0));
            enqueue("c-old", ticket(1, 0, T0.minusSeconds(1)));
            assertOrder("c-old", "c-new");
        }

        @Test
        void shouldTakeTheMoreUrgentFirstUntilTheOtherHasWaitedLongEnough() {
            enqueue("c-urgent", ticket(1, 1, T0));
            enqueue("c-young", ticket(1, 0, T0.minusSeconds(119)));
            enqueue("c-aged", ticket(1, 0, T0.minusSeconds(121)));
            assertOrder("c-aged", "c-urgent", "c-young");
        }

        @Test
        void shouldNeverLetAgeBeatUrgencyWhenAgeingIsOff() {
            book = book(queue("longest-idle", 1, Duration.ZERO, Duration.ZERO));
            enqueue("c-urgent", ticket(1, 1, T0));
            enqueue("c-old", ticket(1, 0, T0.minus(Duration.ofDays(300))));
            assertOrder("c-urgent", "c-old");
        }

        @Test
        void shouldTakeThoseFirstThatWereServedBefore() {
            enqueue("c-urgent", ticket(1, 9, T0.minusSeconds(100)));
            enqueue("c-returned", front(T0));
            assertOrder("c-returned", "c-urgent");
        }

        @Test
        void shouldOrderAnewWhenTheQueueChanges() {
            enqueue("c-urgent", ticket(1, 1, T0));
            enqueue("c-old", ticket(1, 0, T0.minus(Duration.ofHours(1))));
            assertOrder("c-old", "c-urgent");
            book.settings(queue("longest-idle", 1, Duration.ZERO, Duration.ZERO), now);
            assertOrder("c-urgent", "c-old");
        }

        @Test
        void shouldWaitUntilTheRowsAreReadBeforeItMatches() {
            book = new LineBook(SETTINGS, queue("longest-idle", 1, Duration.ZERO, Duration.ZERO));
            open("ann", 1);
            enqueue("c-new", ticket(1, 0, T0));
            assertAsked();
            book.load("c-old", ticket(1, 0, T0.minusSeconds(60)), now);
            book.startMatching(now);
            assertAsked("c-old>ann");
        }

        @Test
        void shouldForgetWhatHasNoRowButKeepWhatCameSince() {
            enqueue("c-gone");
            enqueue("c-stays");
            Instant compared = now.plusSeconds(1);
            now = now.plusSeconds(2);
            enqueue("c-new");
            book.keepOnly(Map.of("c-stays", 1L), compared, now);
            assertOrder("c-stays", "c-new");
        }
    }

    @Nested
    class Skills {
        @Test
        void shouldGiveAConversationOnlyToWhoHasItsSkills() {
            enqueue("c-a", ticket(1, 0, T0, "german", "billing"));
            open("ann", 1, "german");
            assertAsked();
            open("ben", 1, "german", "billing", "french");
            assertAsked("c-a>ben");
        }

        @Test
        void shouldGiveADeskTheFirstThatItCanServe() {
            enqueue("c-german", ticket(1, 0, T0.minusSeconds(10), "german"));
            enqueue("c-any", ticket(1, 0, T0));
            open("ann", 1);
            assertAsked("c-any>ann");
        }

        @Test
        void shouldLeaveOutTheLastSkillByNameAfterEachPeriod() {
            book = book(queue("longest-idle", 1, Duration.ZERO, Duration.ofSeconds(30)));
            open("ann", 1);
            open("ben", 1, "a");
            enqueue("c-x", ticket(1, 0, T0, "b", "a"));
            assertAsked();
            pass(Duration.ofSeconds(30));
            assertAsked("c-x>ben");
        }

        @Test
        void shouldLeaveOutAllSkillsInTheEnd() {
            book = book(queue("longest-idle", 1, Duration.ZERO, Duration.ofSeconds(30)));
            open("ann", 1);
            enqueue("c-x", ticket(1, 0, T0, "b", "a"));
            pass(Duration.ofSeconds(59));
            assertAsked();
            pass(Duration.ofSeconds(1));
            assertAsked("c-x>ann");
        }
    }

    @Nested
    class Reasons {
        @Test
        void shouldSayWhyThisAgent() {
            open("ben", 1);
            open("ann", 1);
            enqueue("c-a");
            Ask ask = book.takeAsks().get(0);
            assertEquals("longest-idle", ask.decision().strategy());
            assertTrue(
                    ask.decision().reason().contains("of 2 agents with room"),
                    ask.decision().reason());
            assertEquals("ann: chosen", ask.decision().considered().get(0));
            assertEquals("ben: has room (2 of 3)", ask.decision().considered().get(1));
        }

        @Test
        void shouldSayWhyItStillWaits() {
            assertEquals(0, LineReasons.explain(book, "c-a").position());
            enqueue("c-a", ticket(1, 0, T0, "german"));
            assertWhy("No agent of this queue is available.");
            book.deskOpen(new DeskOpen("ann", 0, 3, 3, Set.of(), T0, null), now);
            assertWhy("Every available agent is full; 0 go before it.");
            open("ann", 1);
            assertWhy("No agent with room has the skills it needs: german.");
            enqueue("c-a", ticket(1, 0, T0, "german"), "ben");
            open("ben", 1, "german");
            assertWhy("Every agent with room declined it; they are asked again at " + now.plusSeconds(30) + ".");
            open("cem", 1, "german");
            assertWhy("It is being offered to cem.");
        }

        @Test
        void shouldListAtMostTenAgents() {
            for (int i = 0; i < 50; i++) {
                open("a" + i, 1);
            }
            enqueue("c-a");
            assertEquals(10, book.takeAsks().get(0).decision().considered().size());
            assertEquals(10, LineReasons.explain(book, "c-a").considered().size());
        }

        private void assertWhy(String expected) {
            LineReply.Explained explained = LineReasons.explain(book, "c-a");
            assertEquals(expected, explained.reason());
            assertEquals(1, explained.position());
        }
    }

    @Nested
    class Cost {
        @Test
        void shouldMatchTenThousandWithAThousandDesksWithoutComparingThemAll() {
            assertTimeout(Duration.ofSeconds(20), () -> {
                for (int i = 0; i < 10_000; i++) {
                    enqueue("c-" + i, ticket(1, i % 10, T0.minusSeconds(i % 500), "skill" + i % 20));
                }
                for (int i = 0; i < 1000; i++) {
                    open("a" + i, 3, "skill" + i % 20, "other");
                }
                int asked = 0;
                List<Ask> asks = book.takeAsks();
                while (!asks.isEmpty()) {
                    for (Ask ask : asks) {
                        asked++;
                        book.reserved(ask.conv(), 1, ask.agent(), now);
                        book.leave(ask.conv(), 1, now);
                        // The conversation ends at once: the desk has the same room as before.
                        open(
                                ask.agent(),
                                3,
                                "skill" + Integer.parseInt(ask.agent().substring(1)) % 20,
                                "other");
                    }
                    asks = book.takeAsks();
                }
                assertEquals(10_000, asked);
                assertEquals(0, book.size());
            });
        }
    }

    @Nested
    class Pace {
        @Test
        void shouldSayNothingUntilEnoughHaveLeftAndNothingWithoutADesk() {
            open("ann", 0);
            for (int i = 0; i < Departures.ENOUGH; i++) {
                assertEquals(Departures.Eta.UNKNOWN, book.pace(now).eta(1));
                enqueue("c-" + i);
                pass(Duration.ofSeconds(10));
                book.leave("c-" + i, 1, now);
            }
            pass(Duration.ofSeconds(10));
            Departures.Eta eta = book.pace(now).eta(10);
            assertTrue(eta.lowSeconds() > 30 && eta.lowSeconds() < 100, eta.toString());
            assertTrue(eta.highSeconds() > 100 && eta.highSeconds() < 200, eta.toString());
            book.deskClosed("ann", "offline", now);
            assertEquals(Departures.Eta.UNKNOWN, book.pace(now).eta(10));
        }

        @Test
        void shouldForgetAPaceOfLongAgo() {
            open("ann", 0);
            for (int i = 0; i < 20; i++) {
                enqueue("c-" + i);
                book.leave("c-" + i, 1, now);
                pass(Duration.ofSeconds(1));
            }
            assertFalse(book.pace(now).eta(1).lowSeconds() < 0);
            pass(Duration.ofMinutes(16));
            assertEquals(Departures.Eta.UNKNOWN, book.pace(now).eta(1));
        }
    }
}
