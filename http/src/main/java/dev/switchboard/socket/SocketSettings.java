package dev.switchboard.socket;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.time.Duration;

/**
 * The settings under {@code switchboard.socket}, and those of {@code switchboard.limits} that sockets hold. Immutable.
 *
 * @param maxSockets how many sockets at most
 * @param maxWithoutHello how many sockets that have not said who they are
 * @param connectRate how many sockets a second may be opened in the long run
 * @param connectBurst how many at once
 * @param retrySpread over how much time those who are turned away are told to come back
 * @param helloTimeout the time for the first frame
 * @param welcomeWait how long the welcome waits for conversations and the desk
 * @param heartbeat how often the server pings; a terminal silent for two of these is dropped
 * @param maxFrameBytes the largest message from a client
 * @param maxBodyBytes the largest text of a message's body
 * @param holdInFlight from how many unanswered requests on a socket is read no further
 * @param maxInFlight how many unanswered requests a socket may have
 * @param requestsPerSecond how many requests a second a socket may make in the long run
 * @param requestBurst how many at once
 * @param senderRequestsPerSecond how many requests a second all sockets of a person may make in the long run
 * @param senderRequestBurst how many at once
 * @param queueEntries how many frames wait for a slow receiver
 * @param queueBytes how many bytes wait for a slow receiver
 * @param slowPolicy what happens beyond these
 * @param slowGrace how long a receiver may take nothing, while something waits for it, before it is called slow
 * @param receiptGather how long a receipt waits for others, or for a frame that leaves anyway
 * @param closeTimeout how long the other side has to take the last frames and to close
 * @param attachTimeout how long an attach may stay unanswered before it is repeated
 * @param maxConversations how many conversations one terminal may be attached to
 */
public record SocketSettings(
        int maxSockets,
        int maxWithoutHello,
        int connectRate,
        int connectBurst,
        Duration retrySpread,
        Duration helloTimeout,
        Duration welcomeWait,
        Duration heartbeat,
        int maxFrameBytes,
        int maxBodyBytes,
        int holdInFlight,
        int maxInFlight,
        int requestsPerSecond,
        int requestBurst,
        int senderRequestsPerSecond,
        int senderRequestBurst,
        int queueEntries,
        int queueBytes,
        SlowPolicy slowPolicy,
        Duration slowGrace,
        Duration receiptGather,
        Duration closeTimeout,
        Duration attachTimeout,
        int maxConversations) {
    /** What happens to a receiver that takes less than it gets, once its send queue is full. */
    public enum SlowPolicy {
        /** Entries wait in the log; without any room for the grace period the socket is ended: {@code bye slow}. */
        DISCONNECT,
        /** The same, and typing and presence are dropped once the queue is half full. */
        DROP_EPHEMERAL,
        /** Entries wait in the log and the client's requests are not read, for as long as it answers pings. */
        WAIT
    }

    /** Reads the settings from the whole configuration. Throws {@link ConfigException} that names the key. */
    public static SocketSettings of(Config config) {
        Config socket = config.getConfig("switchboard.socket");
        Config limits = config.getConfig("switchboard.limits");
        SlowPolicy policy = switch (socket.getString("slow-policy")) {
            case "disconnect" -> SlowPolicy.DISCONNECT;
            case "drop-ephemeral" -> SlowPolicy.DROP_EPHEMERAL;
            case "wait" -> SlowPolicy.WAIT;
            default ->
                throw new ConfigException.BadValue(
                        socket.origin(),
                        "switchboard.socket.slow-policy",
                        "must be disconnect, drop-ephemeral or wait");
        };
        return new SocketSettings(
                socket.getInt("max-sockets"),
                socket.getInt("max-without-hello"),
                socket.getInt("connect-rate"),
                socket.getInt("connect-burst"),
                socket.getDuration("retry-spread"),
                socket.getDuration("hello-timeout"),
                socket.getDuration("welcome-wait"),
                socket.getDuration("heartbeat"),
                size(socket, "max-frame"),
                size(limits, "body"),
                socket.getInt("hold-in-flight"),
                socket.getInt("max-in-flight"),
                socket.getInt("requests-per-second"),
                socket.getInt("request-burst"),
                socket.getInt("sender-requests-per-second"),
                socket.getInt("sender-request-burst"),
                socket.getInt("queue-entries"),
                size(socket, "queue-bytes"),
                policy,
                socket.getDuration("slow-grace"),
                socket.getDuration("receipt-gather"),
                socket.getDuration("close-timeout"),
                socket.getDuration("attach-timeout"),
                socket.getInt("max-conversations"));
    }

    private static int size(Config config, String key) {
        return Math.toIntExact(config.getMemorySize(key).toBytes());
    }
}
