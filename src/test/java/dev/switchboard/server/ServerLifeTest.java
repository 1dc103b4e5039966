package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.WireClient;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** A real process from its start over its ends, kind and unkind, to the next start. */
class ServerLifeTest {
    private static final Duration END_DEADLINE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = WireClient.http();

    @Test
    void shouldTellSocketsAndEndWithZeroOnSigterm() throws Exception {
        try (ServerProcess server = ServerProcess.builder().start()) {
            server.awaitReady();
            secondProcessIsRefused(server);
            WireClient customer = connect(server);
            String conv = post(customer, "m1", "before the end").path("conv").asText();

            server.terminate();
            JsonNode bye = customer.await("bye");
            assertEquals("restart", bye.path("code").asText(), bye::toString);
            assertTrue(bye.path("reconnect").asBoolean(), bye::toString);
            assertNotEquals(200, server.readyStatus());
            assertEquals(0, server.awaitExit(END_DEADLINE), () -> String.join("\n", server.output()));
            assertEquals(List.of(), complaints(server));

            server.startAgain();
            server.awaitReady();
            assertEquals(List.of("before the end"), texts(server, conv));
        }
    }

    @Test
    void shouldKeepWhatWasAcceptedWhenKilledOnPostgreSql() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .start();
                ServerProcess server = ServerProcess.builder()
                        .environment(
                                "SWITCHBOARD_DB_URL",
                                postgres.getJdbcUrl("postgres", "postgres").replaceAll("\\?.*", ""))
                        .environment("SWITCHBOARD_DB_USER", "postgres")
                        .start()) {
            server.awaitReady();
            WireClient customer = connect(server);
            String conv = post(customer, "m1", "one").path("conv").asText();
            post(customer, "m2", "two");

            server.kill();
            server.startAgain();
            server.awaitReady();
            assertEquals(List.of("one", "two"), texts(server, conv));
            JsonNode repeat = post(connect(server), "m2", "two");
            assertTrue(repeat.path("duplicate").asBoolean(), repeat::toString);
            assertEquals(List.of("one", "two"), texts(server, conv));

            server.terminate();
            assertEquals(0, server.awaitExit(END_DEADLINE), () -> String.join("\n", server.output()));
        }
    }

    private static void secondProcessIsRefused(ServerProcess first) {
        try (ServerProcess second =
                ServerProcess.builder().dataFolder(first.dataFolder()).start()) {
            assertEquals(1, second.awaitExit(END_DEADLINE));
            assertEquals(
                    List.of("switchboard: the data folder " + first.dataFolder()
                            + " is in use by another process (switchboard.data-dir)"),
                    second.output());
        }
    }

    private static WireClient connect(ServerProcess server) throws Exception {
        return WireClient.to(HTTP, server.address().socket())
                .token("dev:customer:carol")
                .start()
                .get(30, TimeUnit.SECONDS);
    }

    private static JsonNode post(WireClient customer, String clientMsgId, String text) {
        ObjectNode post =
                JsonNodeFactory.instance.objectNode().put("type", "post").put("clientMsgId", clientMsgId);
        post.putObject("body").put("type", "text").put("text", text);
        return customer.must(post);
    }

    private static List<String> texts(ServerProcess server, String conv) {
        ApiClient.Answer answer = new ApiClient(HTTP, server.address().http(), "dev:customer:carol")
                .get(ApiClient.of(conv, "/entries?since=1&limit=200"));
        assertEquals(200, answer.status(), answer::text);
        return StreamSupport.stream(answer.json().path("entries").spliterator(), false)
                .filter(entry -> entry.path("kind").asText().equals("message"))
                .map(entry -> entry.path("body").path("text").asText())
                .toList();
    }

    private static List<String> complaints(ServerProcess server) {
        return server.output().stream()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR ") || line.startsWith("\tat "))
                .toList();
    }
}
