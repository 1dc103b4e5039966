package dev.switchboard.server.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One person's calls of the HTTP API, as a program outside Switchboard would make them. Thread-safe. The blocking calls
 * throw {@link UncheckedIOException} when the server can't be reached; every answer of the server is returned, errors
 * included.
 */
public final class ApiClient {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What the server answered. {@code json} is a missing node when the body is no JSON. */
    public record Answer(int status, HttpHeaders headers, String text, JsonNode json) {
        /** The problem's stable code, or an empty string. */
        public String code() {
            return json.path("code").asText("");
        }
    }

    private final HttpClient http;
    private final URI base;
    private final String token;

    /**
     * {@code server} is the address without a path, such as {@code http://127.0.0.1:8080}; {@code token} may be null.
     */
    public ApiClient(HttpClient http, URI server, String token) {
        this.http = http;
        this.base = server;
        this.token = token;
    }

    /** The same API with another token. */
    public ApiClient as(String otherToken) {
        return new ApiClient(http, base, otherToken);
    }

    /** A path's segment, encoded. */
    public static String segment(String raw) {
        return URLEncoder.encode(raw, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The path of a conversation and what follows it: {@code of("c-carol", "/entries")}. */
    public static String of(String conv, String rest) {
        return "/conversations/" + segment(conv) + rest;
    }

    public Answer get(String path) {
        return call("GET", path, null, null);
    }

    public Answer post(String path, JsonNode body, String idempotencyKey) {
        return call("POST", path, body, idempotencyKey);
    }

    public Answer put(String path, JsonNode body) {
        return call("PUT", path, body, null);
    }

    public Answer delete(String path) {
        return call("DELETE", path, null, null);
    }

    /** Posts a text message into a conversation. */
    public Answer message(String conv, String clientMsgId, String text) {
        return post(of(conv, "/messages"), messageBody(text), clientMsgId);
    }

    /** The body of a call that posts a text. */
    public static ObjectNode messageBody(String text) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.set("body", Frames.text(text));
        return body;
    }

    /** Any call. {@code body} and {@code idempotencyKey} may be null. */
    public Answer call(String method, String path, JsonNode body, String idempotencyKey) {
        try {
            return answer(http.send(
                    build(method, path, body, idempotencyKey),
                    HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in " + method + " " + path, e);
        }
    }

    /** Any call, without waiting for its answer. {@code body} and {@code idempotencyKey} may be null. */
    public CompletableFuture<Answer> start(String method, String path, JsonNode body, String idempotencyKey) {
        return http.sendAsync(
                        build(method, path, body, idempotencyKey),
                        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                .thenApply(ApiClient::answer);
    }

    private HttpRequest build(String method, String path, JsonNode body, String idempotencyKey) {
        HttpRequest.BodyPublisher content = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + "/api/v1" + path))
                .timeout(PATIENCE)
                .method(method, content);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (idempotencyKey != null) {
            request.header("Idempotency-Key", idempotencyKey);
        }
        return request.build();
    }

    private static Answer answer(HttpResponse<String> response) {
        JsonNode json;
        try {
            json = JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            json = MissingNode.getInstance();
        }
        return new Answer(response.statusCode(), response.headers(), response.body(), json);
    }
}
