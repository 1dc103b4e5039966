package dev.switchboard.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.api.ApiFixture.Answer;
import dev.switchboard.conversation.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What is bounded is refused with its own code, and what was going on goes on. */
class LimitsTest {
    private static final String CAROL = "customer:carol";

    @Test
    void shouldLimitTheRateOfEachCaller() {
        try (ApiFixture api = new ApiFixture(ApiFixture.settings(100, 1, 3), () -> 0)) {
            for (int i = 0; i < 3; i++) {
                assertEquals(200, api.get(CAROL, "/conversations").status());
            }
            Answer answer = api.get(CAROL, "/conversations");
            assertEquals(429, answer.status());
            assertEquals("rate-limited", answer.code());
            assertTrue(answer.json().path("retryAfterMs").asLong() > 0);
            assertEquals("1", answer.headers().firstValue("Retry-After").orElse(""));
            assertEquals(200, api.get("customer:dan", "/conversations").status());
            assertEquals(1, api.api.figures().rateLimited());
        }
    }

    @Test
    void shouldRefuseMoreCallsAtOnceThanItWorksOn() {
        try (ApiFixture api = new ApiFixture(ApiFixture.settings(2, 1000, 1000))) {
            api.fakes.add(Fakes.row("carol", Status.ASSIGNED, "alice", "default"));
            CompletableFuture<Boolean> go = new CompletableFuture<>();
            api.fakes.waitFor = go;
            List<CompletableFuture<Answer>> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(CompletableFuture.supplyAsync(() -> api.get(CAROL, "/conversations/c-carol")));
            }
            Awaitility.await().until(() -> api.fakes.asked.size() == 2);
            Answer refused = api.get(CAROL, "/conversations/c-carol");
            assertEquals(503, refused.status());
            assertEquals("overload", refused.code());
            go.complete(true);
            waiting.forEach(answer -> assertEquals(200, answer.join().status()));
            assertEquals(200, api.get(CAROL, "/conversations/c-carol").status());
            Awaitility.await().until(() -> api.api.figures().inFlight() == 0);
        }
    }

    @Test
    void shouldStopReadingABodyWithoutLength() {
        try (ApiFixture api = new ApiFixture()) {
            byte[] large = new byte[200 * 1024];
            HttpRequest request = HttpRequest.newBuilder(api.uri("/conversations"))
                    .timeout(Duration.ofSeconds(20))
                    .header("Authorization", "Bearer dev:" + CAROL)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(large)))
                    .build();
            Answer answer = api.send(request, "POST", "/conversations");
            assertEquals(413, answer.status());
            assertEquals("too-large", answer.code());
        }
    }

    @Test
    void shouldAnswerWhatIsNoHttpAsAProblem() throws IOException {
        try (ApiFixture api = new ApiFixture()) {
            assertTrue(raw(api, "GET /api/v1/conversations HTTP/1.1\r\nHost: a b c\r\n\r\n")
                    .startsWith("HTTP/1.1 400"));
            String answer = raw(api, "GET /api/v1/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
            assertTrue(answer.contains("application/problem+json"), answer);
            assertTrue(answer.contains("\"code\":\"malformed\""), answer);
            String longLine = raw(api, "GET /api/v1/" + "x".repeat(9000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertTrue(longLine.contains("\"code\":\"too-large\""), longLine);
            String method = raw(api, "FETCH /api/v1/conversations HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertTrue(method.contains("\"code\":\"not-supported\""), method);
        }
    }

    private static String raw(ApiFixture api, String request) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), api.uri("").getPort())) {
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldGiveTokensBackWithTime() {
        long[] now = {Long.MAX_VALUE - 5};
        RateLimit rate = new RateLimit(10, 2, () -> now[0]);
        assertEquals(Duration.ZERO, rate.take("a"));
        assertEquals(Duration.ZERO, rate.take("a"));
        assertEquals(Duration.ofMillis(100), rate.take("a"));
        assertEquals(Duration.ZERO, rate.take("b"));
        now[0] += Duration.ofMillis(60).toNanos();
        assertEquals(Duration.ofMillis(40), rate.take("a"));
        now[0] += Duration.ofMillis(40).toNanos();
        assertEquals(Duration.ZERO, rate.take("a"));
        assertEquals(Duration.ofMillis(100), rate.take("a"));
    }

    @Test
    void shouldForgetCallersWhoAreQuiet() {
        long[] now = {0};
        RateLimit rate = new RateLimit(10, 2, () -> now[0]);
        for (int i = 0; i < 1000; i++) {
            rate.take("caller" + i);
        }
        assertEquals(1000, rate.size());
        now[0] += Duration.ofSeconds(2).toNanos();
        rate.take("another");
        assertEquals(1, rate.size());
    }
}
