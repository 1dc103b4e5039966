package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Somebody with a socket that is opened again and again, and resumes where the one before stopped. Guarded by itself; any
 * thread may call it. What it hears comes on the thread that reads the socket.
 */
public abstract class ReconnectingClient {
    private static final Duration RETRY = Duration.ofMillis(250);

    private final HttpClient http;
    private final URI server;
    private final String token;
    private final String terminal;
    private final ScheduledExecutorService timer;
    private WireClient current;
    private WireClient earlier;
    private boolean ended;

    /** Opens nothing yet. The caller ends {@code timer}, after this. */
    protected ReconnectingClient(
            HttpClient http, URI server, String token, String terminal, ScheduledExecutorService timer) {
        this.http = http;
        this.server = server;
        this.token = token;
        this.terminal = terminal;
        this.timer = timer;
    }

    /** Opens a socket, however many tries that takes. */
    public final synchronized void connect() {
        if (ended) {
            return;
        }
        WireClient.Builder next = WireClient.to(
                        http, URI.create("ws" + server.toString().substring(4) + "/api/v1/socket"))
                .token(token)
                .terminal(terminal);
        if (earlier != null) {
            resume(next, earlier);
        }
        CompletableFuture<WireClient> opening = configured(
                        next.inboxLimit(0).listener(this::heard).onClose(this::lost))
                .start();
        var unused = opening.whenComplete((open, failure) -> {
            if (failure != null) {
                later(this::connect);
            } else {
                opened(open);
            }
        });
    }

    private synchronized void opened(WireClient open) {
        earlier = open;
        if (open.isClosed()) {
            later(this::connect);
        } else if (ended) {
            open.close();
        } else {
            current = open;
            online(open);
        }
    }

    private synchronized void lost() {
        if (current != null) {
            current = null;
            later(this::connect);
        }
    }

    /** Loses its socket at once; it comes back by itself. */
    public final synchronized void cut() {
        if (current != null) {
            current.cut();
        }
    }

    /** Loses its socket and doesn't come back. */
    public final synchronized void end() {
        ended = true;
        cut();
    }

    /** The open socket, or null. */
    protected final synchronized WireClient current() {
        return current;
    }

    /** Runs something a little later, unless it has ended. */
    protected final synchronized void later(Runnable task) {
        if (!ended) {
            var unused = timer.schedule(task, RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Says from where the next socket goes on: behind everything that came. */
    protected void resume(WireClient.Builder next, WireClient earlier) {
        next.resumeAs(earlier);
    }

    /** What else is to be said of the next socket. */
    protected WireClient.Builder configured(WireClient.Builder builder) {
        return builder;
    }

    /** A socket is open and greeted. */
    protected abstract void online(WireClient client);

    /** A frame came. */
    protected abstract void heard(WireClient client, JsonNode frame);
}
