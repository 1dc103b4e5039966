package dev.switchboard.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.WireClient;
import dev.switchboard.server.settings.SettingsLoader;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * Starts a node, lets one customer and one agent talk, and ends it. The launcher runs it once after a build to have the
 * JVM write down which classes a node loads, so that later starts find them ready.
 */
@Command(name = "warm-up", hidden = true, description = "Start a node, use it once, and end it.")
final class WarmUpCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Override
    public Integer call() throws Exception {
        Path folder = TemporaryFolder.make("switchboard-warm-up-");
        Config overrides = ConfigFactory.parseMap(Map.of(
                "switchboard.data-dir",
                folder.toString(),
                "switchboard.http.port",
                0,
                "switchboard.management.port",
                0,
                "switchboard.auth.mode",
                "none"));
        try (Server server = Server.start(SettingsLoader.load(Optional.empty(), overrides))) {
            talk(URI.create("http://" + server.httpAddress()), URI.create("ws://" + server.httpAddress()));
        } finally {
            TemporaryFolder.delete(folder);
        }
        return 0;
    }

    private static void talk(URI http, URI ws) throws Exception {
        URI socket = URI.create(ws + "/api/v1/socket");
        try (WireClient agent = connect(socket, "dev:agent:warm");
                WireClient customer = connect(socket, "dev:customer:up")) {
            agent.must(frame("status").put("availability", "available"));
            JsonNode posted = customer.must(post("c1"));
            String conv = posted.path("conv").asText();
            JsonNode offer = agent.await("offer");
            JsonNode accepted =
                    agent.must(frame("accept").put("offer", offer.path("offer").asText()));
            agent.must(post("a1")
                    .put("conv", conv)
                    .put("epoch", accepted.path("epoch").asLong()));
            customer.await(frame -> frame.path("from").path("role").asText().equals("agent")
                    || frame.path("clientMsgId").asText().equals("a1"));
            new ApiClient(WireClient.http(), http, "dev:customer:up").get(ApiClient.of(conv, "/entries?since=1"));
        }
    }

    private static WireClient connect(URI socket, String token) throws Exception {
        return WireClient.to(WireClient.http(), socket)
                .token(token)
                .start()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static ObjectNode frame(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static ObjectNode post(String clientMsgId) {
        ObjectNode post = frame("post").put("clientMsgId", clientMsgId);
        post.putObject("body").put("type", "text").put("text", "hello");
        return post;
    }
}
