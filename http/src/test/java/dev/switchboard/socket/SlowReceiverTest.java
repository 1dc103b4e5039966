package dev.switchboard.socket;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A receiver that takes less than it gets, and one that takes a lot at once. */
class SlowReceiverTest {
    private static final String CONV = "c-carol";

    private World world;

    @AfterEach
    void stop() {
        world.close();
    }

    private ActorRef<TerminalPush> attached(long lastSeq) {
        ConversationCommand.Attach attach =
                world.attach(world.actor(), World.view(CONV, "carol", lastSeq, lastSeq), List.of());
        return attach.ref();
    }

    /** A client that says hello and then reads nothing. */
    private Socket deaf() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), world.port()));
        String hello = "{\"type\":\"hello\",\"token\":\"dev:customer:carol\"}";
        byte[] payload = hello.getBytes(StandardCharsets.UTF_8);
        byte[] frame = new byte[6 + payload.length];
        frame[0] = (byte) 0x81;
        frame[1] = (byte) (0x80 | payload.length);
        System.arraycopy(payload, 0, frame, 6, payload.length);
        String handshake = String.join(
                "\r\n",
                "GET /api/v1/socket HTTP/1.1",
                "Host: x",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                "Sec-WebSocket-Protocol: switchboard.v1.json",
                "",
                "");
        socket.getOutputStream().write(handshake.getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101"), head::toString);
        socket.getOutputStream().write(frame);
        return socket;
    }

    private static TerminalPush.EntryPush large(long seq) {
        return new TerminalPush.EntryPush(CONV, World.message(seq, "x".repeat(1000)), seq - 1);
    }

    @Test
    void shouldEndAReceiverThatStaysTooSlow() throws IOException {
        world = new World(
                "switchboard.socket.queue-bytes = 64KiB",
                "switchboard.socket.slow-grace = 500ms",
                "switchboard.socket.close-timeout = 500ms");
        world.exists(CONV, "carol");
        try (Socket deaf = deaf()) {
            ActorRef<TerminalPush> terminal = attached(0);
            for (long seq = 1; seq <= 20_000; seq++) {
                TerminalPush.EntryPush push = large(seq);
                world.write(CONV, push.entry());
                terminal.tell(push);
            }
            await().atMost(World.PATIENCE)
                    .until(() -> world.server.figures().snapshot().byes().get(Bye.SLOW) == 1);
            await().atMost(World.PATIENCE)
                    .until(() -> world.server.figures().snapshot().open() == 0);
            assertTrue(deaf.isConnected());
        }
    }

    @Test
    void shouldNotCallABurstSlowThatAClientDrains() {
        world = new World(
                "switchboard.socket.queue-entries = 16",
                "switchboard.socket.queue-bytes = 64KiB",
                "switchboard.socket.slow-grace = 5s");
        world.exists(CONV, "carol");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            ActorRef<TerminalPush> terminal = attached(0);
            client.next("welcome");
            for (long seq = 1; seq <= 1000; seq++) {
                TerminalPush.EntryPush push = large(seq);
                world.write(CONV, push.entry());
                terminal.tell(push);
            }
            for (long seq = 1; seq <= 1000; seq++) {
                JsonNode entry = client.next("entry");
                assertEquals(seq, entry.path("seq").asLong());
            }
            assertEquals(0L, world.server.figures().snapshot().byes().get(Bye.SLOW));
        }
    }

    @Test
    void shouldResumeTenThousandWithoutTrippingThePolicy() {
        world = new World("switchboard.socket.queue-entries = 100", "switchboard.socket.slow-grace = 2s");
        world.exists(CONV, "carol");
        world.writeAll(CONV, 1, 10_000);
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            world.attach(world.actor(), World.view(CONV, "carol", 10_000, 0), null);
            client.next("welcome");
            for (long seq = 1; seq <= 10_000; seq++) {
                assertEquals(seq, client.next("entry").path("seq").asLong());
            }
            assertTrue(client.quiet());
            assertEquals(0L, world.server.figures().snapshot().byes().get(Bye.SLOW));
        }
    }

    @Test
    void shouldWaitForATrustedReceiver() throws IOException {
        world = new World(
                "switchboard.socket.slow-policy = wait",
                "switchboard.socket.queue-bytes = 64KiB",
                "switchboard.socket.slow-grace = 100ms");
        world.exists(CONV, "carol");
        try (Socket deaf = deaf()) {
            ActorRef<TerminalPush> terminal = attached(0);
            for (long seq = 1; seq <= 20_000; seq++) {
                TerminalPush.EntryPush push = large(seq);
                world.write(CONV, push.entry());
                terminal.tell(push);
            }
            readsEverything(deaf, 20_000);
            assertEquals(0L, world.server.figures().snapshot().byes().get(Bye.SLOW));
        }
    }

    @Test
    void shouldDropTypingBeforeAnythingElse() throws IOException {
        world = new World(
                "switchboard.socket.queue-bytes = 64KiB",
                "switchboard.socket.slow-grace = 10m",
                "switchboard.socket.heartbeat = 10m");
        world.exists(CONV, "carol");
        Person alice = new Person(Role.AGENT, "alice");
        try (Socket deaf = deaf()) {
            ActorRef<TerminalPush> terminal = attached(0);
            for (long seq = 1; seq <= 10_000; seq++) {
                TerminalPush.EntryPush push = large(seq);
                world.write(CONV, push.entry());
                terminal.tell(push);
            }
            // Until its buffers are full some still go through.
            AtomicInteger told = new AtomicInteger();
            await().atMost(World.PATIENCE.multipliedBy(3)).until(() -> {
                terminal.tell(new TerminalPush.Typing(CONV, alice));
                terminal.tell(new TerminalPush.Presence(CONV, alice, true));
                told.addAndGet(2);
                return world.server.figures().snapshot().ephemeralsDropped() >= 20;
            });
            terminal.tell(new TerminalPush.Presence(CONV, alice, false));
            told.incrementAndGet();
            // Now it reads. The latest of each kind comes when nothing else waits for a moment, be it between two
            // pages.
            InputStream in = deaf.getInputStream();
            StringBuilder all = new StringBuilder();
            byte[] buffer = new byte[64 * 1024];
            for (String awaited : List.of("\"online\":false", "\"seq\":10000,")) {
                int at = 0;
                while (all.indexOf(awaited, at) < 0) {
                    at = Math.max(0, all.length() - awaited.length());
                    int read = in.read(buffer);
                    assertTrue(read > 0, "ended before " + awaited);
                    all.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
                }
            }
            int came = all.toString().split("\"type\":\"(typing|presence)\"", -1).length - 1;
            assertEquals(told.get(), came + world.server.figures().snapshot().ephemeralsDropped());
        }
    }

    /** Reads entries 1 to that one, in order. */
    private static void readsEverything(Socket deaf, long last) throws IOException {
        InputStream in = deaf.getInputStream();
        long expected = 1;
        StringBuilder text = new StringBuilder();
        byte[] buffer = new byte[64 * 1024];
        while (expected <= last) {
            int read = in.read(buffer);
            assertTrue(read > 0, "ended before " + expected);
            text.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
            for (int at = text.indexOf("\"seq\":"); at >= 0; at = text.indexOf("\"seq\":", at + 1)) {
                int end = text.indexOf(",", at);
                if (end < 0) {
                    break;
                }
                assertEquals(expected++, Long.parseLong(text.substring(at + 6, end)));
            }
            int keep = text.lastIndexOf("\"seq\":");
            int complete = keep < 0 ? -1 : text.indexOf(",", keep);
            text.delete(0, keep < 0 ? Math.max(0, text.length() - 6) : complete < 0 ? keep : complete);
        }
    }
}
