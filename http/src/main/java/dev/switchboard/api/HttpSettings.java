package dev.switchboard.api;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * The settings under {@code switchboard.http} and {@code switchboard.limits}. Immutable.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for any free one
 * @param maxConnections how many connections may be open that are not sockets
 * @param maxInFlight how many calls may be worked on at once
 * @param idleTimeout when a connection without traffic is closed
 * @param bodyTimeout how long a request's body may take to arrive
 * @param requestTimeout how long a call may take
 * @param drainTimeout how long calls in progress may take to end when the server stops
 * @param returnWithin over how much time sockets' clients are told to come back when the server stops
 * @param rate how many calls one person may make
 * @param serviceRate how many calls one service or operator may make
 * @param maxRequestBytes the largest body of a request
 * @param maxTextBytes the largest text of a message or note
 */
public record HttpSettings(
        String host,
        int port,
        int maxConnections,
        int maxInFlight,
        Duration idleTimeout,
        Duration bodyTimeout,
        Duration requestTimeout,
        Duration drainTimeout,
        Duration returnWithin,
        Rate rate,
        Rate serviceRate,
        long maxRequestBytes,
        int maxTextBytes) {
    /** How many calls one caller may make: in the long run, and at once after a time of quiet. */
    public record Rate(int perSecond, int burst) {}

    /** The most bytes of a conversation's attributes, names and values together. */
    public static final int MAX_ATTRIBUTES_BYTES = 4096;

    /** Reads the settings from the whole configuration. Throws ConfigException for what is missing. */
    public static HttpSettings of(Config config) {
        Config http = config.getConfig("switchboard.http");
        Config limits = config.getConfig("switchboard.limits");
        return new HttpSettings(
                http.getString("host"),
                http.getInt("port"),
                http.getInt("max-connections"),
                http.getInt("max-in-flight"),
                http.getDuration("idle-timeout"),
                http.getDuration("body-timeout"),
                http.getDuration("request-timeout"),
                http.getDuration("drain-timeout"),
                http.getDuration("return-within"),
                new Rate(http.getInt("rate-per-second"), http.getInt("rate-burst")),
                new Rate(http.getInt("service-rate-per-second"), http.getInt("service-rate-burst")),
                limits.getMemorySize("request").toBytes(),
                (int) limits.getMemorySize("body").toBytes());
    }
}
