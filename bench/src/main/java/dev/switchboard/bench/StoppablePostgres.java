package dev.switchboard.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A PostgreSQL of its own that can be stopped and started again on the same data and port. Not thread-safe. */
final class StoppablePostgres implements AutoCloseable {
    private final Path folder = Files.createTempDirectory("switchboard-outage");
    private final int port;
    private EmbeddedPostgres running;

    StoppablePostgres() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
        start();
    }

    void start() throws IOException {
        running = EmbeddedPostgres.builder()
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setPort(port)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "100")
                .start();
    }

    void stop() throws IOException {
        running.close();
    }

    String url() {
        return "jdbc:postgresql://localhost:" + port + "/postgres";
    }

    /** The environment that makes a server use it. */
    Map<String, String> settings() {
        return Map.of(
                "SWITCHBOARD_DB_URL", url(),
                "SWITCHBOARD_DB_USER", "postgres",
                "SWITCHBOARD_DB_PASSWORD", "postgres");
    }

    @Override
    public void close() throws IOException {
        stop();
        List<Path> all;
        try (Stream<Path> paths = Files.walk(folder)) {
            all = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
