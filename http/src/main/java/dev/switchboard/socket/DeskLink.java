package dev.switchboard.socket;

import dev.switchboard.conversation.Refusal;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The desk of the agent or supervisor at this terminal: it attaches, watches the desk's actor, and attaches again when
 * that ends. Not thread-safe; lives in the connection's stage.
 */
final class DeskLink {
    /** By how much attaching again is spread, because thousands of terminals may lose the same node. */
    private static final long JITTER_NANOS = Duration.ofMillis(100).toNanos();

    /** How long after a refusal the desk is asked again: it may have been mended. */
    private static final long REFUSED_RETRY_NANOS = Duration.ofSeconds(10).toNanos();

    private final TerminalPort port;
    private final SocketContext context;
    private final Terminal terminal;
    private final Attachments attachments;
    private ActorRef<DeskCommand> ref;
    private boolean answered;
    private Refusal refusal;
    private long retryAtNanos;

    DeskLink(TerminalPort port, SocketContext context, Terminal terminal, Attachments attachments) {
        this.port = port;
        this.context = context;
        this.terminal = terminal;
        this.attachments = attachments;
    }

    /** True once the desk has answered. */
    boolean isAnswered() {
        return answered;
    }

    void attach() {
        retryAtNanos = port.nanoTime() + context.settings().attachTimeout().toNanos();
        attachments.armRetry();
        context.services()
                .peers()
                .desk(
                        terminal.principal().id(),
                        new DeskCommand.AttachTerminal(terminal.principal(), terminal.name(), port.self()));
    }

    void onAttached(TerminalPush.DeskAttached answer) {
        answered = true;
        refusal = null;
        if (!answer.ref().equals(ref)) {
            if (ref != null) {
                port.unwatch(ref);
            }
            ref = answer.ref();
            port.watch(ref);
        }
    }

    /** It can't be read, and is asked again after a while; true when the terminal was not told so before. */
    boolean onRefused(TerminalPush.DeskRefused answer) {
        answered = true;
        retryAtNanos = port.nanoTime() + REFUSED_RETRY_NANOS;
        attachments.armRetry();
        boolean isNew = !answer.refusal().equals(refusal);
        refusal = answer.refusal();
        return isNew;
    }

    /** An actor that this terminal watches has ended; true when it was the desk. */
    boolean onEnded(ActorRef<?> ended) {
        if (!ended.equals(ref)) {
            return false;
        }
        ref = null;
        retryAtNanos = port.nanoTime() + ThreadLocalRandom.current().nextLong(JITTER_NANOS);
        attachments.armRetry();
        return true;
    }

    /** The retry timer: asks again where the desk is overdue. */
    void onRetryTimer() {
        if (ref != null) {
            return;
        }
        if (retryAtNanos - port.nanoTime() <= 0) {
            attach();
        } else {
            attachments.armRetry();
        }
    }

    /** Tells the desk that this terminal is gone, in order. */
    void detach() {
        context.services().peers().desk(terminal.principal().id(), new DeskCommand.DetachTerminal(port.self()));
    }
}
