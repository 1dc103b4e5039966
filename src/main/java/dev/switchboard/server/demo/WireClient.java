package dev.switchboard.server.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * One terminal of one person, as a program outside Switchboard would write it: a client of the public wire that
 * shares no code with the server's own. Any thread may send, request and wait; the listener is called on the thread
 * that reads the socket and must not block.
 *
 * <p>Unless told otherwise it answers a {@code ping}, acknowledges each entry, and keeps what it received in an
 * inbox from which {@link #await} takes. It remembers of each conversation the highest seq, the newest epoch and the
 * log's name, so that a successor can resume where it stopped ({@link Builder#resumeAs}).
 */
public final class WireClient implements AutoCloseable {
    /** The subprotocol with one JSON object in a text frame. */
    public static final String SUBPROTOCOL = "switchboard.v1.json";

    /** How long a blocking call waits unless it says otherwise. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** An HTTP client that suits {@link #to}: WebSockets need HTTP/1.1. */
    public static HttpClient http() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(PATIENCE)
                .build();
    }

    /** Thrown when what was waited for did not come; its message shows what came instead. */
    public static final class DidNotCome extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DidNotCome(String message) {
            super(message);
        }
    }

    /** What a client knows of one conversation. {@code log} may be null. */
    public record Position(long after, long epoch, String log) {
        private static final Position START = new Position(0, 0, null);

        private Position seen(long seq, long newEpoch, String newLog) {
            return new Position(
                    Math.max(after, seq), Math.max(epoch, newEpoch), newLog == null || newLog.isEmpty() ? log : newLog);
        }
    }

    private final boolean acks;
    private final int inboxLimit;
    private final BiConsumer<WireClient, JsonNode> listener;
    private final Runnable onClose;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<JsonNode> inbox = new ArrayDeque<>();
    private final Map<String, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final Map<String, Position> positions = new ConcurrentHashMap<>();
    private final AtomicLong requests = new AtomicLong();
    private final CompletableFuture<JsonNode> welcome = new CompletableFuture<>();
    private volatile WebSocket socket;
    private volatile boolean closed;
    private volatile int closeCode = -1;
    private boolean paused;

    /** True when the next frame would have been asked for. */
    private boolean owed;

    private CompletableFuture<?> lastSend = CompletableFuture.completedFuture(null);

    private WireClient(Builder options) {
        this.acks = options.acks;
        this.inboxLimit = options.inboxLimit;
        this.listener = options.listener;
        this.onClose = options.onClose;
    }

    /** Starts the description of a client of the socket at that address. */
    public static Builder to(HttpClient http, URI socketUri) {
        return new Builder(http, socketUri);
    }

    // ---- sending ----

    /** Sends a frame as it is. Frames leave in the order of the calls; after the end of the socket they go nowhere. */
    public void send(JsonNode frame) {
        sendText(frame.toString());
    }

    /** Sends any text as one frame, for those who want to see what bad input gets. */
    public void sendText(String text) {
        WebSocket to = socket;
        if (to == null || closed) {
            return;
        }
        lock.lock();
        try {
            lastSend = lastSend.handle((done, failure) -> failure == null)
                    .thenCompose(open -> open ? to.sendText(text, true) : CompletableFuture.failedFuture(gone()));
        } finally {
            lock.unlock();
        }
    }

    private static IllegalStateException gone() {
        return new IllegalStateException("the socket is gone");
    }

    /**
     * Sends a request under a fresh id. Ends with its {@code reply} or {@code error} frame, or fails with the socket.
     */
    public CompletableFuture<JsonNode> request(ObjectNode frame) {
        String id = "r" + requests.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        pending.put(id, answer);
        if (closed) {
            pending.remove(id);
            answer.completeExceptionally(gone());
            return answer;
        }
        send(frame.put("id", id));
        return answer;
    }

    /** Sends a request and waits for its {@code reply} or {@code error} frame. */
    public JsonNode ask(ObjectNode frame) {
        return get(request(frame), frame.path("type").asText(), PATIENCE);
    }

    /** Sends a request and waits for its {@code reply}; any other answer throws. */
    public JsonNode must(ObjectNode frame) {
        JsonNode answer = ask(frame);
        if (!Frames.is(answer, "reply")) {
            throw new DidNotCome("no reply to " + frame + " but " + answer);
        }
        return answer;
    }

    /** Asks again for as long as the server says that a retry can help, as every client should; a reply ends it. */
    public JsonNode insist(ObjectNode frame) {
        long deadline = System.nanoTime() + 3 * PATIENCE.toNanos();
        JsonNode answer = ask(frame);
        while (answer.path("retryable").asBoolean() && System.nanoTime() < deadline) {
            if (frame.has("clientMsgId")) {
                frame.put("repeat", true);
            }
            answer = ask(frame);
        }
        if (!Frames.is(answer, "reply")) {
            throw new DidNotCome("no reply to " + frame + " but " + answer);
        }
        return answer;
    }

    private JsonNode get(CompletableFuture<JsonNode> answer, String what, Duration patience) {
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new DidNotCome("no answer to " + what + " within " + patience + "; have " + tail());
        } catch (ExecutionException e) {
            throw new DidNotCome("no answer to " + what + ": " + e.getCause() + "; have " + tail());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DidNotCome("interrupted while waiting for an answer to " + what);
        }
    }

    // ---- receiving ----

    /** Takes the first frame of the inbox that matches, waiting for it if need be. */
    public JsonNode await(Predicate<JsonNode> match) {
        return await(match, PATIENCE);
    }

    /** Takes the first frame of the inbox that matches, waiting for it if need be. */
    public JsonNode await(Predicate<JsonNode> match, Duration patience) {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (true) {
                for (Iterator<JsonNode> frames = inbox.iterator(); frames.hasNext(); ) {
                    JsonNode frame = frames.next();
                    if (match.test(frame)) {
                        frames.remove();
                        return frame;
                    }
                }
                if (left <= 0 || closed) {
                    throw new DidNotCome(
                            (closed ? "the socket closed (" + closeCode + ")" : "nothing that matches came") + "; have "
                                    + tail());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DidNotCome("interrupted while waiting for a frame");
        } finally {
            lock.unlock();
        }
    }

    /** Takes the first pushed frame of that type, waiting for it if need be. */
    public JsonNode await(String type) {
        return await(frame -> Frames.is(frame, type));
    }

    /** What is in the inbox now, oldest first. */
    public List<JsonNode> inbox() {
        lock.lock();
        try {
            return new ArrayList<>(inbox);
        } finally {
            lock.unlock();
        }
    }

    private String tail() {
        List<JsonNode> all = inbox();
        String last = all.subList(Math.max(0, all.size() - 6), all.size()).toString();
        return last.length() > 1500 ? last.substring(0, 1500) + "…" : last;
    }

    /** Waits for the end of the socket. */
    public void awaitClosed(Duration patience) {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (!closed) {
                if (left <= 0) {
                    throw new DidNotCome("the socket stayed open; have " + tail());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DidNotCome("interrupted while waiting for the socket's end");
        } finally {
            lock.unlock();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** The WebSocket close code, or −1 when the socket is open or ended without one. */
    public int closeCode() {
        return closeCode;
    }

    /** The {@code welcome}. Throws when there is none yet. */
    public JsonNode welcome() {
        return welcome.join();
    }

    /** What this client knows of a conversation: nothing, or as far as it got. */
    public Position position(String conv) {
        return positions.getOrDefault(conv, Position.START);
    }

    /** The newest ownership epoch this client has heard of. */
    public long epoch(String conv) {
        return position(conv).epoch();
    }

    // ---- not receiving ----

    /** Reads nothing more, as a client that stands still: what the server sends stays in the connection. */
    public void pause() {
        lock.lock();
        try {
            paused = true;
        } finally {
            lock.unlock();
        }
    }

    /** Reads on. */
    public void goOn() {
        lock.lock();
        try {
            paused = false;
            if (owed && socket != null) {
                owed = false;
                socket.request(1);
            }
        } finally {
            lock.unlock();
        }
    }

    private void requestNext(WebSocket from) {
        lock.lock();
        try {
            if (paused) {
                owed = true;
            } else {
                from.request(1);
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- the end ----

    /** Ends the connection at once, without a close frame: what a dead battery does. */
    public void cut() {
        WebSocket open = socket;
        if (open != null) {
            open.abort();
        }
        ended(-1);
    }

    /** Says goodbye and ends the connection. */
    @Override
    public void close() {
        WebSocket open = socket;
        if (open == null || closed) {
            return;
        }
        lock.lock();
        try {
            lastSend = lastSend.handle((done, failure) -> true)
                    .thenCompose(go -> open.sendClose(WebSocket.NORMAL_CLOSURE, ""))
                    .orTimeout(2, TimeUnit.SECONDS)
                    .whenComplete((done, failure) -> {
                        open.abort();
                        ended(-1);
                    });
        } finally {
            lock.unlock();
        }
    }

    private void ended(int code) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            closeCode = code;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        welcome.completeExceptionally(gone());
        pending.values().forEach(answer -> answer.completeExceptionally(gone()));
        pending.clear();
        onClose.run();
    }

    // ---- what comes in ----

    private void take(String text) {
        JsonNode frame;
        try {
            frame = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + text, e);
        }
        String type = frame.path("type").asText();
        remember(type, frame);
        switch (type) {
            case "ping" -> send(Frames.of("pong"));
            case "entry" -> {
                if (acks) {
                    send(Frames.ack(
                            frame.path("conv").asText(), frame.path("seq").asLong()));
                }
            }
            default -> {
                CompletableFuture<JsonNode> answer =
                        frame.has("id") ? pending.remove(frame.path("id").asText()) : null;
                if (answer != null) {
                    answer.complete(frame);
                }
            }
        }
        lock.lock();
        try {
            if (inboxLimit > 0) {
                if (inbox.size() >= inboxLimit) {
                    inbox.removeFirst();
                }
                inbox.addLast(frame);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        listener.accept(this, frame);
        if (type.equals("welcome")) {
            welcome.complete(frame);
        }
    }

    private void remember(String type, JsonNode frame) {
        if (type.equals("welcome")) {
            for (JsonNode conversation : frame.path("conversations")) {
                note(conversation, 0);
            }
        } else if (frame.hasNonNull("conv")) {
            note(frame, type.equals("entry") ? frame.path("seq").asLong() : 0);
        }
    }

    private void note(JsonNode of, long seq) {
        long epoch = of.path("epoch").asLong(0);
        String log = of.path("log").asText(null);
        positions.compute(
                of.path("conv").asText(),
                (conv, known) -> (known == null ? Position.START : known).seen(seq, epoch, log));
    }

    private final class Reader implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void onOpen(WebSocket opened) {
            socket = opened;
            opened.request(1);
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                String whole = text.toString();
                text.setLength(0);
                take(whole);
            }
            requestNext(from);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            ended(code);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            ended(-1);
        }
    }

    /** Describes a client before it connects. Not thread-safe. */
    public static final class Builder {
        private final HttpClient http;
        private final URI socketUri;
        private final ObjectNode hello = Frames.of("hello");
        private String subprotocol = SUBPROTOCOL;
        private boolean acks = true;
        private int inboxLimit = Integer.MAX_VALUE;
        private BiConsumer<WireClient, JsonNode> listener = (client, frame) -> {};
        private Runnable onClose = () -> {};

        private Builder(HttpClient http, URI socketUri) {
            this.http = http;
            this.socketUri = socketUri;
        }

        public Builder token(String token) {
            hello.put("token", token);
            return this;
        }

        public Builder terminal(String name) {
            hello.put("terminal", name);
            return this;
        }

        /** Resumes a conversation behind that seq. {@code log} may be null. */
        public Builder resume(String conv, long after, String log) {
            ArrayNode list = hello.has("resume") ? (ArrayNode) hello.get("resume") : hello.putArray("resume");
            ObjectNode one = list.addObject().put("conv", conv).put("after", after);
            if (log != null) {
                one.put("log", log);
            }
            return this;
        }

        /** Resumes every conversation where that client stopped. */
        public Builder resumeAs(WireClient earlier) {
            earlier.positions.forEach((conv, known) -> resume(conv, known.after(), known.log()));
            return this;
        }

        /** Leaves entries unacknowledged. */
        public Builder withoutAcks() {
            acks = false;
            return this;
        }

        /** Keeps at most that many received frames, dropping the oldest; 0 keeps none. */
        public Builder inboxLimit(int frames) {
            inboxLimit = frames;
            return this;
        }

        /** Hears every frame, with the client it came to, after the client's own handling of it. */
        public Builder listener(BiConsumer<WireClient, JsonNode> hears) {
            listener = hears;
            return this;
        }

        /** Runs once when the socket has ended, for whatever reason. */
        public Builder onClose(Runnable runs) {
            onClose = runs;
            return this;
        }

        /** Opens the socket without a {@code hello}. */
        public CompletableFuture<WireClient> connect() {
            WireClient client = new WireClient(this);
            return http.newWebSocketBuilder()
                    .subprotocols(subprotocol)
                    .connectTimeout(PATIENCE)
                    .buildAsync(socketUri, client.new Reader())
                    .thenApply(open -> {
                        // The reader may not have been told yet.
                        client.socket = open;
                        return client;
                    });
        }

        /** Opens the socket and says {@code hello}; ends when the {@code welcome} is there. */
        public CompletableFuture<WireClient> start() {
            return connect().thenCompose(client -> {
                client.send(hello);
                return client.welcome.thenApply(frame -> client);
            });
        }

        /** Opens the socket, says {@code hello} and waits for the {@code welcome}. */
        public WireClient open() {
            try {
                return start().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            } catch (CompletionException e) {
                throw new DidNotCome("no welcome at " + socketUri + ": " + e.getCause());
            }
        }
    }
}
