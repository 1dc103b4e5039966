package dev.switchboard.server.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.switchboard.api.WireJson;
import dev.switchboard.server.StartFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Some nodes on this machine, each a process, with a PostgreSQL beside them unless the settings name one: to try a
 * cluster, not to run one. All of it lives in the data folder and comes back with the next start there. For one thread
 * at a time, but {@link #end} for any.
 */
public final class LocalCluster {
    private static final Duration DATABASE_DEADLINE = Duration.ofSeconds(60);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 6_000;

    /** Together they leave a part of the machine's memory to the database. */
    private static final int MEMORY_PERCENT = 60;

    private final Config settings;
    private final int count;
    private final Path folder;
    private final PrintWriter out;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private NodeProcess database;
    private boolean ending;

    public LocalCluster(Config settings, int count, PrintWriter out) {
        this.settings = settings;
        this.count = count;
        this.folder = Path.of(settings.getString("switchboard.data-dir")).toAbsolutePath();
        this.out = out;
    }

    /** Starts the database, and then the nodes, and writes down what they are; doesn't wait until they are ready. */
    public void start() {
        try {
            Files.createDirectories(folder);
            Map<String, String> shared = databaseSettings();
            shared.put("switchboard.cluster.min-members", String.valueOf(count));
            List<Integer> clusterPorts = ports("switchboard.cluster.port");
            shared.put(
                    "switchboard.cluster.seed-nodes",
                    clusterPorts.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",")));
            List<Integer> httpPorts = ports("switchboard.http.port");
            List<Integer> managementPorts = ports("switchboard.management.port");
            ObjectNode description = WireJson.json().createObjectNode();
            ArrayNode list = description.putArray("nodes");
            for (int i = 0; i < count; i++) {
                Map<String, String> own = new LinkedHashMap<>(shared);
                own.put("switchboard.cluster.port", String.valueOf(clusterPorts.get(i)));
                own.put("switchboard.http.port", String.valueOf(httpPorts.get(i)));
                own.put("switchboard.management.port", String.valueOf(managementPorts.get(i)));
                NodeProcess node = startNode("node-" + (i + 1), own);
                list.addObject()
                        .put("name", node.name())
                        .put("http", url("switchboard.http.host", httpPorts.get(i)))
                        .put("management", url("switchboard.management.host", managementPorts.get(i)))
                        .put("pid", node.pid());
            }
            Path making = folder.resolve("cluster.json.new");
            WireJson.json().writerWithDefaultPrettyPrinter().writeValue(making.toFile(), description);
            Files.move(making, folder.resolve("cluster.json"), StandardCopyOption.REPLACE_EXISTING);
            list.forEach(node -> out.printf(
                    "switchboard: %s: %s, management %s, process %d%n",
                    node.path("name").asText(),
                    node.path("http").asText(),
                    node.path("management").asText(),
                    node.path("pid").asLong()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized NodeProcess startNode(String name, Map<String, String> own) throws IOException {
        if (ending) {
            throw new StartFailure("the start was interrupted");
        }
        own.put("switchboard.data-dir", folder.resolve(name).toString());
        NodeProcess node = NodeProcess.start(
                name, List.of(), options(), own, List.of("serve", "--until-input-ends"), folder.resolve(name + ".log"));
        nodes.add(node);
        return node;
    }

    /**
     * The nodes share this machine. Each would spend a core for its first minute on the code that its compiler likes best,
     * and everybody would wait; code that is compiled quickly does for trying.
     */
    private List<String> options() {
        List<String> options = new ArrayList<>();
        options.add("-XX:MaxRAMPercentage=" + Math.max(1, MEMORY_PERCENT / count));
        boolean chosen = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .anyMatch(argument -> argument.contains("Tiered"));
        if (count > 1 && !chosen) {
            options.add("-XX:TieredStopAtLevel=1");
        }
        return options;
    }

    /** The settings' own PostgreSQL, or else one that is started here. */
    private Map<String, String> databaseSettings() throws IOException {
        Map<String, String> named = new LinkedHashMap<>();
        if (settings.getString("switchboard.database.url").startsWith("jdbc:postgresql:")) {
            return named;
        }
        Path urlFile = folder.resolve("postgresql.url");
        Files.deleteIfExists(urlFile);
        synchronized (this) {
            database = NodeProcess.start(
                    "the database",
                    withoutSignals(),
                    List.of("-XX:MaxRAMPercentage=5"),
                    Map.of(),
                    List.of("cluster-database", folder.resolve("postgresql").toString(), urlFile.toString()),
                    folder.resolve("postgresql.log"));
        }
        long deadline = System.nanoTime() + DATABASE_DEADLINE.toNanos();
        while (!Files.exists(urlFile)) {
            if (!database.process().isAlive() || System.nanoTime() - deadline >= 0) {
                throw new StartFailure(
                        "the embedded PostgreSQL does not start, see " + folder.resolve("postgresql.log"));
            }
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
        named.put("switchboard.database.url", Files.readString(urlFile));
        named.put("switchboard.database.user", "postgres");
        named.put("switchboard.database.password", "postgres");
        return named;
    }

    /** A signal to the group of processes, as of Ctrl-C, is to end the nodes first. */
    private static List<String> withoutSignals() {
        Path setsid = Path.of("/usr/bin/setsid");
        return Files.isExecutable(setsid) ? List.of(setsid.toString()) : List.of();
    }

    /** As many ports as there are nodes: upwards from the one that is set, or any free ones when that is 0. */
    private List<Integer> ports(String setting) {
        int base = settings.getInt(setting);
        if (base == 0) {
            // Below those that the system gives to outgoing connections: the nodes have many before they listen.
            int next = FIRST_PORT + ThreadLocalRandom.current().nextInt(PORTS);
            List<Integer> ports = new ArrayList<>();
            while (ports.size() < count && next <= FIRST_PORT + 2 * PORTS) {
                if (isFree(next)) {
                    ports.add(next);
                }
                next++;
            }
            return ports;
        }
        return IntStream.range(base, base + count).boxed().toList();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private String url(String hostSetting, int port) {
        return "http://" + settings.getString(hostSetting) + ":" + port;
    }

    /** Waits until no node is left, and says of each one that ended how it did. */
    public void awaitEnd() {
        List<NodeProcess> started;
        synchronized (this) {
            started = List.copyOf(nodes);
        }
        CompletableFuture.allOf(started.stream()
                        .map(node -> node.process().onExit().thenAccept(process -> sayEnded(node)))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    private synchronized void sayEnded(NodeProcess node) {
        if (!ending) {
            out.printf(
                    "switchboard: %s has ended with %d%n",
                    node.name(), node.process().exitValue());
        }
    }

    /** Ends the nodes in order, and then the database. Blocks until then. */
    public void end() {
        List<NodeProcess> running;
        synchronized (this) {
            ending = true;
            running = List.copyOf(nodes);
        }
        Duration patience =
                settings.getDuration("switchboard.shutdown.deadline").plus(MARGIN);
        // One after the other: each can hand its shards to those that are left.
        for (NodeProcess node : running) {
            node.askToEnd();
            if (!node.awaitEnd(System.nanoTime() + patience.toNanos())) {
                out.printf("switchboard: %s did not end in %d s and was killed%n", node.name(), patience.toSeconds());
            }
        }
        if (database != null) {
            database.askToEnd();
            database.awaitEnd(System.nanoTime() + TimeUnit.SECONDS.toNanos(DATABASE_DEADLINE.toSeconds()));
        }
    }
}
