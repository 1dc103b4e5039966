package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private World world = new World("switchboard.socket.max-without-hello = 2");

    @AfterEach
    void stop() {
        world.close();
    }

    private WebSocketHandshakeException refused(WebSocket.Builder builder) {
        CompletionException failure = assertThrows(
                CompletionException.class,
                () -> builder.buildAsync(world.uri(), new WebSocket.Listener() {})
                        .join());
        return assertInstanceOf(WebSocketHandshakeException.class, failure.getCause());
    }

    private static WebSocket.Builder builder() {
        return HttpClient.newHttpClient().newWebSocketBuilder();
    }

    @Test
    void shouldTakeTheFirstSubprotocolThatItKnows() {
        WebSocket socket = builder()
                .subprotocols("switchboard.v9.json", "switchboard.v1.cbor", "switchboard.v1.json")
                .buildAsync(world.uri(), new WebSocket.Listener() {})
                .join();
        assertEquals("switchboard.v1.cbor", socket.getSubprotocol());
        socket.abort();
    }

    @Test
    void shouldRefuseAClientWithoutAKnownSubprotocol() {
        assertEquals(400, refused(builder()).getResponse().statusCode());
        assertEquals(
                400,
                refused(builder().subprotocols("switchboard.v9.json"))
                        .getResponse()
                        .statusCode());
    }

    @Test
    void shouldRefuseAStrangersPage() {
        WebSocketHandshakeException refusal =
                refused(builder().subprotocols("switchboard.v1.json").header("Origin", "https://evil.example.com"));
        assertEquals(403, refusal.getResponse().statusCode());
    }

    @Test
    void shouldTakeItsOwnPage() {
        WebSocket socket = builder()
                .subprotocols("switchboard.v1.json")
                .header("Origin", "http://127.0.0.1:" + world.port())
                .buildAsync(world.uri(), new WebSocket.Listener() {})
                .join();
        socket.abort();
    }

    @Test
    void shouldRefuseAPlainRequest() throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + world.port() + "/api/v1/socket"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertEquals(400, answer.statusCode());
        String type = answer.headers().firstValue("content-type").orElse("");
        assertTrue(type.startsWith("application/problem+json"), type);
    }

    @Test
    void shouldCapSocketsWithoutHello() {
        try (Client first = Client.open(world);
                Client second = Client.open(world)) {
            WebSocketHandshakeException refusal = refused(builder().subprotocols("switchboard.v1.json"));
            assertEquals(503, refusal.getResponse().statusCode());
            assertComesAgainLater(refusal);
            second.send("{'type':'hello','token':'dev:customer:carol'}");
            second.next("welcome");
            try (Client third = Client.hello(world, "dev:customer:dave")) {
                third.next("welcome");
            }
            assertTrue(first.isOpen());
        }
    }

    @Test
    void shouldTurnAwayThoseWhoComeTooFast() {
        try (World crowded = new World("switchboard.socket.connect-rate = 1", "switchboard.socket.connect-burst = 1")) {
            try (Client first = Client.hello(crowded, "dev:customer:carol")) {
                first.next("welcome");
                CompletionException failure = assertThrows(CompletionException.class, () -> openUntilRefused(crowded));
                assertComesAgainLater(assertInstanceOf(WebSocketHandshakeException.class, failure.getCause()));
                assertTrue(crowded.server.figures().snapshot().connectLimited() > 0);
                assertTrue(first.isOpen());
            }
        }
    }

    /** One of a few at once is one too many, however long each takes. */
    private static void openUntilRefused(World crowded) {
        HttpClient http = HttpClient.newHttpClient();
        List<CompletableFuture<WebSocket>> opened = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            opened.add(http.newWebSocketBuilder()
                    .subprotocols("switchboard.v1.json")
                    .buildAsync(crowded.uri(), new WebSocket.Listener() {}));
        }
        CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).join();
    }

    private static void assertComesAgainLater(WebSocketHandshakeException refusal) {
        assertEquals(503, refusal.getResponse().statusCode());
        long seconds =
                refusal.getResponse().headers().firstValueAsLong("Retry-After").orElse(-1);
        assertTrue(seconds >= 1 && seconds <= 11, "Retry-After: " + seconds);
    }
}
