package dev.switchboard.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class HookSignatureTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);

    /** Computed by another program. */
    private static final String EXPECTED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    private static String header(String... lines) {
        return HookSignature.of(List.of(lines)).header("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, BODY);
    }

    @Test
    void shouldSignIdTimeAndBody() {
        assertEquals(EXPECTED, header("# for the bot", "", "  " + SECRET));
        assertEquals(EXPECTED, header(SECRET.substring("whsec_".length())));
    }

    @Test
    void shouldSignWithEverySecret() {
        String other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        assertEquals(EXPECTED + " " + header(other), header(SECRET, other));
    }

    @Test
    void shouldRefuseASecretThatIsNoneAndNotShowIt() {
        for (String bad : List.of("whsec_short", "not base64 !!", "whsec_MfKQ9r8GKYqrTwjUPD8ILA==")) {
            IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> header(bad));
            assertFalse(refusal.getMessage().contains(bad), refusal.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> header("# nothing"));
    }
}
