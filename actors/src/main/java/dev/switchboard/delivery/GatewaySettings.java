package dev.switchboard.delivery;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How the gateway asks. Immutable.
 *
 * @param deadline after how long an unanswered request fails
 * @param repeatAfter after how long it is repeated for the first time; the interval doubles up to four times that
 * @param pendingPerSender how many requests of one sender to one conversation wait for each other at most
 * @param pendingTotal how many requests this node has open at most
 */
public record GatewaySettings(Duration deadline, Duration repeatAfter, int pendingPerSender, int pendingTotal) {
    /** Reads {@code switchboard.gateway}. */
    public static GatewaySettings of(Config config) {
        return new GatewaySettings(
                config.getDuration("deadline"),
                config.getDuration("repeat-after"),
                config.getInt("pending-per-sender"),
                config.getInt("pending-total"));
    }
}
