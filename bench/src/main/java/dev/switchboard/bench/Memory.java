package dev.switchboard.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.WireClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * {@code bench memory}: what an idle socket and an idle conversation cost, as differences of the live heap (after a
 * full collection, from {@code jcmd GC.class_histogram}) of a real server process.
 */
final class Memory {
    private static final int WARM = 500;
    private static final int OPENINGS_AT_ONCE = 64;

    private final int sockets;
    private final int conversations;
    private final PrintWriter out;
    private final HttpClient http = WireClient.http();

    Memory(int sockets, int conversations, PrintWriter out) {
        this.sockets = sockets;
        this.conversations = conversations;
        this.out = out;
    }

    /** Measures and reports. */
    void run() throws IOException, InterruptedException {
        try (ServerUnderTest server = new ServerUnderTest(settings())) {
            server.start();
            try (LoadLoop loop = new LoadLoop(server.address())) {
                // What is loaded, compiled and pooled once is not what the next socket costs.
                Idle warm = new Idle("warm");
                warm.open(loop, WARM, 0);
                openConversations(server, "warm-http", WARM);
                loop.call(() -> {
                    warm.hangUp();
                    return null;
                });

                long empty = liveBytes(server);
                say("live heap before: " + mega(empty));
                Idle plain = new Idle("plain");
                plain.open(loop, sockets, 0);
                long withSockets = liveBytes(server);
                Map<String, Long> socketClasses = histogram(server);
                say(sockets + " idle sockets: " + mega(withSockets));
                openConversations(server, "http", conversations);
                long withConversations = liveBytes(server);
                say(conversations + " idle conversations more: " + mega(withConversations));
                Map<String, Long> allClasses = histogram(server);

                double perSocket = (withSockets - empty) / (double) sockets;
                double perConversation = (withConversations - withSockets) / (double) conversations;
                Reports.write("memory", text(perSocket, perConversation, empty, socketClasses, allClasses), out);
            }
        }
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("SWITCHBOARD_CONVERSATION_PASSIVATE_AFTER", "24h");
        settings.put("SWITCHBOARD_SOCKET_MAX_SOCKETS", "20000");
        settings.put("SWITCHBOARD_SOCKET_MAX_WITHOUT_HELLO", "20000");
        return settings;
    }

    private void openConversations(ServerUnderTest server, String prefix, int count) {
        List<CompletableFuture<ApiClient.Answer>> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ApiClient customer = new ApiClient(http, server.uri(), "dev:customer:" + prefix + i);
            open.add(customer.start("POST", "/conversations", JsonNodeFactory.instance.objectNode(), "open")
                    .thenCompose(opened -> customer.start(
                            "POST",
                            ApiClient.of(opened.json().path("conv").asText(), "/messages"),
                            ApiClient.messageBody("Hello, I have a question about my order."),
                            "m1")));
            if (open.size() == OPENINGS_AT_ONCE || i == count - 1) {
                for (CompletableFuture<ApiClient.Answer> answer : open) {
                    if (answer.join().status() != 201) {
                        throw new IllegalStateException(
                                "the server answered " + answer.join().text());
                    }
                }
                open.clear();
            }
        }
    }

    /** What lives on the heap, in bytes, after a full collection. */
    static long liveBytes(ServerUnderTest server) throws IOException, InterruptedException {
        return histogram(server).values().stream().mapToLong(Long::longValue).sum();
    }

    /** Live bytes by class; asking for it collects all garbage first. */
    private static Map<String, Long> histogram(ServerUnderTest server) throws IOException, InterruptedException {
        // Twice, since the first collection only finds what has finalizers and references to clear.
        String unused = Profile.jcmd(server.pid(), "GC.run");
        Map<String, Long> bytes = new HashMap<>();
        for (String line :
                Profile.jcmd(server.pid(), "GC.class_histogram").lines().toList()) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields.length >= 4 && fields[0].endsWith(":") && Character.isDigit(fields[0].charAt(0))) {
                bytes.merge(fields[3], Long.parseLong(fields[2]), Long::sum);
            }
        }
        return bytes;
    }

    private String text(
            double perSocket,
            double perConversation,
            long empty,
            Map<String, Long> withSockets,
            Map<String, Long> withAll) {
        StringBuilder text = new StringBuilder(
                """
                # Memory of what is idle

                Differences of the live heap of a server process after full collections: %d sockets that have said hello
                and own nothing, and then %d conversations with one message each, opened over HTTP and kept in memory.

                Machine: %s.

                ```
                ./switchboard bench memory
                ```

                | | bytes |
                |---|---|
                | live heap of the warm, idle server | %d |
                | each idle socket | %.0f |
                | each idle conversation in memory | %.0f |

                The largest classes with the sockets open, and what the conversations added:

                | class | bytes with sockets | added by conversations |
                |---|---|---|
                """.formatted(sockets, conversations, Machine.description(), empty, perSocket, perConversation));
        withAll.entrySet().stream()
                .sorted((one, other) -> Long.compare(other.getValue(), one.getValue()))
                .limit(30)
                .forEach(one -> {
                    long before = withSockets.getOrDefault(one.getKey(), 0L);
                    text.append("| `%s` | %d | %d |%n".formatted(one.getKey(), before, one.getValue() - before));
                });
        return text.toString();
    }

    private static String mega(long bytes) {
        return "%.1f MiB".formatted(bytes / 1024.0 / 1024.0);
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    /** Sockets that say hello and then nothing but pong. Its fields belong to the loop's thread. */
    private static final class Idle {
        private static final byte[] WELCOME = FrameScan.ascii("welcome");
        private static final byte[] PING = FrameScan.ascii("ping");
        private static final byte[] PONG = FrameScan.ascii("{\"type\":\"pong\"}");
        private static final int AT_ONCE = 100;

        private final String prefix;
        private final List<LoadConnection> open = new ArrayList<>();
        private int welcomes;
        private String trouble;
        private boolean hungUp;

        Idle(String prefix) {
            this.prefix = prefix;
        }

        void open(LoadLoop loop, int count, int from) throws InterruptedException {
            for (int at = from; at < count; at += AT_ONCE) {
                int first = at;
                int last = Math.min(count, at + AT_ONCE);
                loop.run(() -> {
                    for (int i = first; i < last; i++) {
                        loop.connect(new Terminal(prefix + i));
                    }
                });
                await(loop, () -> welcomes, last);
            }
        }

        private void await(LoadLoop loop, IntSupplier count, int wanted) throws InterruptedException {
            CountDownLatch never = new CountDownLatch(1);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (loop.call(count::getAsInt) < wanted) {
                String what = loop.call(() -> trouble == null ? "" : trouble);
                if (!what.isEmpty() || System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            "only " + loop.call(count::getAsInt) + " of " + wanted + " sockets opened; " + what);
                }
                boolean unused = never.await(10, TimeUnit.MILLISECONDS);
            }
        }

        void hangUp() {
            hungUp = true;
            List.copyOf(open).forEach(connection -> connection.end("done"));
        }

        private final class Terminal implements LoadConnection.Person {
            private final String name;

            Terminal(String name) {
                this.name = name;
            }

            @Override
            public void opened(LoadConnection connection) {
                open.add(connection);
                byte[] hello = FrameScan.ascii("{\"type\":\"hello\",\"token\":\"dev:customer:" + name + "\"}");
                connection.send(hello, hello.length);
            }

            @Override
            public void frame(LoadConnection connection, FrameScan frame) {
                if (frame.is(FrameScan.TYPE, WELCOME)) {
                    welcomes++;
                } else if (frame.is(FrameScan.TYPE, PING)) {
                    connection.send(PONG, PONG.length);
                }
            }

            @Override
            public void closed(LoadConnection connection, String why) {
                if (!hungUp && trouble == null) {
                    trouble = why;
                }
            }
        }
    }
}
