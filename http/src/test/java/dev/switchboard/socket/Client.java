package dev.switchboard.socket;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of the JDK's, that shares no code with the server's WebSocket. Frames are written with single quotes. */
final class Client implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Every frame that any client of the tests has received is held against the published description. */
    private static final FrameSchemas SCHEMAS = FrameSchemas.load();

    private final ObjectMapper mapper;
    private final boolean text;
    private final LinkedBlockingQueue<JsonNode> frames = new LinkedBlockingQueue<>();
    private final StringBuilder partText = new StringBuilder();
    private final ByteArrayOutputStream partBytes = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private WebSocket socket;
    private CompletableFuture<WebSocket> lastSent;

    private Client(boolean text) {
        this.text = text;
        this.mapper = text ? new ObjectMapper() : new CBORMapper();
    }

    static Client open(World world) {
        return open(world.uri(), "switchboard.v1.json");
    }

    static Client open(URI uri, String subprotocol) {
        Client client = new Client(!subprotocol.endsWith("cbor"));
        client.socket = HTTP.newWebSocketBuilder()
                .subprotocols(subprotocol)
                .connectTimeout(Duration.ofSeconds(20))
                .buildAsync(uri, client)
                .join();
        return client;
    }

    /** A client that has said hello and, where the test plays no actors for it, has its welcome. */
    static Client hello(World world, String token) {
        Client client = open(world);
        client.send("{'type':'hello','token':'" + token + "'}");
        return client;
    }

    void send(String frame) {
        String json = frame.replace('\'', '"');
        if (text) {
            socket.sendText(json, true).join();
            return;
        }
        try {
            byte[] bytes = mapper.writeValueAsBytes(new ObjectMapper().readTree(json));
            socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends without waiting: the other side may end the socket while it is sent. */
    void sendAsIs(String part, boolean last) {
        lastSent = socket.sendText(part, last).whenComplete((sent, failure) -> {
            if (failure != null) {
                closed.complete(-1);
            }
        });
    }

    WebSocket raw() {
        return socket;
    }

    /** The next frame of that type; others before it are dropped. */
    JsonNode next(String type) {
        List<JsonNode> others = new ArrayList<>();
        long end = System.nanoTime() + World.PATIENCE.toNanos();
        while (true) {
            JsonNode frame = poll(end - System.nanoTime());
            if (frame == null) {
                throw new AssertionError("no " + type + " came but " + others + ", closed: " + closed);
            }
            if (frame.path("type").asText().equals(type)) {
                return frame;
            }
            others.add(frame);
            if (frame.path("type").asText().equals("not-described")) {
                throw new AssertionError(frame.path("why").asText());
            }
        }
    }

    /** The next frame, whatever it is. */
    JsonNode next() {
        JsonNode frame = poll(World.PATIENCE.toNanos());
        if (frame == null) {
            throw new AssertionError("no frame came");
        }
        return frame;
    }

    /** True when nothing comes for a while. */
    boolean quiet() {
        return poll(Duration.ofMillis(200).toNanos()) == null;
    }

    private JsonNode poll(long nanos) {
        try {
            return frames.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The close code. */
    int closeCode() {
        return closed.orTimeout(20, TimeUnit.SECONDS).join();
    }

    boolean isOpen() {
        return !closed.isDone();
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partText.append(data);
        if (last) {
            received(partText.toString().getBytes(StandardCharsets.UTF_8));
            partText.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        partBytes.writeBytes(bytes);
        if (last) {
            received(partBytes.toByteArray());
            partBytes.reset();
        }
        from.request(1);
        return null;
    }

    private void received(byte[] bytes) {
        try {
            JsonNode frame = mapper.readTree(bytes);
            frames.add(frame);
            SCHEMAS.requireFromServer(frame);
        } catch (AssertionError e) {
            frames.add(mapper.createObjectNode().put("type", "not-described").put("why", e.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete(-1);
    }

    @Override
    public void close() {
        if (lastSent != null) {
            lastSent.cancel(false);
        }
        socket.abort();
    }
}
