package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The memory of a process that holds many sockets which stop reading. It takes a minute, so it runs only with {@code
 * -Dswitchboard.stalled-sockets=200}, and reports what it saw.
 */
@EnabledIfSystemProperty(named = "switchboard.stalled-sockets", matches = "[1-9][0-9]*")
class StalledMemoryTest {
    private static final int STALLED = Integer.getInteger("switchboard.stalled-sockets", 200);
    private static final int CONVERSATIONS = 10;
    private static final int MESSAGES = 600;
    private static final int WINDOW = 16;

    /** Larger than what terminals share of an encoded entry, so that each stalled socket has bytes of its own. */
    private static final String FILLER = " ".repeat(12_000);

    private final HttpClient http = WireClient.http();

    @Test
    void shouldKeepItsMemoryBoundedWhileManySocketsStopReading(TestReporter reporter) throws Exception {
        try (ServerProcess server = ServerProcess.builder()
                .environment("SWITCHBOARD_SOCKET_SLOW_GRACE", "10s")
                .start()) {
            server.awaitReady();
            List<WireClient> healthy = new ArrayList<>();
            List<String> conversations = new ArrayList<>();
            for (int i = 0; i < CONVERSATIONS; i++) {
                WireClient client = WireClient.to(http, server.address().socket())
                        .token("dev:customer:c" + i)
                        .open();
                healthy.add(client);
                conversations.add(client.insist(Frames.of("open")).path("conv").asText());
            }
            for (int i = 0; i < STALLED; i++) {
                stall(server, "dev:customer:c" + i % CONVERSATIONS, "stalled-" + i);
            }
            reporter.publishEntry("before, kB", memory(server));
            long most = 0;
            Queue<CompletableFuture<JsonNode>> open = new ArrayDeque<>();
            for (int i = 0; i < MESSAGES; i++) {
                for (int of = 0; of < CONVERSATIONS; of++) {
                    open.add(healthy.get(of).request(Frames.post(conversations.get(of), "m" + i, i + FILLER)));
                }
                while (open.size() > WINDOW * CONVERSATIONS) {
                    accepted(open.poll());
                }
                most = Math.max(most, residentKb(server));
            }
            while (!open.isEmpty()) {
                accepted(open.poll());
            }
            reporter.publishEntry("most while they stalled, resident kB", Long.toString(most));
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> slow(server) >= STALLED);
            reporter.publishEntry("after all were ended as slow, kB", memory(server));
            assertTrue(server.isAlive());
            healthy.forEach(client -> assertTrue(!client.isClosed()));
            healthy.forEach(WireClient::close);
        }
    }

    private static void accepted(CompletableFuture<JsonNode> answer) throws Exception {
        JsonNode reply = answer.get(60, TimeUnit.SECONDS);
        assertEquals("reply", reply.path("type").asText(), reply::toString);
    }

    /** A socket that says hello and never asks for a frame. */
    private void stall(ServerProcess server, String token, String terminal) {
        WebSocket socket = http.newWebSocketBuilder()
                .subprotocols(WireClient.SUBPROTOCOL)
                .buildAsync(server.address().socket(), new WebSocket.Listener() {
                    @Override
                    public void onOpen(WebSocket opened) {
                        // Asks for nothing.
                    }

                    @Override
                    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                        throw new AssertionError("it asked for nothing");
                    }
                })
                .join();
        socket.sendText("{\"type\":\"hello\",\"token\":\"" + token + "\",\"terminal\":\"" + terminal + "\"}", true)
                .join();
    }

    private static long residentKb(ServerProcess server) {
        try {
            return Files.readAllLines(Path.of("/proc/" + server.pid() + "/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String memory(ServerProcess server) {
        return "resident " + residentKb(server) + ", heap "
                + (long) (figure(server, "jvm_memory_used_bytes{area=\"heap\"") / 1024);
    }

    private double slow(ServerProcess server) {
        return figure(server, "switchboard_sockets_closes_total{code=\"slow\"");
    }

    private double figure(ServerProcess server, String begin) {
        HttpRequest request = HttpRequest.newBuilder(server.address().management("/metrics"))
                .header("Authorization", "Bearer dev:operator:op")
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(begin))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
