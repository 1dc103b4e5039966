package dev.switchboard.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.harness.Folders;
import dev.switchboard.harness.Ports;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.OutageTraffic;
import dev.switchboard.server.demo.WireClient;
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

    private static WireClient sender(ServerProcess server) {
        return WireClient.to(WireClient.http(), server.address().socket())
                .token("dev:customer:sender")
                .open();
    }

    private static ApiClient api(ServerProcess server) {
        return new ApiClient(WireClient.http(), server.address().http(), "dev:customer:sender");
    }

    /** One over the socket, one over HTTP: both are told that it is on this node's disk. */
    private static void spool(ServerProcess server, WireClient client, String conv) {
        await().atMost(PATIENCE)
                .until(() -> client.ask(Frames.post(conv, "m2", "over the socket"))
                        .path("state")
                        .asText()
                        .equals("spooled"));
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.putObject("body").put("type", "text").put("text", "over HTTP");
        ApiClient.Answer[] answer = new ApiClient.Answer[1];
        await().atMost(PATIENCE).until(() -> {
            answer[0] = api(server).post(ApiClient.of(conv, "/messages"), body, "m3");
            return answer[0].status() == 202;
        });
        assertEquals("spooled", answer[0].json().path("state").asText(), answer[0]::text);
        assertEquals("spooled", state(server, conv, "m3").path("state").asText());
    }

    private static JsonNode state(ServerProcess server, String conv, String id) {
        return api(server)
                .get(ApiClient.of(conv, "/messages/" + id + "/status"))
                .json();
    }

    /** The journal is back: a frame says that it was accepted, and the status says the same. */
    private static void tellTheSender(ServerProcess server, WireClient client, String conv) {
        JsonNode told = client.await(
                frame -> Frames.is(frame, "state")
                        && frame.path("clientMsgId").asText().equals("m2"),
                PATIENCE);
        assertEquals("accepted", told.path("state").asText(), told::toString);
        await().atMost(PATIENCE)
                .until(() -> state(server, conv, "m3").path("state").asText().equals("accepted"));
        assertTrue(
                told.path("seq").asLong()
                        < state(server, conv, "m3").path("seq").asLong(),
                told::toString);
    }

    @Test
    void shouldWriteWhatWasSpooledOnceAndInOrderThoughTheNodeWasKilledAndTellItsSenders() throws Exception {
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
            WireClient client = sender(server);
            String conv = client.insist(Frames.of("open")).path("conv").asText();
            client.insist(Frames.post(conv, "m1", "before the outage"));
            postgres.close();
            spool(server, client, conv);
            postgres = postgres();
            tellTheSender(server, client, conv);
            client.close();
        } finally {
            postgres.close();
            Folders.delete(folder);
        }
    }
}
