package dev.switchboard.server.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings under {@code switchboard.cluster}, and what Pekko has to be told of them. Immutable.
 *
 * @param host the address by which the other nodes reach this one
 * @param port the port for the other nodes; 0 for any free one
 * @param seedNodes {@code host:port} of the nodes that a start asks to be let in; empty for a node alone
 * @param minMembers how many nodes must have come before a new cluster begins
 * @param stableAfter how long the membership must have been quiet before the lost side is decided on
 * @param downAllWhenUnstable how much longer it may stay unquiet before all nodes end
 * @param removalMargin how long after a node's removal what it had is started elsewhere
 * @param acceptablePause how long a node may be silent before it counts as unreachable
 * @param tls how nodes know each other; empty for loopback alone
 */
public record ClusterSettings(
        String host,
        int port,
        List<String> seedNodes,
        int minMembers,
        Duration stableAfter,
        Duration downAllWhenUnstable,
        Duration removalMargin,
        Duration acceptablePause,
        Optional<Tls> tls) {
    /** Files in PEM form: this node's certificate and key, and the authority that signed every node's certificate. */
    public record Tls(String certificate, String key, String authority) {}

    private static final String PATH = "switchboard.cluster";

    /** Reads the settings. Throws IllegalArgumentException with a sentence that names the key for what can't be. */
    public static ClusterSettings of(Config config) {
        Config cluster = config.getConfig(PATH);
        List<String> seeds = cluster.getStringList("seed-nodes");
        for (String seed : seeds) {
            requireAddress(seed);
        }
        return new ClusterSettings(
                cluster.getString("host"),
                cluster.getInt("port"),
                List.copyOf(seeds),
                cluster.getInt("min-members"),
                cluster.getDuration("split-brain.stable-after"),
                cluster.getDuration("split-brain.down-all-when-unstable"),
                cluster.getDuration("split-brain.removal-margin"),
                cluster.getDuration("acceptable-pause"),
                tls(cluster.getConfig("tls")));
    }

    private static void requireAddress(String seed) {
        int colon = seed.lastIndexOf(':');
        boolean fits = colon > 0 && seed.substring(colon + 1).matches("[0-9]{1,5}");
        if (!fits) {
            throw new IllegalArgumentException(PATH + ".seed-nodes: " + seed + " is not host:port");
        }
    }

    private static Optional<Tls> tls(Config tls) {
        Tls files = new Tls(tls.getString("certificate"), tls.getString("key"), tls.getString("authority"));
        List<String> named = List.of(files.certificate(), files.key(), files.authority());
        if (named.stream().allMatch(String::isEmpty)) {
            return Optional.empty();
        }
        if (named.stream().anyMatch(String::isEmpty)) {
            throw new IllegalArgumentException(
                    PATH + ".tls: certificate, key and authority go together; one of them is missing");
        }
        return Optional.of(files);
    }

    /** True when this node may have others beside it. */
    public boolean isForMany() {
        return minMembers > 1 || !seedNodes.isEmpty();
    }

    /** What Pekko has to be told. */
    public Config pekko() {
        Config own = ConfigFactory.parseMap(Map.of(
                "pekko.remote.artery.canonical.hostname", host,
                "pekko.remote.artery.canonical.port", port,
                "pekko.cluster.min-nr-of-members", minMembers,
                "pekko.cluster.split-brain-resolver.stable-after", stableAfter,
                "pekko.cluster.split-brain-resolver.down-all-when-unstable", downAllWhenUnstable,
                "pekko.cluster.down-removal-margin", removalMargin,
                "pekko.cluster.failure-detector.acceptable-heartbeat-pause", acceptablePause,
                // The node joins by call: a port of 0 leaves no address that a seed could be named by.
                "pekko.cluster.seed-nodes", List.of()));
        return tls.map(files -> own.withFallback(encrypted(files))).orElse(own);
    }

    private static Config encrypted(Tls files) {
        String engine = "pekko.remote.artery.ssl.rotating-keys-engine.";
        return ConfigFactory.parseMap(Map.of(
                        "pekko.remote.artery.transport",
                        "tls-tcp",
                        "pekko.remote.artery.ssl.ssl-engine-provider",
                        "org.apache.pekko.remote.artery.tcp.ssl.RotatingKeysSSLEngineProvider"))
                .withValue(engine + "cert-file", ConfigValueFactory.fromAnyRef(files.certificate()))
                .withValue(engine + "key-file", ConfigValueFactory.fromAnyRef(files.key()))
                .withValue(engine + "ca-cert-file", ConfigValueFactory.fromAnyRef(files.authority()));
    }
}
