package dev.switchboard.conversation;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How refused entries are tried again. Immutable.
 *
 * @param attempts how many attempts a delivery gets before it is a dead letter
 * @param backoffMin how long after the first failed attempt the next one comes; it doubles with each
 * @param backoffMax the longest time between two attempts
 * @param jitter by which share of itself the time between attempts is lengthened at random, 0 to 1
 * @param perConversation how many unsettled ones a conversation keeps
 * @param retryTimeout how long a retry that somebody asked for may stay unanswered
 */
public record LetterSettings(
        int attempts,
        Duration backoffMin,
        Duration backoffMax,
        double jitter,
        int perConversation,
        Duration retryTimeout) {
    /** Reads {@code switchboard.dead-letters}. */
    public static LetterSettings of(Config config) {
        return new LetterSettings(
                config.getInt("attempts"),
                config.getDuration("backoff-min"),
                config.getDuration("backoff-max"),
                config.getInt("backoff-jitter") / 100.0,
                config.getInt("per-conversation"),
                config.getDuration("retry-timeout"));
    }

    /** How long to wait after that many failed attempts. */
    Duration backoff(int failed) {
        double nanos = backoffMin.toNanos() * Math.pow(2, Math.min(30, failed - 1));
        double bounded = Math.min(nanos, (double) backoffMax.toNanos());
        return Duration.ofNanos(
                (long) (bounded * (1 + jitter * ThreadLocalRandom.current().nextDouble())));
    }
}
