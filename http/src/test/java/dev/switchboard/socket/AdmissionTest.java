package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");
    private static final Person DAVE = new Person(Role.CUSTOMER, "dave");

    private final AtomicLong nanos = new AtomicLong();
    private final SocketFigures figures = new SocketFigures();

    private Admission admission(String... settings) {
        SocketSettings all = SocketSettings.of(
                ConfigFactory.parseString(String.join("\n", settings)).withFallback(ConfigFactory.load()));
        return new Admission(all, figures, nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void shouldTurnAwayThoseBeyondTheRateOfConnects() {
        Admission admission = admission("switchboard.socket.connect-rate = 10", "switchboard.socket.connect-burst = 3");
        for (int i = 0; i < 3; i++) {
            assertNull(admission.refusal());
        }
        Refusal refusal = admission.refusal();
        assertNotNull(refusal);
        assertEquals(ErrorCode.OVERLOAD, refusal.code());
        assertEquals(1, figures.snapshot().connectLimited());
        pass(Duration.ofMillis(100));
        assertNull(admission.refusal());
        assertNotNull(admission.refusal());
    }

    @Test
    void shouldSpreadTheMomentsOfReturn() {
        Admission admission = admission(
                "switchboard.socket.connect-rate = 1",
                "switchboard.socket.connect-burst = 1",
                "switchboard.socket.retry-spread = 20s");
        assertNull(admission.refusal());
        Set<Long> seconds = new HashSet<>();
        for (int i = 0; i < 2000; i++) {
            Duration hint = admission.refusal().retryAfter();
            assertTrue(hint.compareTo(Duration.ofSeconds(1)) >= 0 && hint.compareTo(Duration.ofSeconds(21)) <= 0);
            seconds.add(hint.toSeconds());
        }
        assertTrue(seconds.size() >= 20, "all of the time is used: " + seconds);
    }

    @Test
    void shouldTurnAwayThoseBeyondTheNumberOfSockets() {
        Admission admission = admission("switchboard.socket.max-sockets = 1");
        assertNull(admission.refusal());
        figures.opened();
        assertNotNull(admission.refusal());
        assertTrue(!admission.isOverLimit());
        figures.opened();
        assertTrue(admission.isOverLimit());
    }

    @Test
    void shouldLimitAPersonOverAllItsSocketsAndNobodyElse() {
        Admission admission = admission(
                "switchboard.socket.sender-requests-per-second = 10", "switchboard.socket.sender-request-burst = 2");
        assertTrue(admission.request(CAROL).isZero());
        assertTrue(admission.request(CAROL).isZero());
        assertEquals(Duration.ofMillis(100), admission.request(CAROL));
        assertTrue(admission.request(DAVE).isZero());
        pass(Duration.ofMillis(100));
        assertTrue(admission.request(CAROL).isZero());
    }
}
