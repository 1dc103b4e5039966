package dev.switchboard.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.harness.Folders;
import dev.switchboard.harness.Ports;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.OutageTraffic;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The short form of {@code ./switchboard bench outage}: the database goes away, and the node is killed meanwhile. */
class OutageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ENOUGH = 40;

    private final Path folder = Folders.temporary("switchboard-outage-");
    private final int port = Ports.free();

    private EmbeddedPostgres postgres() throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(folder)
                .setCleanDataDirectory(false)
                .setPort(port)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
    }

    @Test
    void shouldWriteWhatWasSpooledOnceAndInOrderThoughTheNodeWasKilled() throws Exception {
        String url = "jdbc:postgresql://localhost:" + port + "/postgres";
        EmbeddedPostgres postgres = postgres();
        try (ServerProcess server = ServerProcess.builder()
                .environment("SWITCHBOARD_DB_URL", url)
                .environment("SWITCHBOARD_DB_USER", "postgres")
                .environment("SWITCHBOARD_DB_PASSWORD", "postgres")
                .environment("SWITCHBOARD_DB_START_WAIT", "5m")
                .environment("SWITCHBOARD_SPOOL_ENABLED", "true")
                .start()) {
            server.awaitReady();
            URI address = URI.create("http://127.0.0.1:" + server.address().httpPort());
            try (OutageTraffic traffic = new OutageTraffic(address, new OutageTraffic.Plan("t", 20, 50, true))) {
                traffic.start();
                await().atMost(PATIENCE).until(() -> traffic.answered(false) >= ENOUGH);
                postgres.close();
                await().atMost(PATIENCE).until(() -> traffic.answered(true) >= ENOUGH);
                server.kill();
                server.startAgain();
                postgres = postgres();
                server.awaitReady();
                int accepted = traffic.answered(false);
                await().atMost(PATIENCE).until(() -> traffic.answered(false) >= accepted + ENOUGH);
                assertTrue(traffic.finish(PATIENCE), "posts got no answer");
                OutageTraffic.Report report = traffic.check(url, "postgres", "postgres", PATIENCE);
                assertTrue(report.isClean() && report.spooled() >= ENOUGH, report::toString);
            }
        } finally {
            postgres.close();
            Folders.delete(folder);
        }
    }
}
