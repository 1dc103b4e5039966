package dev.switchboard.cluster;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.switchboard.harness.Ports;
import dev.switchboard.harness.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three nodes and their database, started as an operator would to try a cluster. For one thread. */
final class ClusterUnderTest implements AutoCloseable {
    private static final int NODES = 3;
    private static final Duration END_DEADLINE = Duration.ofMinutes(2);

    /** One of them. */
    record Node(String name, URI http, URI management, long pid) {
        void signal(String name) throws IOException, InterruptedException {
            int code = new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("no signal " + name + " to " + pid);
            }
        }

        boolean runs() {
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
    }

    private final ServerProcess process;
    private final List<Node> nodes = new ArrayList<>();

    ClusterUnderTest() throws IOException {
        int ports = Ports.freeRun(2 * NODES);
        process = ServerProcess.builder()
                .arguments("cluster", "--nodes", String.valueOf(NODES))
                .httpPort(ports)
                .managementPort(ports + NODES)
                .readyDeadline(Duration.ofMinutes(4))
                .start();
        try {
            process.awaitReady();
            JsonNode file = new ObjectMapper()
                    .readTree(process.dataFolder().resolve("cluster.json").toFile());
            for (JsonNode node : file.path("nodes")) {
                nodes.add(new Node(
                        node.path("name").asText(),
                        URI.create(node.path("http").asText()),
                        URI.create(node.path("management").asText()),
                        node.path("pid").asLong()));
            }
        } catch (AssertionError e) {
            String logs = logs();
            close();
            throw new AssertionError(e.getMessage() + "\n" + logs, e);
        } catch (RuntimeException | IOException e) {
            close();
            throw e;
        }
    }

    List<Node> nodes() {
        return nodes;
    }

    Node node(int number) {
        return nodes.get(number - 1);
    }

    List<URI> urls() {
        return nodes.stream().map(Node::http).toList();
    }

    /** What the node has written to its log. */
    String log(Node node) throws IOException {
        Path file = process.dataFolder().resolve(node.name() + ".log");
        return Files.readString(file);
    }

    /** What all nodes and the database have written. */
    private String logs() {
        StringBuilder all = new StringBuilder();
        for (String name : List.of("node-1", "node-2", "node-3", "postgresql")) {
            try {
                all.append("== ").append(name).append('\n');
                all.append(Files.readString(process.dataFolder().resolve(name + ".log")));
            } catch (IOException e) {
                all.append(e).append('\n');
            }
        }
        return all.toString();
    }

    /** Ends all of them in order; 0 is what an orderly end gives. */
    int end() {
        process.terminate();
        return process.awaitExit(END_DEADLINE);
    }

    @Override
    public void close() {
        // The nodes and the database end when their parent is gone, however that went; a stopped one can't.
        nodes.forEach(node -> ProcessHandle.of(node.pid()).ifPresent(ProcessHandle::destroyForcibly));
        if (process.isAlive()) {
            process.kill();
        }
        await().atMost(END_DEADLINE).until(() -> nodes.stream().noneMatch(Node::runs) && databaseIsGone());
        process.close();
    }

    /** The server's own file in its folder lasts as long as it does. */
    private boolean databaseIsGone() {
        return !Files.exists(process.dataFolder().resolve("postgresql").resolve("postmaster.pid"));
    }
}
