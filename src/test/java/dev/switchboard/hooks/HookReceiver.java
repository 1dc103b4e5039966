package dev.switchboard.hooks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A back end that takes webhooks, as a program outside Switchboard would be written: it checks the signature by itself, and
 * answers each path as a test says. Thread-safe.
 */
final class HookReceiver implements AutoCloseable {
    /** The secret of every receiver of these tests. */
    static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A request that came. */
    record Got(String path, String id, int attempt, boolean signed, JsonNode body) {
        String text() {
            return body.path("body").path("text").asText();
        }

        String conv() {
            return body.path("conv").asText();
        }

        boolean isMessage() {
            return body.path("kind").asText().equals("message");
        }
    }

    /** Decides the status of an answer; a redirect leads to {@code /elsewhere}. May block. */
    interface Answer {
        int to(Got got) throws Exception;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<Got> got = new CopyOnWriteArrayList<>();
    private final Map<String, AtomicInteger> underWay = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> most = new ConcurrentHashMap<>();

    private HookReceiver(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    static HookReceiver at(String address) {
        try {
            return new HookReceiver(HttpServer.create(new InetSocketAddress(address, 0), 100));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url(String path) {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":" + port() + path;
    }

    /** From now on that path is answered so; 200 is what others get. */
    void answer(String path, Answer answer) {
        answers.put(path, answer);
    }

    /** What came to a path, in the order in which it came. */
    List<Got> got(String path) {
        return got.stream().filter(each -> each.path().equals(path)).toList();
    }

    /** The most requests of one conversation, or of one path, that were open at once. */
    int most(String key) {
        return most.getOrDefault(key, new AtomicInteger()).get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            JsonNode json = JSON.readTree(body);
            String attempt = exchange.getRequestHeaders().getFirst("webhook-attempt");
            Got one = new Got(
                    path,
                    exchange.getRequestHeaders().getFirst("webhook-id"),
                    attempt == null ? 0 : Integer.parseInt(attempt),
                    isSigned(exchange, body),
                    json);
            got.add(one);
            begin(path);
            begin(one.conv());
            int status;
            try {
                status = answers.getOrDefault(path, any -> 200).to(one);
            } finally {
                underWay.get(path).decrementAndGet();
                underWay.get(one.conv()).decrementAndGet();
            }
            if (status >= 300 && status < 400) {
                exchange.getResponseHeaders().add("Location", url("/elsewhere"));
            }
            exchange.sendResponseHeaders(status, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private void begin(String key) {
        int now = underWay.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
        most.computeIfAbsent(key, any -> new AtomicInteger()).accumulateAndGet(now, Math::max);
    }

    private static boolean isSigned(HttpExchange exchange, byte[] body) {
        String id = exchange.getRequestHeaders().getFirst("webhook-id");
        String timestamp = exchange.getRequestHeaders().getFirst("webhook-timestamp");
        String signature = exchange.getRequestHeaders().getFirst("webhook-signature");
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(SECRET.substring(6)), "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
            boolean fresh = Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) < 300;
            return fresh && expected.equals(signature);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
