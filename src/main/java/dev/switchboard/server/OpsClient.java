package dev.switchboard.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.api.WireJson;
import dev.switchboard.auth.AuthSettings;
import dev.switchboard.auth.TokenMinter;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Option;

/** Calls a node's management port for the command line; a refusal is a StartFailure of one line. For one thread. */
final class OpsClient {
    /** Which node, and as whom. */
    static final class Where {
        @Option(
                names = "--node",
                paramLabel = "URL",
                description = "The management port to ask, any node's; by default the one of the settings.")
        private URI node;

        @Option(
                names = "--token",
                defaultValue = "${env:SWITCHBOARD_TOKEN}",
                description =
                        "An operator's token, by default SWITCHBOARD_TOKEN; else one is made with the settings' key.")
        private String token;

        @Option(
                names = "--as",
                defaultValue = "${env:USER:-operator}",
                description = "Who is noted where a token is made here (${DEFAULT-VALUE}).")
        private String id;
    }

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration TOKEN_LIFE = Duration.ofHours(12);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final String base;
    private final String token;

    private OpsClient(String base, String token) {
        this.base = base;
        this.token = token;
    }

    /** A client by these options; the settings say what they leave open. */
    static OpsClient of(Where where, SettingsOption settings) {
        Config checked = settings.load(ConfigFactory.empty());
        String base = where.node == null
                ? "http://" + checked.getString("switchboard.management.host") + ":"
                        + checked.getInt("switchboard.management.port")
                : where.node.toString().replaceAll("/$", "");
        boolean given = where.token != null && !where.token.isBlank();
        return new OpsClient(base, given ? where.token : made(checked, where.id));
    }

    private static String made(Config checked, String id) {
        try {
            AuthSettings auth = AuthSettings.of(checked);
            if (auth.mode() == AuthSettings.Mode.NONE) {
                return "dev:operator:" + id;
            }
            AuthSettings.KeySettings key = auth.mintingKey()
                    .orElseThrow(
                            () -> new StartFailure("there is no HS256 key to make a token with: give one by --token"));
            return new TokenMinter(key, auth.issuer(), auth.audience())
                    .mint(new Principal(
                            Role.OPERATOR,
                            id,
                            Set.of(),
                            0,
                            Set.of(),
                            Set.of(),
                            Instant.now().plus(TOKEN_LIFE)));
        } catch (ConfigException | IllegalArgumentException e) {
            throw new StartFailure(e.getMessage(), e);
        }
    }

    /** A name as a part of a path. */
    static String part(String name) {
        return URLEncoder.encode(name.replaceFirst("^http://", ""), StandardCharsets.UTF_8);
    }

    JsonNode get(String path) {
        return call(request(path).GET());
    }

    JsonNode delete(String path) {
        return call(request(path).DELETE());
    }

    JsonNode post(String path, JsonNode body) {
        return call(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
    }

    /** Waits until the operation has ended, as long as that takes; the node that is asked may be one that ends. */
    JsonNode awaitEnd(String id) {
        JsonNode last = get("/ops/shards/moves/" + id);
        while (last.path("status").asText().equals("running")) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_AGAIN.toMillis()));
            last = get("/ops/shards/moves/" + id);
        }
        return last;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token);
    }

    private JsonNode call(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            JsonNode content = WireJson.json().readTree(answer.body());
            if (answer.statusCode() >= 300) {
                throw new StartFailure(content.path("code").asText() + ": "
                        + content.path("detail").asText());
            }
            return content;
        } catch (JsonProcessingException e) {
            throw new StartFailure(base + " doesn't answer as a node's management port", e);
        } catch (IOException e) {
            throw new StartFailure(base + " can't be reached: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartFailure("interrupted", e);
        }
    }
}
