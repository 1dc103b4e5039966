package dev.switchboard.socket;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.socket.TerminalPort.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The conversations that one terminal is attached to. Not thread-safe; lives in the connection's stage.
 *
 * <p><b>No gap, no repeat, in order.</b> Pushes come at most once and each names the seq before it that this receiver
 * may see. For each conversation {@code have} is the last seq queued for the client.
 *
 * <ul>
 *   <li>A push with {@code seq ≤ have} is a repeat: dropped.
 *   <li>A push with {@code prev ≤ have < seq} is the next one: queued, and {@code have} becomes its seq.
 *   <li>Any other push only says that there is more: its seq is remembered in {@code heard}, and everything after
 *       {@code have} is read from the log, where every pushed entry already is, page by page as the send queue has
 *       room. What is pushed meanwhile raises {@code heard} too, and the reading goes on until {@code have} has reached
 *       it.
 * </ul>
 *
 * So nothing depends on a push arriving but that some later push, or the answer to the next attach, tells that there is
 * more. When the conversation's actor ends, wherever it is started next, the terminal attaches again and learns the
 * last seq. A full send queue is no special case: a push that finds it full is treated like one that was lost.
 *
 * <p>An entry that answers one of the client's own requests waits until that request's reply has been sent.
 */
final class Attachments {
    private static final Logger LOG = LoggerFactory.getLogger(Attachments.class);
    private static final int PAGE = 100;
    private static final int MAX_READS = 4;
    private static final int MAX_EMPTY_READS = 5;
    private static final long RETRY_STEP_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();
    private static final Duration RETRY_TICK = Duration.ofMillis(100);

    /** What the session does with what happens to an attachment. */
    interface Owner {
        Principal principal();

        String terminal();

        ServerFrames frames();

        /** True once the welcome has been sent: entries may follow. */
        boolean isLive();

        /** True while the entry answers a request of this client that has no reply yet. */
        boolean awaitsReply(Entry entry);

        /** The first attach was answered. */
        void attached(Attachment attachment, ConversationView view);

        /** The conversation refused, and the attachment is gone. */
        void refused(String conv, Refusal refusal);
    }

    private final TerminalPort port;
    private final SocketContext context;
    private final Services services;
    private final SocketSettings settings;
    private final Owner owner;
    private Map<String, Attachment> byConv = new LinkedHashMap<>(4);
    private int reads;
    private boolean retryArmed;
    private boolean ackFlushArmed;

    Attachments(TerminalPort port, SocketContext context, Owner owner) {
        this.port = port;
        this.context = context;
        this.services = context.services();
        this.settings = context.settings();
        this.owner = owner;
    }

    Attachment find(String conv) {
        return byConv.get(conv);
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
                                owner.principal(),
                                owner.terminal(),
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
        attachment.end();
        pump(attachment);
    }

    /** Tells every conversation that this terminal is gone, in order. */
    void detachAll() {
        for (Attachment attachment : byConv.values()) {
            if (attachment.state != Attachment.State.ENDING) {
                flushAck(attachment);
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
        attachment.told(view.lastSeq());
        boolean first = !attachment.isPlaced();
        if (first) {
            place(attachment, answer);
        } else {
            catchUpWithAnswer(attachment, view);
        }
        if (answer.missed() != null && !attachment.reading) {
            for (TerminalPush.EntryPush push : answer.missed()) {
                if (push.entry().seq() > attachment.lastFed() && push.prev() <= attachment.lastFed()) {
                    attachment.feed(push.entry());
                }
            }
        }
        if (first) {
            owner.attached(attachment, view);
        }
        pump(attachment);
    }

    private static void place(Attachment attachment, TerminalPush.Attached answer) {
        ConversationView view = answer.view();
        attachment.beyondEnd = answer.beyondEnd();
        attachment.have = answer.beyondEnd()
                ? Math.min(view.lastSeq(), view.watermark().delivered())
                : Math.max(0, answer.after());
        attachment.acked = view.watermark().delivered();
        attachment.read = view.watermark().read();
        attachment.view = view;
        attachment.peer(view.peer());
    }

    /** After the actor was started again: it may have lost the latest acks, and we its latest receipts. */
    private void catchUpWithAnswer(Attachment attachment, ConversationView view) {
        if (!attachment.watcher
                && (attachment.acked > view.watermark().delivered()
                        || attachment.read > view.watermark().read())) {
            attachment.ackDue = true;
            attachment.readDue = true;
            armAckFlush();
        }
        boolean moved = view.peer().delivered() > attachment.peerDelivered
                || view.peer().read() > attachment.peerRead;
        Person peer = peerOf(view);
        if (moved && peer != null) {
            onReceipt(new TerminalPush.Receipt(view.conv(), peer, view.peer()));
        }
    }

    private Person peerOf(ConversationView view) {
        if (owner.principal().role().isStaff()) {
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
        owner.refused(answer.conv(), answer.refusal());
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
     * Asks conversations on other nodes for their last seq, by attaching again, which does no harm: a push that got lost
     * between nodes with none after it would otherwise be missed until the next one.
     */
    void checkRemote() {
        for (Attachment attachment : byConv.values()) {
            if (attachment.state == Attachment.State.ATTACHED
                    && attachment.ref.path().address().hasGlobalScope()) {
                request(attachment);
            }
        }
    }

    // ---- entries ----

    void onEntry(TerminalPush.EntryPush push) {
        Attachment attachment = byConv.get(push.conv());
        if (attachment == null || attachment.state == Attachment.State.ENDING) {
            return;
        }
        Entry entry = push.entry();
        attachment.told(entry.seq());
        if (!attachment.isPlaced() || entry.seq() <= attachment.lastFed() || attachment.reading) {
            return;
        }
        if (push.prev() > attachment.lastFed()) {
            pump(attachment);
        } else if (attachment.hasFeed() || !owner.isLive() || port.isFull() || owner.awaitsReply(entry)) {
            if (attachment.feedHasRoom() && !port.isFull()) {
                attachment.feed(entry);
            }
        } else {
            deliver(attachment, entry, push.prev());
        }
    }

    private void deliver(Attachment attachment, Entry entry, long prev) {
        attachment.have = entry.seq();
        port.send(owner.frames().entry(attachment.conv, entry, prev));
    }

    /** Goes on with every conversation that has something for the client. */
    void pumpAll() {
        // A pump may end an attachment.
        for (Attachment attachment : new ArrayList<>(byConv.values())) {
            pump(attachment);
        }
    }

    /** Queues what waits in the feed as far as there is room, then reads on where the feed ends too early. */
    private void pump(Attachment attachment) {
        if (!owner.isLive() || !attachment.isPlaced()) {
            return;
        }
        for (Entry entry = attachment.nextFed(); entry != null; entry = attachment.nextFed()) {
            if (entry.seq() > attachment.have) {
                if (owner.awaitsReply(entry) || !port.hasRoom()) {
                    return;
                }
                deliver(attachment, entry, attachment.have);
            }
            attachment.dropFed();
        }
        if (port.hasRoom()) {
            sendLatest(attachment);
        }
        if (attachment.isBehind()) {
            readOn(attachment);
        } else if (attachment.state == Attachment.State.ENDING) {
            byConv.remove(attachment.conv, attachment);
        }
    }

    private void readOn(Attachment attachment) {
        boolean waitsForRetry = attachment.emptyReads > 0 && attachment.retryAtNanos - port.nanoTime() > 0;
        if (attachment.reading || reads >= MAX_READS || !port.hasRoom() || waitsForRetry) {
            return;
        }
        attachment.reading = true;
        reads++;
        context.figures().catchUpRead();
        port.pipe(
                services.storage()
                        .entryLog()
                        .readUpwards(attachment.conv, visibility(), attachment.have + 1, attachment.readsBelow(), PAGE),
                (page, failure) -> onPage(attachment, page, failure));
    }

    private Entry.Visibility visibility() {
        return owner.principal().role().isStaff() ? Entry.Visibility.STAFF : Entry.Visibility.ALL;
    }

    private void onPage(Attachment attachment, EntryLog.Page page, Throwable failure) {
        attachment.reading = false;
        reads--;
        if (byConv.get(attachment.conv) == attachment) {
            if (failure != null || (page.entries().isEmpty() && attachment.heard > attachment.have)) {
                emptyRead(attachment, failure);
            } else {
                attachment.emptyReads = 0;
                attachment.feed(page);
            }
        }
        pumpAll();
    }

    private void emptyRead(Attachment attachment, Throwable failure) {
        attachment.emptyReads++;
        if (failure == null && attachment.emptyReads > MAX_EMPTY_READS) {
            LOG.warn(
                    "{} was told of seq {} of {}, but the log has nothing for it after {}",
                    owner.principal().person(),
                    attachment.heard,
                    attachment.conv,
                    attachment.have);
            attachment.heard = attachment.have;
            attachment.emptyReads = 0;
            return;
        }
        attachment.retryAtNanos =
                port.nanoTime() + Math.min(LONGEST_RETRY_NANOS, RETRY_STEP_NANOS * attachment.emptyReads);
        armRetry();
    }

    // ---- what is not an entry ----

    void onReceipt(TerminalPush.Receipt receipt) {
        Attachment attachment = byConv.get(receipt.conv());
        if (attachment == null) {
            return;
        }
        attachment.peer(receipt.watermark());
        if (owner.isLive() && !port.isFull()) {
            port.send(owner.frames().receipt(receipt));
        } else {
            attachment.latestReceipt = receipt;
        }
    }

    void onQueued(TerminalPush.Queued queued) {
        Attachment attachment = byConv.get(queued.conv());
        if (attachment == null) {
            return;
        }
        if (owner.isLive() && !port.isFull()) {
            port.send(owner.frames().queued(queued));
        } else {
            attachment.latestQueued = queued;
        }
    }

    /** Receipts and positions replace one another: of those that found no room only the latest is sent. */
    private void sendLatest(Attachment attachment) {
        if (attachment.latestReceipt != null) {
            port.send(owner.frames().receipt(attachment.latestReceipt));
            attachment.latestReceipt = null;
        }
        if (attachment.latestQueued != null) {
            port.send(owner.frames().queued(attachment.latestQueued));
            attachment.latestQueued = null;
        }
    }

    // ---- acks ----

    /** What came of a client's ack. */
    enum AckOutcome {
        TAKEN,
        BAD,
        NOT_ATTACHED
    }

    /** The client has, or has read, everything up to {@code seq}. */
    AckOutcome ack(String conv, long seq, boolean read) {
        Attachment attachment = byConv.get(conv);
        if (attachment == null) {
            return AckOutcome.NOT_ATTACHED;
        }
        if (seq > attachment.have) {
            return AckOutcome.BAD;
        }
        if (attachment.watcher) {
            return AckOutcome.TAKEN;
        }
        if (seq > attachment.acked) {
            attachment.acked = seq;
            attachment.ackDue = true;
        }
        if (read && seq > attachment.read) {
            attachment.read = seq;
            attachment.readDue = true;
        }
        if (attachment.ackDue || attachment.readDue) {
            armAckFlush();
        }
        return AckOutcome.TAKEN;
    }

    /** Acks that arrived together are told together: the flush runs behind what has already arrived. */
    private void armAckFlush() {
        if (!ackFlushArmed) {
            ackFlushArmed = true;
            port.later(this::flushAcks);
        }
    }

    private void flushAcks() {
        ackFlushArmed = false;
        for (Attachment attachment : byConv.values()) {
            flushAck(attachment);
        }
    }

    private void flushAck(Attachment attachment) {
        if (attachment.state == Attachment.State.ENDING) {
            return;
        }
        // Reading implies having, so one command tells both where both end at the same seq.
        if (attachment.ackDue && !(attachment.readDue && attachment.read >= attachment.acked)) {
            ack(attachment, attachment.acked, false);
        }
        if (attachment.readDue && attachment.read > 0) {
            ack(attachment, attachment.read, true);
        }
        attachment.ackDue = false;
        attachment.readDue = false;
    }

    private void ack(Attachment attachment, long seq, boolean read) {
        services.peers()
                .conversation(
                        attachment.conv, new ConversationCommand.Ack(owner.principal(), seq, read, context.ignored()));
    }

    // ---- trying again ----

    private void retryLater(Attachment attachment) {
        // The first try comes at once but for a jitter, because thousands of terminals may lose the same node.
        long base = Math.min(LONGEST_RETRY_NANOS, RETRY_STEP_NANOS * (1L << Math.min(6, attachment.attempts)) / 2);
        attachment.retryAtNanos =
                port.nanoTime() + base / 2 + ThreadLocalRandom.current().nextLong(base / 2 + 1);
        armRetry();
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
                    pump(attachment);
                }
            }
        }
        if (pending) {
            armRetry();
        }
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
