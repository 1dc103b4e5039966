package dev.switchboard.pages;

import dev.switchboard.harness.ServerAddress;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

/** Clears up after a test without a page, so that the next one finds an empty line and nobody at a desk. Thread-safe. */
final class Calls {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    private Calls() {}

    static void close(ServerAddress server, String customer) {
        expect(
                call(server, "POST", "/conversations/c-" + customer + "/close", "dev:customer:" + customer, "{}"),
                200,
                404,
                409);
    }

    static void goOffline(ServerAddress server, String agent) {
        expect(
                call(
                        server,
                        "PUT",
                        "/agents/" + agent + "/status",
                        "dev:agent:" + agent,
                        "{\"availability\":\"offline\"}"),
                200);
    }

    private static void expect(HttpResponse<String> response, int... statuses) {
        for (int status : statuses) {
            if (response.statusCode() == status) {
                return;
            }
        }
        throw new AssertionError(response.statusCode() + ": " + response.body());
    }

    private static HttpResponse<String> call(
            ServerAddress server, String method, String path, String token, String body) {
        HttpRequest request = HttpRequest.newBuilder(server.api(path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
