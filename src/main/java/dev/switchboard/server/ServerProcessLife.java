package dev.switchboard.server;

import com.typesafe.config.Config;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * The life of a process that runs a server: it starts one, says where it listens, and on SIGTERM or SIGINT ends it in
 * order and exits with 0. Used once.
 *
 * <pre>
 * STARTING ──▶ SERVING ──signal──▶ ENDING        exit 0, or 1 when the deadline cut it short
 *    │            └──by itself──▶ FAILED         exit 1
 *    ├──signal──▶ ENDING                         exit 0: nothing was accepted yet
 *    └──failure──▶ FAILED                        exit 1
 * </pre>
 *
 * <p>A JVM that ends by a signal exits with 143 whatever its hooks did. A supervisor would take that for a failure, so
 * the hook that ends the server halts the JVM itself, with a code that says how the end went.
 */
final class ServerProcessLife {
    private sealed interface Phase {
        record Starting() implements Phase {}

        record Serving(Server server, AutoCloseable companion) implements Phase {}

        record Ending() implements Phase {}

        record Failed() implements Phase {}
    }

    private final Config settings;
    private final PrintWriter out;
    private final Function<Server, AutoCloseable> beside;
    private final Runnable afterwards;
    private final AtomicReference<Phase> phase = new AtomicReference<>(new Phase.Starting());

    /**
     * A life with these settings.
     *
     * @param out where it says what an operator is to know
     * @param beside starts what runs beside the server once that serves; it is closed before the server ends
     * @param afterwards what is to be done when the server has ended
     */
    ServerProcessLife(Config settings, PrintWriter out, Function<Server, AutoCloseable> beside, Runnable afterwards) {
        this.settings = settings;
        this.out = out;
        this.beside = beside;
        this.afterwards = afterwards;
    }

    /** Returns an exit code when the server ended by itself. Throws what stopped the start. */
    int run() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::endInOrder, "switchboard-end"));
        long began = System.nanoTime();
        Server server;
        try {
            server = Server.start(settings);
        } catch (RuntimeException e) {
            leave(new Phase.Failed());
            throw e;
        }
        out.printf(
                "switchboard: ready after %d ms: http://%s, management http://%s%n",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began),
                server.httpAddress(),
                server.managementAddress());
        AutoCloseable companion = beside.apply(server);
        phase.updateAndGet(p -> p instanceof Phase.Starting ? new Phase.Serving(server, companion) : p);
        server.whenEnded().toCompletableFuture().join();
        if (leave(new Phase.Failed()) instanceof Phase.Serving) {
            out.println("switchboard: the node has ended by itself, see the log");
        }
        return Main.CANNOT_START;
    }

    /** The phase before; the phases after the end are not left. */
    private Phase leave(Phase next) {
        return phase.getAndUpdate(p -> p instanceof Phase.Starting || p instanceof Phase.Serving ? next : p);
    }

    private void endInOrder() {
        Phase before = leave(new Phase.Ending());
        int code = before instanceof Phase.Serving serving ? end(serving) : 0;
        try {
            afterwards.run();
        } catch (RuntimeException e) {
            out.println("switchboard: " + e.getMessage());
        }
        if (before instanceof Phase.Failed) {
            // The failure has set the exit code.
            return;
        }
        out.flush();
        Runtime.getRuntime().halt(code);
    }

    private int end(Phase.Serving serving) {
        try {
            serving.companion().close();
        } catch (Exception e) {
            out.println("switchboard: what ran beside the server did not end in order: " + e);
        }
        Duration deadline = settings.getDuration("switchboard.shutdown.deadline");
        try {
            serving.server().stop().toCompletableFuture().get(deadline.toMillis(), TimeUnit.MILLISECONDS);
            return 0;
        } catch (TimeoutException e) {
            out.println("switchboard: the end took longer than switchboard.shutdown.deadline and was cut short");
        } catch (ExecutionException e) {
            out.println("switchboard: the end went wrong: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 1;
    }
}
