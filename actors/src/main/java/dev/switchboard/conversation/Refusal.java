package dev.switchboard.conversation;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * A clear no: a stable code, a sentence for a person, whether and when a retry can help, and facts by code (such as
 * {@code owner} and {@code epoch}; values are String, Long or Boolean). Immutable.
 */
public record Refusal(ErrorCode code, String message, Duration retryAfter, Map<String, Object> facts) {
    public Refusal {
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(retryAfter, "retryAfter");
        facts = Map.copyOf(facts);
    }

    public static Refusal of(ErrorCode code, String message) {
        return new Refusal(code, message, Duration.ZERO, Map.of());
    }

    public Refusal withFact(String name, Object value) {
        java.util.Map<String, Object> more = new java.util.HashMap<>(facts);
        more.put(name, value);
        return new Refusal(code, message, retryAfter, more);
    }

    public Refusal retryAfter(Duration hint) {
        return new Refusal(code, message, hint, facts);
    }
}
