package dev.switchboard.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.auth.AuthSettings;
import dev.switchboard.auth.Authentication;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;

/** The API over real HTTP, with {@link Fakes} behind it. Every answer is held against the OpenAPI document. */
final class ApiFixture implements AutoCloseable {
    static final OpenApiContract CONTRACT = OpenApiContract.of(document("openapi.yaml"));
    private static final ObjectMapper JSON = new ObjectMapper();

    final Fakes fakes = new Fakes();
    final ApiRoutes api;

    /** One for all tests: it takes longer to start than they do. Its threads don't keep the process. */
    private static final ActorSystem<Void> SYSTEM = ActorSystem.create(
            Behaviors.empty(),
            "api",
            ConfigFactory.parseString("pekko.daemonic = on").withFallback(ConfigFactory.load()));

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Authentication authentication;
    private final ServerBinding binding;

    ApiFixture() {
        this(settings(2000, 100_000, 100_000));
    }

    ApiFixture(HttpSettings settings) {
        this(settings, System::nanoTime);
    }

    ApiFixture(HttpSettings settings, LongSupplier nanoClock) {
        authentication = Authentication.start(
                SYSTEM,
                new AuthSettings(
                        AuthSettings.Mode.NONE,
                        "",
                        "",
                        Duration.ZERO,
                        List.of(),
                        Duration.ofHours(1),
                        Duration.ofHours(1),
                        List.of("https://desk.example.com")),
                fakes.directory());
        api = new ApiRoutes(SYSTEM, fakes.services(), authentication, settings, nanoClock);
        binding = Http.get(SYSTEM)
                .newServerAt("127.0.0.1", 0)
                .withSettings(HttpHouse.serverSettings(SYSTEM, settings))
                .bind(WholeRoute.of(settings, api.route()))
                .toCompletableFuture()
                .join();
    }

    static HttpSettings settings(int maxInFlight, int perSecond, int burst) {
        return new HttpSettings(
                "127.0.0.1",
                0,
                1000,
                maxInFlight,
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(20),
                Duration.ofSeconds(1),
                Duration.ZERO,
                new HttpSettings.Rate(perSecond, burst),
                new HttpSettings.Rate(perSecond, burst),
                64 * 1024,
                16 * 1024);
    }

    /** A file of the project's docs folder, from wherever the tests run. */
    static String document(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path file = at.resolve("docs").resolve(name);
            if (Files.exists(file)) {
                try {
                    return Files.readString(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new AssertionError("docs/" + name + " is not above " + Path.of("").toAbsolutePath());
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + binding.localAddress().getPort() + ApiRoutes.BASE + path);
    }

    /** What came back. */
    record Answer(int status, HttpHeaders headers, String text, JsonNode json) {
        String code() {
            return json.path("code").asText();
        }
    }

    Answer get(String who, String path) {
        return call(who, "GET", path, null);
    }

    Answer post(String who, String path, String json, String... headers) {
        return call(who, "POST", path, json, headers);
    }

    Answer put(String who, String path, String json) {
        return call(who, "PUT", path, json);
    }

    /** A call of {@code ROLE:ID}, or without a token for null. */
    Answer call(String who, String method, String path, String json, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofSeconds(20))
                .method(
                        method,
                        json == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(json));
        if (who != null) {
            request.header("Authorization", "Bearer dev:" + who);
        }
        if (json != null && !List.of(headers).contains("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build(), method, path);
    }

    /** A question of a browser, which the OpenAPI document doesn't describe. */
    Answer options(String path, String... headers) {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                .headers(headers)
                .build();
        return send(request, "OPTIONS", null);
    }

    Answer send(HttpRequest request, String method, String path) {
        try {
            HttpResponse<String> answer =
                    HTTP.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            String type = answer.headers().firstValue("Content-Type").orElse(null);
            if (path != null) {
                CONTRACT.check(method, path.split("\\?", 2)[0], answer.statusCode(), type, answer.body());
            }
            JsonNode json =
                    type != null && type.contains("json") ? JSON.readTree(answer.body()) : MissingNode.getInstance();
            return new Answer(answer.statusCode(), answer.headers(), answer.body(), json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        authentication.close();
        binding.unbind().toCompletableFuture().join();
    }
}
