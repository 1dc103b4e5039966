package dev.switchboard.socket;

import dev.switchboard.conversation.Person;
import dev.switchboard.delivery.TerminalPush;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.pekko.Done;

/**
 * The sockets of this node. Thread-safe. Pekko HTTP knows nothing of a connection once it is upgraded, so what must
 * reach all sockets (a stop, a revocation) goes through here.
 */
final class SocketRegistry {
    /** A socket, as others may speak to it from any thread. */
    interface Handle {
        void end(Bye code, String reason, Duration retryAfter);

        /** A spooled post of the socket's person is settled. */
        void settled(TerminalPush.MessageState state);
    }

    /** A device of a person. */
    record Name(Person person, String terminal) {}

    private final Set<Handle> open = ConcurrentHashMap.newKeySet();
    private final Map<Name, Handle> byName = new ConcurrentHashMap<>();
    private volatile CompletableFuture<Done> drained = new CompletableFuture<>();
    private volatile Bye closing;

    /** Adds a new socket; the code to end it with at once when the node is closing its sockets, else null. */
    Bye opened(Handle handle) {
        open.add(handle);
        return closing;
    }

    boolean isClosing() {
        return closing != null;
    }

    /** The socket has said who it is; an older socket of the same device is told that it was replaced. */
    void named(Name name, Handle handle) {
        Handle before = byName.put(name, handle);
        if (before != null && before != handle) {
            before.end(Bye.REPLACED, "another socket took this terminal's name", Duration.ZERO);
        }
    }

    /** The socket has ended; {@code name} is null when it never said who it is. */
    void closed(Name name, Handle handle) {
        open.remove(handle);
        if (name != null) {
            byName.remove(name, handle);
        }
        completeWhenDrained();
    }

    /** Ends every socket, and from now on each new one; clients are told to return spread over {@code spread}. */
    synchronized CompletionStage<Done> closeAll(Bye code, Duration spread) {
        CompletableFuture<Done> all = new CompletableFuture<>();
        CompletionStage<Boolean> unused = all.thenApply(drained::complete);
        drained = all;
        closing = code;
        for (Handle handle : open) {
            handle.end(code, "the node stops serving", within(spread));
        }
        completeWhenDrained();
        return all;
    }

    /** Takes new sockets again. */
    synchronized void reopen() {
        closing = null;
    }

    /** How many sockets are open. */
    int size() {
        return open.size();
    }

    private void completeWhenDrained() {
        if (closing != null && open.isEmpty()) {
            drained.complete(Done.getInstance());
        }
    }

    /** Ends the sockets of the revoked. */
    void revoked(Set<String> personKeys) {
        if (personKeys.isEmpty()) {
            return;
        }
        byName.forEach((name, handle) -> {
            if (personKeys.contains(name.person().key())) {
                handle.end(Bye.UNAUTHORIZED, "this person's tokens are no longer taken", Duration.ZERO);
            }
        });
    }

    /** Tells the sockets of a person what became of a spooled post. */
    void settled(Person person, TerminalPush.MessageState state) {
        byName.forEach((name, handle) -> {
            if (name.person().equals(person)) {
                handle.settled(state);
            }
        });
    }

    static Duration within(Duration spread) {
        long spreadMs = spread.toMillis();
        return Duration.ofMillis(spreadMs <= 0 ? 0 : ThreadLocalRandom.current().nextLong(spreadMs + 1));
    }
}
