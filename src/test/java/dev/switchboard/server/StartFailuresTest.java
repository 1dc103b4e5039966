package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.harness.Folders;
import dev.switchboard.harness.Ports;
import dev.switchboard.harness.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever an operator can mend stops a real process with exit code 1 and one line that says what it is. */
class StartFailuresTest {
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    private final Path folder = Folders.temporary("switchboard-start-");

    @AfterEach
    void deleteFolder() {
        Folders.delete(folder);
    }

    @Test
    void shouldNameAnUnknownKey() throws IOException {
        String line = failure(server().environment("SWITCHBOARD_CONFIG", file("switchboard.http.prot = 80")));
        assertEquals(
                "switchboard: switchboard.http.prot = 80 is not a setting; the nearest one is switchboard.http.port"
                        + " (mine.conf: 2)",
                line);
    }

    @Test
    void shouldNameAValueOutOfRange() {
        String line = failure(server().environment("SWITCHBOARD_HTTP_PORT", "99999"));
        assertTrue(
                line.startsWith("switchboard: switchboard.http.port = \"99999\" is out of range; allowed is a whole"
                        + " number from 0 to 65535 ("),
                line);
    }

    @Test
    void shouldNameAValueOfTheWrongType() {
        String line = failure(server().environment("SWITCHBOARD_GATEWAY_DEADLINE", "soon"));
        assertTrue(
                line.startsWith(
                        "switchboard: switchboard.gateway.deadline = \"soon\" is not a duration with a unit, such"
                                + " as 500ms, 10s or 5m; allowed is a duration from 1s to 5m ("),
                line);
    }

    @Test
    void shouldNameALineThatCannotBeRead() throws IOException {
        String line = failure(server().environment("SWITCHBOARD_CONFIG", file("switchboard { http {")));
        assertTrue(line.startsWith("switchboard: the settings file can't be read: "), line);
        assertTrue(line.contains("mine.conf: "), line);
    }

    @Test
    void shouldNameASettingsFileThatIsMissing() {
        String missing = folder.resolve("nowhere.conf").toString();
        assertEquals(
                "switchboard: the settings file " + missing + " can't be read",
                failure(server().environment("SWITCHBOARD_CONFIG", missing)));
    }

    @Test
    void shouldNameAPortInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertEquals(
                    "switchboard: switchboard.http.port: can't listen on 127.0.0.1:" + port
                            + ": the port is in use by another process",
                    failure(server().httpPort(port)));
            assertEquals(
                    "switchboard: switchboard.management.port: can't listen on 127.0.0.1:" + port
                            + ": the port is in use by another process",
                    failure(server().managementPort(port)));
        }
    }

    @Test
    void shouldNameAQueueThatTakesLessThanMayBeWrittenAtOnce() {
        assertEquals(
                "switchboard: switchboard.database.journal-queue = 14999 is less than switchboard.writes.at-once +"
                        + " head-room = 15000: what may be written at once must find room there",
                failure(server().environment("SWITCHBOARD_DB_JOURNAL_QUEUE", "14999")));
    }

    @Test
    void shouldRefuseTheEmbeddedDatabaseToMoreNodesThanOne() {
        for (String line : List.of(
                failure(server().environment("SWITCHBOARD_CLUSTER_SEED_NODES", "127.0.0.1:25520")),
                failure(server().environment("SWITCHBOARD_CLUSTER_MIN_MEMBERS", "2")))) {
            assertTrue(line.contains("more nodes than one need a database that they share"), line);
        }
    }

    @Test
    void shouldNameASeedNodeWithoutAPort() {
        assertEquals(
                "switchboard: switchboard.cluster.seed-nodes: elsewhere is not host:port",
                failure(server().environment("SWITCHBOARD_CLUSTER_SEED_NODES", "elsewhere")));
    }

    @Test
    void shouldNameWhatIsMissingForTlsBetweenNodes() {
        assertEquals(
                "switchboard: switchboard.cluster.tls: certificate, key and authority go together; one of them is"
                        + " missing",
                failure(server().environment("SWITCHBOARD_CLUSTER_TLS_KEY", "/etc/key.pem")));
    }

    @Test
    void shouldNameADatabaseOutOfReach() {
        String url = "jdbc:postgresql://127.0.0.1:" + Ports.free() + "/switchboard";
        String line = failure(server().environment("SWITCHBOARD_DB_URL", url)
                .environment("SWITCHBOARD_DB_USER", "nobody")
                .environment("SWITCHBOARD_DB_CONNECT_TIMEOUT", "1s")
                .environment("SWITCHBOARD_DB_START_WAIT", "0s"));
        assertTrue(line.startsWith("switchboard: the database is out of reach: " + url), line);
    }

    @Test
    void shouldNameADataFolderInUse() throws IOException {
        Files.createDirectories(folder);
        try (FileChannel channel = FileChannel.open(
                        folder.resolve("switchboard.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            assertEquals(
                    "switchboard: the data folder " + folder + " is in use by another process (switchboard.data-dir)",
                    failure(server().dataFolder(folder)));
            assertTrue(held.isValid());
        }
    }

    @Test
    void shouldNameADataFolderThatCannotBeMade() throws IOException {
        Path occupied = Files.writeString(folder.resolve("a-file"), "");
        String line = failure(server().dataFolder(occupied.resolve("data")));
        assertTrue(
                line.startsWith("switchboard: the data folder " + occupied.resolve("data") + " can't be used: "), line);
    }

    @Test
    void shouldRefuseDevelopmentTokensBeyondLoopback() {
        assertEquals(
                "switchboard: switchboard.auth.mode: none is for development and starts only on loopback addresses,"
                        + " but the node listens on 0.0.0.0",
                failure(server().environment("SWITCHBOARD_HTTP_HOST", "0.0.0.0")));
        assertEquals(
                "switchboard: switchboard.auth.mode: none is for development and starts only on loopback addresses,"
                        + " but the node listens on 0.0.0.0",
                failure(server().environment("SWITCHBOARD_MANAGEMENT_HOST", "0.0.0.0")));
    }

    @Test
    void shouldRefuseRemotingBeyondLoopbackWithoutMutualTls() {
        assertEquals(
                "switchboard: switchboard.cluster.host = 192.0.2.1 is not loopback: nodes talk beyond it with mutual"
                        + " TLS only (switchboard.cluster.tls)",
                failure(server().environment("SWITCHBOARD_CLUSTER_HOST", "192.0.2.1")));
    }

    private ServerProcess.Builder server() {
        return ServerProcess.builder();
    }

    private String file(String line) throws IOException {
        Path file = folder.resolve("mine.conf");
        Path shipped = Folders.top().resolve("application.conf");
        Files.writeString(file, "include file(\"" + shipped + "\")\n" + line + "\n");
        return file.toString();
    }

    /** The only line that such a server writes. */
    private static String failure(ServerProcess.Builder options) {
        try (ServerProcess server = options.start()) {
            assertEquals(1, server.awaitExit(DEADLINE), () -> String.join("\n", server.output()));
            List<String> lines = server.output();
            assertEquals(1, lines.size(), () -> String.join("\n", lines));
            return lines.get(0);
        }
    }
}
