package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.switchboard.auth.AuthSettings;
import dev.switchboard.directory.DatabaseSettings;
import dev.switchboard.server.cluster.ClusterSettings;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * What can be said against a start before anything runs: settings that don't fit together, ports that are taken.
 * Stateless. Each finding is a {@link StartFailure}.
 */
final class StartChecks {
    private static final String HTTP = "switchboard.http";
    private static final String MANAGEMENT = "switchboard.management";
    private static final String CLUSTER_HOST = "switchboard.cluster.host";

    private StartChecks() {}

    /** Checks what no single setting's bound can say. */
    static void settingsFitTogether(Config settings) {
        List<String> listened = List.of(settings.getString(HTTP + ".host"), settings.getString(MANAGEMENT + ".host"));
        AuthSettings auth;
        try {
            auth = AuthSettings.of(settings);
        } catch (ConfigException e) {
            throw new StartFailure(e.getMessage(), e);
        }
        auth.startProblem(listened).ifPresent(problem -> {
            throw new StartFailure(problem);
        });
        clusterFits(settings);
    }

    private static void clusterFits(Config settings) {
        ClusterSettings cluster;
        try {
            cluster = ClusterSettings.of(settings);
        } catch (IllegalArgumentException e) {
            throw new StartFailure(e.getMessage(), e);
        }
        boolean mutualTls = cluster.tls().isPresent()
                || settings.getString("pekko.remote.artery.transport").equals("tls-tcp");
        if (!address(CLUSTER_HOST, cluster.host()).isLoopbackAddress() && !mutualTls) {
            throw new StartFailure(CLUSTER_HOST + " = " + cluster.host()
                    + " is not loopback: nodes talk beyond it with mutual TLS only (switchboard.cluster.tls)");
        }
        String url = settings.getString("switchboard.database.url");
        if (cluster.isForMany() && url.startsWith("jdbc:h2:")) {
            throw new StartFailure("switchboard.cluster.seed-nodes, min-members: more nodes than one need a database"
                    + " that they share, and " + DatabaseSettings.of(settings).shownUrl()
                    + " is one node's own; set switchboard.database.url to a PostgreSQL");
        }
        writesFitIntoTheQueue(settings);
    }

    /** A write that was begun must find room in the journal's queue. */
    private static void writesFitIntoTheQueue(Config settings) {
        int writes = settings.getInt("switchboard.writes.at-once") + settings.getInt("switchboard.writes.head-room");
        int queue = settings.getInt("switchboard.database.journal-queue");
        if (writes > queue) {
            throw new StartFailure("switchboard.database.journal-queue = " + queue
                    + " is less than switchboard.writes.at-once + head-room = " + writes
                    + ": what may be written at once must find room there");
        }
    }

    /** Checks that the ports can be had, so that a taken one is told at once and not after the database was opened. */
    static void portsAreFree(Config settings) {
        for (String part : List.of(HTTP, MANAGEMENT)) {
            String host = settings.getString(part + ".host");
            int port = settings.getInt(part + ".port");
            InetAddress address = address(part + ".host", host);
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(address, port));
            } catch (IOException e) {
                throw portTaken(part, settings, e);
            }
        }
        int http = settings.getInt(HTTP + ".port");
        if (http != 0 && http == settings.getInt(MANAGEMENT + ".port")) {
            throw new StartFailure(HTTP + ".port and " + MANAGEMENT + ".port are both " + http + "; they must differ");
        }
    }

    /** The failure of a listener on the port of {@code part}, a key such as {@code switchboard.http}. */
    static StartFailure portTaken(String part, Config settings, Throwable cause) {
        String where = settings.getString(part + ".host") + ":" + settings.getInt(part + ".port");
        return new StartFailure(
                part + ".port: can't listen on " + where + ": " + reason(cause).orElse("it is refused"), cause);
    }

    private static Optional<String> reason(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return Optional.of(
                        String.valueOf(cause.getMessage()).contains("in use")
                                ? "the port is in use by another process"
                                : String.valueOf(cause.getMessage()));
            }
        }
        return Optional.ofNullable(failure.getMessage());
    }

    private static InetAddress address(String key, String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new StartFailure(key + " = " + host + " is no address of a host", e);
        }
    }
}
