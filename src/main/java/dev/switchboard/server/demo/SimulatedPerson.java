package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Somebody with a socket, who opens it again when it is lost and goes on where it stopped. Everything here and in the
 * subclasses runs on the hall's one thread.
 */
abstract class SimulatedPerson {
    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(8);

    final ServiceHall hall;
    final String name;
    private final String role;
    private WireClient client;
    private WireClient last;
    private boolean wanted;
    private Duration nextRetry = FIRST_RETRY;
    private long ids;

    SimulatedPerson(ServiceHall hall, String role, String name) {
        this.hall = hall;
        this.role = role;
        this.name = name;
    }

    /** The socket is open; {@code welcome} tells what the server knows. */
    abstract void welcome(JsonNode welcome);

    /** Something came. */
    abstract void heard(JsonNode frame);

    final boolean isOnline() {
        return client != null && !client.isClosed();
    }

    final void comeOnline() {
        wanted = true;
        if (client == null) {
            connect();
        }
    }

    final void goOffline() {
        wanted = false;
        if (client != null) {
            client.close();
        }
    }

    private void connect() {
        if (!wanted || hall.isClosing()) {
            return;
        }
        WireClient.Builder next = WireClient.to(hall.http(), hall.socket())
                .token("dev:" + role + ":" + name)
                .terminal("demo");
        if (last != null) {
            next.resumeAs(last);
        }
        CompletableFuture<WireClient> opening = next.inboxLimit(0)
                .listener((from, frame) -> hall.run(() -> heardBy(frame)))
                .onClose(() -> hall.run(this::lost))
                .start();
        var unused = opening.whenComplete((open, failure) -> hall.run(() -> opened(open, failure)));
    }

    private void opened(WireClient open, Throwable failure) {
        if (failure != null) {
            retry();
        } else if (!wanted || hall.isClosing()) {
            open.close();
        } else {
            client = open;
            nextRetry = FIRST_RETRY;
            if (open.isClosed()) {
                lost();
            } else {
                welcome(open.welcome());
            }
        }
    }

    private void heardBy(JsonNode frame) {
        if (!hall.isClosing() && !Frames.is(frame, "welcome")) {
            heard(frame);
        }
    }

    private void lost() {
        if (client != null) {
            last = client;
            client = null;
            retry();
        }
    }

    private void retry() {
        Duration wait = nextRetry;
        nextRetry = wait.multipliedBy(2).compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : wait.multipliedBy(2);
        hall.laterExactly(wait, () -> {
            if (client == null) {
                connect();
            }
        });
    }

    /** A new id for a request of this person. */
    final String newId() {
        return "demo-" + name + "-" + hall.runId() + "-" + ++ids;
    }

    final void send(ObjectNode frame) {
        if (client != null) {
            client.send(frame);
        }
    }

    /** Asks and hears the answer, {@code error} frames included; a lost socket gives no answer. */
    final void ask(ObjectNode frame, java.util.function.Consumer<JsonNode> hears) {
        if (client == null) {
            return;
        }
        var unused = client.request(frame).whenComplete((answer, failure) -> {
            if (answer != null) {
                hall.run(() -> hears.accept(answer));
            }
        });
    }

    /** The time a person needs to write that. */
    final Duration timeToWrite(String text) {
        return Duration.ofMillis(
                900 + 35L * Math.min(text.length(), 120) + hall.random().nextInt(1200));
    }
}
