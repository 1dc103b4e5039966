package dev.switchboard.socket;

import dev.switchboard.delivery.TerminalPush;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What a terminal's logic needs of the connection it lives in. Everything is called from, and calls back into, the one
 * thread at a time that runs the connection's stage.
 */
interface TerminalPort {
    /** The timers of a terminal. Setting one again replaces it. */
    enum Timer {
        HELLO,
        WELCOME,
        HEARTBEAT,
        EXPIRY,
        RETRY,
        SLOW,
        RECEIPTS,
        CLOSE
    }

    /** The ref by which actors reach this terminal; it ends with the connection. */
    ActorRef<TerminalPush> self();

    /** By which others end this terminal from any thread. */
    SocketRegistry.Handle handle();

    /** From now on the end of that actor is told to the terminal. */
    void watch(ActorRef<?> ref);

    void unwatch(ActorRef<?> ref);

    /** Runs {@code to} here when the stage is complete; not at all once the connection has ended. */
    <T> void pipe(CompletionStage<T> stage, BiConsumer<T, Throwable> to);

    /** Runs the task once what is at hand has been dealt with: all frames of the bytes that came, say. */
    void afterwards(Runnable task);

    void start(Timer timer, Duration delay);

    void cancel(Timer timer);

    /** The next frame to be sent is that message of somebody else: noted for whoever asks how far it got. */
    default void tracing(Terminal terminal, String conv, long seq, int attempt) {
        // Where nobody keeps a ledger.
    }

    /** Queues a frame for the receiver. */
    void send(byte[] frame);

    /** The frame sent last carries an entry accepted at that time: the figures may time how long it takes to leave. */
    void time(Instant acceptedAt);

    /** Sends what is queued and this last frame, then a close frame of that code; then the connection ends. */
    void end(byte[] lastFrame, boolean dropQueued, int closeCode);

    /** True when something already leaves with what is sent now. */
    boolean isSending();

    /** True at or beyond the send queue's bound; then the session hears when there is room. */
    boolean isFull();

    /** True while there is room in the send queue for what can wait; otherwise the session hears when there is. */
    boolean hasRoom();

    /** True from half of the send queue's bound on; nothing waits for room then. */
    boolean isCrowded();

    /** For how long something has been waiting for room without any; 0 when nothing is. */
    long starvedNanos();

    long nanoTime();
}
