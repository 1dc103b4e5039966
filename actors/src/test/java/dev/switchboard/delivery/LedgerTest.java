package dev.switchboard.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Ledger.Endpoint;
import dev.switchboard.delivery.Ledger.Seen;
import dev.switchboard.delivery.Ledger.Step;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");
    private static final Person ALICE = new Person(Role.AGENT, "alice");
    private static final Endpoint DESK = new Endpoint(ALICE, "desk");

    private static List<Step> steps(Ledger ledger, String conv, long seq) {
        return ledger.find(conv, seq, CAROL).steps().stream().map(Seen::step).toList();
    }

    @Test
    void shouldTellTheWayOfOneMessage() {
        Ledger ledger = new Ledger(100);
        ledger.routed("c-1", 4);
        ledger.routed("c-2", 5);
        ledger.routed("c-1", 5);
        ledger.queued("c-1", 5, DESK, 7, 2);
        ledger.written(DESK, 6);
        assertEquals(List.of(Step.ROUTED, Step.QUEUED), steps(ledger, "c-1", 5), "its frame is the seventh");
        ledger.written(new Endpoint(ALICE, "desk"), 9);
        assertEquals(List.of(Step.ROUTED, Step.QUEUED), steps(ledger, "c-1", 5), "another connection's frames");
        ledger.written(DESK, 8);
        ledger.acknowledged("c-1", 5, CAROL, false);
        assertEquals(List.of(Step.ROUTED, Step.QUEUED, Step.WRITTEN), steps(ledger, "c-1", 5), "the sender's own ack");
        ledger.acknowledged("c-1", 6, ALICE, false);
        ledger.acknowledged("c-1", 4, ALICE, true);
        List<Seen> seen = ledger.find("c-1", 5, CAROL).steps();
        assertEquals(
                List.of(Step.ROUTED, Step.QUEUED, Step.WRITTEN, Step.ACKNOWLEDGED),
                seen.stream().map(Seen::step).toList());
        assertEquals("desk", seen.get(1).terminal());
        assertEquals(2, seen.get(1).attempt());
        assertEquals(ALICE, seen.get(3).who());
        ledger.refused("c-1", 5, ALICE, 3, "too-large");
        assertTrue(ledger.find("c-1", 5, CAROL).steps().stream()
                .anyMatch(one -> one.step() == Step.REFUSED
                        && one.attempt() == 3
                        && one.code().equals("too-large")));
    }

    @Test
    void shouldForgetTheOldestAndSayFromWhenOnItKnows() {
        Ledger ledger = new Ledger(4);
        ledger.routed("c-1", 1);
        var began = ledger.find("c-1", 1, CAROL).since();
        for (long seq = 2; seq <= 6; seq++) {
            ledger.routed("c-1", seq);
        }
        assertEquals(List.of(), steps(ledger, "c-1", 2));
        assertEquals(List.of(Step.ROUTED), steps(ledger, "c-1", 3));
        Ledger.Trace trace = ledger.find("c-1", 3, CAROL);
        assertFalse(trace.since().isBefore(trace.steps().get(0).at()));
        assertFalse(trace.since().isBefore(began.minusMillis(1)));
    }

    @Test
    void shouldRememberNothingWhenItIsOff() {
        Ledger.NONE.routed("c-1", 1);
        assertFalse(Ledger.NONE.isOn());
        assertEquals(List.of(), steps(Ledger.NONE, "c-1", 1));
    }

    @Test
    void shouldNeverMixTwoStepsWhenManyWriteAndOneLooks() throws Exception {
        // So small that writers meet in the same slot all the time.
        Ledger ledger = new Ledger(3);
        int writers = 4;
        int each = 100_000;
        CountDownLatch done = new CountDownLatch(writers);
        AtomicBoolean mixed = new AtomicBoolean();
        for (int w = 0; w < writers; w++) {
            String conv = "c-" + w;
            Endpoint endpoint = new Endpoint(ALICE, conv);
            int mine = w;
            new Thread(() -> {
                        for (int i = 0; i < each; i++) {
                            ledger.queued(conv, mine, endpoint, i, mine + 1);
                        }
                        done.countDown();
                    })
                    .start();
        }
        while (done.getCount() > 0) {
            for (int w = 0; w < writers; w++) {
                String conv = "c-" + w;
                int attempt = w + 1;
                ledger.find(conv, w, CAROL).steps().stream()
                        .filter(seen -> !conv.equals(seen.terminal()) || seen.attempt() != attempt)
                        .forEach(seen -> mixed.set(true));
            }
        }
        assertFalse(mixed.get());
        assertEquals((long) writers * each, ledger.noted());
    }
}
