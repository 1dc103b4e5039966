package dev.switchboard.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.WriteAdmission.Reason;
import dev.switchboard.conversation.WriteAdmission.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WriteAdmissionTest {
    private static WriteAdmission admission(int atOnce, int headRoom) {
        return new WriteAdmission(atOnce, headRoom, 10, Duration.ofMillis(500));
    }

    @Test
    void shouldKeepHeadRoomForStepsWhenRequestsHaveTakenTheirShare() {
        WriteAdmission admission = admission(2, 1);
        assertTrue(admission.enter(Share.REQUESTS));
        assertTrue(admission.enter(Share.REQUESTS));
        assertFalse(admission.enter(Share.REQUESTS));
        assertTrue(admission.enter(Share.STEPS));
        assertFalse(admission.enter(Share.STEPS));
        admission.leave();
        assertFalse(admission.enter(Share.REQUESTS), "a step's permit counts, too");
        assertTrue(admission.enter(Share.STEPS));
        assertEquals(3, admission.held());
    }

    @Test
    void shouldTakeAndGiveBackOnePermitHoweverOftenItIsAsked() {
        WriteAdmission admission = admission(2, 1);
        WritePermit permit = new WritePermit(admission);
        assertTrue(permit.take(Share.REQUESTS));
        assertTrue(permit.take(Share.STEPS));
        assertEquals(1, admission.held());
        permit.giveBack();
        permit.giveBack();
        assertEquals(0, admission.held());
    }

    @Test
    void shouldSayWhenToComeAgainAndSpreadIt() {
        WriteAdmission admission = admission(1, 1);
        for (Reason reason : Reason.values()) {
            Refusal refusal = admission.refuse(reason);
            assertTrue(refusal.code().retryable(), reason.wireName());
            assertTrue(refusal.retryAfter().toMillis() >= 500, reason.wireName());
            assertTrue(refusal.retryAfter().toMillis() <= 1000, reason.wireName());
            assertEquals(1, admission.refused(reason));
        }
    }

    @Test
    void shouldNeverExceedTheBoundWhenManyThreadsEnterAtOnce() throws Exception {
        WriteAdmission admission = admission(3, 2);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<Integer>> all = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            Share share = thread % 2 == 0 ? Share.REQUESTS : Share.STEPS;
            all.add(threads.submit(() -> {
                int most = 0;
                for (int i = 0; i < 50_000; i++) {
                    if (admission.enter(share)) {
                        most = Math.max(most, admission.held());
                        admission.leave();
                    }
                }
                return most;
            }));
        }
        for (Future<Integer> most : all) {
            assertTrue(most.get(60, TimeUnit.SECONDS) <= admission.limit());
        }
        threads.shutdown();
        assertEquals(0, admission.held());
        assertTrue(admission.mostHeld() <= admission.limit());
    }
}
