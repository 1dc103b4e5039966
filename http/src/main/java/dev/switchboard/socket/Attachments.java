package dev.switchboard.socket;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.socket.TerminalPort.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The conversations that one terminal is attached to: it attaches, watches their actors, and attaches again when one
 * ends, wherever that is started next. Not thread-safe; lives in the connection's stage. How entries flow is in
 * {@link EntryFlow}, acks are in {@link Acks}.
 */
final class Attachments {
    private static final long RETRY_STEP_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();
    private static final Duration RETRY_TICK = Duration.ofMillis(100);

    private final TerminalPort port;
    private final Services services;
    private final SocketSettings settings;
    private final Terminal terminal;
    private final EntryFlow flow;
    private final Acks acks;
    private final Map<String, Attachment> byConv = new LinkedHashMap<>(4);
    private boolean retryArmed;

    Attachments(TerminalPort port, SocketContext context, Terminal terminal) {
        this.port = port;
        this.services = context.services();
        this.settings = context.settings();
        this.terminal = terminal;
        this.flow = new EntryFlow(port, context, terminal, this);
        this.acks = new Acks(port, context, terminal, this);
    }

    /** How entries get to the client. */
    EntryFlow flow() {
        return flow;
    }

    /** How acks get to the conversations. */
    Acks acks() {
        return acks;
    }

    Attachment find(String conv) {
        return byConv.get(conv);
    }

    /** True while the conversation tells this terminal what is written. */
    boolean isAttached(String conv) {
        Attachment attachment = byConv.get(conv);
        return attachment != null && attachment.state == Attachment.State.ATTACHED;
    }

    Collection<Attachment> all() {
        return byConv.values();
    }

    // ---- attaching and detaching ----

    /**
     * Attaches to a conversation unless the terminal is attached already; false when it may have no more.
     *
     * @param after the last seq that the client has; −1: from the person's delivered watermark
     * @param recovered false when the client's own history is of another log
     */
    boolean attach(String conv, long after, boolean watcher, boolean recovered) {
        Attachment known = byConv.get(conv);
        if (known != null && known.state != Attachment.State.ENDING) {
            return true;
        }
        if (byConv.size() >= settings.maxConversations()) {
            return false;
        }
        Attachment attachment = new Attachment(conv, recovered ? after : -1, watcher, recovered);
        byConv.put(conv, attachment);
        request(attachment);
        return true;
    }

    /** Asks again, because the conversation has come back, or attaches. */
    void takeUp(String conv, long after) {
        Attachment known = byConv.get(conv);
        if (known == null || known.state == Attachment.State.ENDING) {
            attach(conv, after, false, true);
        } else {
            request(known);
        }
    }

    private void request(Attachment attachment) {
        attachment.attempts++;
        attachment.retryAtNanos = port.nanoTime() + settings.attachTimeout().toNanos();
        armRetry();
        services.peers()
                .conversation(
                        attachment.conv,
                        new ConversationCommand.Attach(
                                terminal.principal(),
                                terminal.name(),
                                attachment.isPlaced() ? attachment.have : attachment.wanted,
                                attachment.watcher,
                                port.self()));
    }

    /** Detaches; what the terminal heard of so far still comes. */
    void letGo(String conv) {
        Attachment attachment = byConv.get(conv);
        if (attachment == null) {
            return;
        }
        services.peers().conversation(conv, new ConversationCommand.Detach(port.self()));
        unwatch(attachment);
        attachment.state = Attachment.State.ENDING;
        flow.pump(attachment);
    }

    /** Tells every conversation that this terminal is gone, in order. */
    void detachAll() {
        for (Attachment attachment : byConv.values()) {
            if (attachment.state != Attachment.State.ENDING) {
                acks.flush(attachment);
                services.peers().conversation(attachment.conv, new ConversationCommand.Detach(port.self()));
            }
        }
    }

    private void unwatch(Attachment attachment) {
        if (attachment.ref != null) {
            port.unwatch(attachment.ref);
            attachment.ref = null;
        }
    }

    void onAttached(TerminalPush.Attached answer) {
        ConversationView view = answer.view();
        Attachment attachment = byConv.get(view.conv());
        if (attachment == null || attachment.state == Attachment.State.ENDING) {
            answer.ref().tell(new ConversationCommand.Detach(port.self()));
            return;
        }
        if (!answer.ref().equals(attachment.ref)) {
            unwatch(attachment);
            attachment.ref = answer.ref();
            port.watch(answer.ref());
        }
        attachment.state = Attachment.State.ATTACHED;
        attachment.attempts = 0;
        if (attachment.nacking == 0 || answer.holdFrom() > 0) {
            attachment.hold(answer.holdFrom(), answer.attempt());
        }
        attachment.told(view.lastSeq());
        boolean first = !attachment.isPlaced();
        if (first) {
            place(attachment, answer);
        } else {
            catchUpWithAnswer(attachment, view);
        }
        if (answer.missed() != null && !attachment.reading) {
            for (TerminalPush.EntryPush push : answer.missed()) {
                boolean held = attachment.holds(push.entry().seq());
                if (!held && push.entry().seq() > attachment.lastFed() && push.prev() <= attachment.lastFed()) {
                    attachment.feed(push.entry());
                }
            }
        }
        if (first) {
            terminal.attached(attachment, view);
        }
        flow.pump(attachment);
    }

    private static void place(Attachment attachment, TerminalPush.Attached answer) {
        ConversationView view = answer.view();
        attachment.anew = answer.anew();
        attachment.have = answer.anew()
                ? Math.max(
                        answer.after(),
                        Math.min(view.lastSeq(), view.watermark().delivered()))
                : Math.max(0, answer.after());
        attachment.othersUpTo = attachment.have;
        attachment.taken = attachment.have;
        attachment.acked = view.watermark().delivered();
        attachment.read = view.watermark().read();
        attachment.view = view;
        attachment.peer(view.peer());
        attachment.placed(Instant.now());
    }

    /** After the actor was started again: it may have lost the latest acks, and we its latest receipts. */
    private void catchUpWithAnswer(Attachment attachment, ConversationView view) {
        if (!attachment.watcher
                && (attachment.acked > view.watermark().delivered()
                        || attachment.read > view.watermark().read())) {
            attachment.ackDue = true;
            attachment.readDue = true;
            acks.arm();
        }
        boolean moved = view.peer().delivered() > attachment.peerDelivered
                || view.peer().read() > attachment.peerRead;
        Person peer = peerOf(view);
        if (moved && peer != null) {
            flow.onReceipt(new TerminalPush.Receipt(view.conv(), peer, view.peer()));
        }
    }

    private Person peerOf(ConversationView view) {
        if (terminal.principal().role().isStaff()) {
            return new Person(Role.CUSTOMER, view.customer());
        }
        return view.owner() == null ? null : new Person(Role.AGENT, view.owner());
    }

    void onRefused(TerminalPush.AttachRefused answer) {
        Attachment attachment = byConv.get(answer.conv());
        if (attachment == null || attachment.state == Attachment.State.ENDING) {
            return;
        }
        if (answer.refusal().code().retryable()) {
            retryLater(attachment);
            return;
        }
        unwatch(attachment);
        byConv.remove(answer.conv());
        terminal.refused(answer.conv(), answer.refusal());
    }

    /** An actor that this terminal watches has ended; true when it was a conversation. */
    boolean onEnded(ActorRef<?> ref) {
        for (Attachment attachment : byConv.values()) {
            if (ref.equals(attachment.ref)) {
                attachment.ref = null;
                attachment.state = Attachment.State.ATTACHING;
                retryLater(attachment);
                return true;
            }
        }
        return false;
    }

    /**
     * Asks conversations on other nodes for their last seq, by attaching again, which does no harm: a push that got
     * lost between nodes with none after it would otherwise be missed until the next one.
     */
    void checkRemote() {
        for (Attachment attachment : byConv.values()) {
            if (attachment.state == Attachment.State.ATTACHED
                    && attachment.ref.path().address().hasGlobalScope()) {
                request(attachment);
            }
        }
    }

    // ---- trying again ----

    private void retryLater(Attachment attachment) {
        // The first try comes at once but for a jitter, because thousands of terminals may lose the same node.
        long base = Math.min(LONGEST_RETRY_NANOS, RETRY_STEP_NANOS * (1L << Math.min(6, attachment.attempts)) / 2);
        attachment.retryAtNanos =
                port.nanoTime() + base / 2 + ThreadLocalRandom.current().nextLong(base / 2 + 1);
        armRetry();
    }

    /** Attaches again after some time. */
    void askAgain(Attachment attachment) {
        if (attachment.state == Attachment.State.ENDING) {
            forget(attachment);
        } else if (byConv.get(attachment.conv) == attachment) {
            attachment.state = Attachment.State.ATTACHING;
            retryLater(attachment);
        }
    }

    /** Sees to it that {@link #onRetryTimer} is called soon. */
    void armRetry() {
        if (!retryArmed) {
            retryArmed = true;
            port.start(Timer.RETRY, RETRY_TICK);
        }
    }

    /** The retry timer: asks again where an attach is overdue, reads again where a read failed. */
    void onRetryTimer() {
        retryArmed = false;
        long now = port.nanoTime();
        boolean pending = false;
        for (Attachment attachment : new ArrayList<>(byConv.values())) {
            boolean due = attachment.retryAtNanos - now <= 0;
            if (attachment.state == Attachment.State.ATTACHING) {
                pending = true;
                if (due) {
                    request(attachment);
                }
            } else if (attachment.emptyReads > 0) {
                pending = true;
                if (due) {
                    flow.pump(attachment);
                }
            }
        }
        if (pending) {
            armRetry();
        }
    }

    /** The client has all that it still was to get of a conversation that let it go. */
    void forget(Attachment attachment) {
        byConv.remove(attachment.conv, attachment);
    }

    /** True when none of the conversations satisfies the condition. */
    boolean none(Predicate<Attachment> condition) {
        return byConv.values().stream().noneMatch(condition);
    }

    /** Those that the first attach has placed, in the order they were asked for. */
    List<Attachment> placed() {
        return byConv.values().stream().filter(Attachment::isPlaced).toList();
    }
}
