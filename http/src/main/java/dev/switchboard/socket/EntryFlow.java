package dev.switchboard.socket;

import dev.switchboard.conversation.Entry;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.ports.EntryLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How entries get from the conversations to one client. Not thread-safe; lives in the connection's stage.
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
final class EntryFlow {
    private static final Logger LOG = LoggerFactory.getLogger(EntryFlow.class);
    private static final int PAGE = 100;
    private static final int MAX_READS = 4;
    private static final int MAX_EMPTY_READS = 5;
    private static final long RETRY_STEP_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

    private final TerminalPort port;
    private final SocketContext context;
    private final Terminal terminal;
    private final Attachments attachments;
    private int reads;

    /** An entry waits for the reply to a request of the client. */
    private boolean held;

    /** Those whose receipts wait for later ones, or for a frame that leaves anyway. */
    private final List<Attachment> gathered = new ArrayList<>(0);

    private boolean receiptsTimed;

    EntryFlow(TerminalPort port, SocketContext context, Terminal terminal, Attachments attachments) {
        this.port = port;
        this.context = context;
        this.terminal = terminal;
        this.attachments = attachments;
    }

    void onEntry(TerminalPush.EntryPush push) {
        Attachment attachment = attachments.find(push.conv());
        if (attachment == null || attachment.state == Attachment.State.ENDING) {
            return;
        }
        Entry entry = push.entry();
        if (attachment.holds(entry.seq())) {
            return;
        }
        attachment.told(entry.seq());
        if (!attachment.isPlaced() || entry.seq() <= attachment.lastFed() || attachment.reading) {
            return;
        }
        if (push.prev() > attachment.lastFed()) {
            pump(attachment);
        } else if (attachment.hasFeed() || !terminal.isLive() || port.isFull() || awaitsReply(entry)) {
            if (attachment.feedHasRoom() && !port.isFull()) {
                attachment.feed(entry);
            }
        } else {
            boolean unused = deliver(attachment, entry, push.prev());
        }
    }

    private boolean awaitsReply(Entry entry) {
        boolean awaits = terminal.awaitsReply(entry);
        held |= awaits;
        return awaits;
    }

    /** A request of the client has been answered: entries that waited for that may follow. */
    void replied() {
        if (held) {
            held = false;
            pumpAll();
        }
    }

    /** False when the entry can't be put into this client's form: that counts as its refusal. */
    private boolean deliver(Attachment attachment, Entry entry, long prev) {
        byte[] frame;
        try {
            frame = terminal.frames().entry(attachment.conv, entry, attachment.takePrev(entry.seq(), prev));
        } catch (UnconvertibleException e) {
            LOG.warn("Entry {} of {} can't be converted", entry.seq(), attachment.conv, e);
            attachment.have = entry.seq();
            terminal.refuse(
                    attachment, entry.seq(), Nacks.CONVERSION, e.getCause().toString());
            return false;
        }
        attachment.have = entry.seq();
        boolean others = !terminal.principal().person().equals(entry.from());
        if (others) {
            attachment.othersUpTo = entry.seq();
            trace(attachment, entry, attachment.attemptAt(entry.seq()));
        }
        context.figures().flow().entryWritten();
        port.send(frame);
        if (others && attachment.isTimely(entry)) {
            port.time(entry.at());
        }
        return true;
    }

    private void trace(Attachment attachment, Entry entry, int attempt) {
        if (entry.kind() == Entry.Kind.MESSAGE && !attachment.watcher) {
            port.tracing(terminal, attachment.conv, entry.seq(), attempt);
        }
    }

    /** The conversation says how far this terminal may go. */
    void onHold(TerminalPush.Hold hold) {
        Attachment attachment = attachments.find(hold.conv());
        if (attachment == null || attachment.state == Attachment.State.ENDING) {
            return;
        }
        attachment.hold(hold.from(), hold.attempt());
        attachment.pass(hold.passed());
        attachment.told(hold.lastSeq());
        pump(attachment);
    }

    /** An entry is to be sent once more, out of its turn: whoever left it behind asked for that. */
    void onAgain(TerminalPush.Again again) {
        Attachment attachment = attachments.find(again.conv());
        if (attachment == null || attachment.watcher || attachment.state == Attachment.State.ENDING) {
            return;
        }
        if (!again.always() && attachment.have < again.seq()) {
            return;
        }
        if (!terminal.isLive()) {
            attachment.owed = again;
            return;
        }
        port.pipe(
                context.services()
                        .storage()
                        .entryLog()
                        .readUpwards(again.conv(), visibility(), again.seq(), again.seq() + 1, 1),
                (page, failure) -> {
                    if (!terminal.isLive() || attachments.find(again.conv()) != attachment) {
                        return;
                    }
                    if (failure != null) {
                        // The conversation says it anew.
                        attachments.askAgain(attachment);
                    } else if (!page.entries().isEmpty()) {
                        sendAgain(attachment, page.entries().get(0), again.attempt());
                    }
                });
    }

    private void sendAgain(Attachment attachment, Entry entry, int attempt) {
        attachment.again = entry.seq();
        attachment.againAttempt = attempt;
        byte[] frame;
        try {
            frame = terminal.frames().entry(attachment.conv, entry, entry.seq() - 1);
        } catch (UnconvertibleException e) {
            LOG.warn("Entry {} of {} can't be converted", entry.seq(), attachment.conv, e);
            terminal.refuse(
                    attachment, entry.seq(), Nacks.CONVERSION, e.getCause().toString());
            return;
        }
        trace(attachment, entry, attempt);
        port.send(frame);
    }

    /** Goes on with every conversation that has something for the client. */
    void pumpAll() {
        // A pump may end an attachment.
        for (Attachment attachment : new ArrayList<>(attachments.all())) {
            pump(attachment);
        }
    }

    /** Queues what waits in the feed as far as there is room, then reads on where the feed ends too early. */
    void pump(Attachment attachment) {
        if (!terminal.isLive() || !attachment.isPlaced()) {
            return;
        }
        if (attachment.owed != null) {
            TerminalPush.Again owed = attachment.owed;
            attachment.owed = null;
            onAgain(owed);
        }
        for (Entry entry = attachment.nextFed(); entry != null; entry = attachment.nextFed()) {
            if (entry.seq() > attachment.have) {
                if (awaitsReply(entry) || !port.hasRoom()) {
                    return;
                }
                if (!deliver(attachment, entry, attachment.have)) {
                    return;
                }
            }
            attachment.dropFed();
        }
        if (port.hasRoom()) {
            sendLatest(attachment);
        }
        if (attachment.isBehind()) {
            readOn(attachment);
        } else if (attachment.state == Attachment.State.ENDING) {
            attachments.forget(attachment);
        }
    }

    private void readOn(Attachment attachment) {
        boolean waitsForRetry = attachment.emptyReads > 0 && attachment.retryAtNanos - port.nanoTime() > 0;
        if (attachment.reading || reads >= MAX_READS || !port.hasRoom() || waitsForRetry) {
            return;
        }
        attachment.reading = true;
        int generation = attachment.generation;
        reads++;
        context.figures().catchUpRead();
        // Never beyond what the conversation told this terminal of: it may have been let go since.
        port.pipe(
                context.services()
                        .storage()
                        .entryLog()
                        .readUpwards(attachment.conv, visibility(), attachment.have + 1, attachment.heard + 1, PAGE),
                (page, failure) -> onPage(attachment, generation, page, failure));
    }

    private Entry.Visibility visibility() {
        return terminal.principal().role().isStaff() ? Entry.Visibility.STAFF : Entry.Visibility.ALL;
    }

    private void onPage(Attachment attachment, int generation, EntryLog.Page page, Throwable failure) {
        attachment.reading = false;
        reads--;
        if (attachments.find(attachment.conv) == attachment && attachment.generation == generation) {
            if (failure != null || (page.entries().isEmpty() && attachment.heard > attachment.have)) {
                emptyRead(attachment, failure);
            } else {
                attachment.emptyReads = 0;
                page.entries().stream()
                        .filter(entry -> !attachment.holds(entry.seq()))
                        .forEach(attachment::feed);
            }
        }
        pumpAll();
    }

    private void emptyRead(Attachment attachment, Throwable failure) {
        attachment.emptyReads++;
        if (failure == null && attachment.emptyReads > MAX_EMPTY_READS) {
            LOG.warn(
                    "{} was told of seq {} of {}, but the log has nothing for it after {}",
                    terminal.principal().person(),
                    attachment.heard,
                    attachment.conv,
                    attachment.have);
            attachment.heard = attachment.have;
            attachment.emptyReads = 0;
            return;
        }
        attachment.retryAtNanos =
                port.nanoTime() + Math.min(LONGEST_RETRY_NANOS, RETRY_STEP_NANOS * attachment.emptyReads);
        attachments.armRetry();
    }

    void onReceipt(TerminalPush.Receipt receipt) {
        Attachment attachment = attachments.find(receipt.conv());
        if (attachment == null) {
            return;
        }
        attachment.peer(receipt.watermark());
        boolean first = attachment.latestReceipt == null;
        attachment.latestReceipt = receipt;
        if (!first || !terminal.isLive() || port.isFull()) {
            return;
        }
        Duration wait = context.settings().receiptGather();
        gathered.add(attachment);
        if (wait.isZero()) {
            sendReceipts();
        } else if (!receiptsTimed) {
            receiptsTimed = true;
            port.start(TerminalPort.Timer.RECEIPTS, wait);
        }
    }

    /** The time is over in which receipts waited. */
    void onReceiptTimer() {
        receiptsTimed = false;
        sendReceipts();
    }

    /** Something else leaves: what receipts wait go with it. */
    void leaving() {
        if (!gathered.isEmpty() && port.isSending()) {
            sendReceipts();
        }
    }

    private void sendReceipts() {
        for (Attachment attachment : gathered) {
            TerminalPush.Receipt latest = attachment.latestReceipt;
            if (latest != null && !port.isFull()) {
                attachment.latestReceipt = null;
                terminal.tell(() -> terminal.frames().receipt(latest));
            }
        }
        gathered.clear();
    }

    void onQueued(TerminalPush.Queued queued) {
        Attachment attachment = attachments.find(queued.conv());
        if (attachment == null) {
            return;
        }
        if (terminal.isLive() && !port.isFull()) {
            terminal.tell(() -> terminal.frames().queued(queued));
        } else {
            attachment.latestQueued = queued;
        }
    }

    /** Receipts and positions replace one another: of those that found no room only the latest is sent. */
    private void sendLatest(Attachment attachment) {
        TerminalPush.Receipt receipt = attachment.latestReceipt;
        if (receipt != null) {
            attachment.latestReceipt = null;
            terminal.tell(() -> terminal.frames().receipt(receipt));
        }
        TerminalPush.Queued queued = attachment.latestQueued;
        if (queued != null) {
            attachment.latestQueued = null;
            terminal.tell(() -> terminal.frames().queued(queued));
        }
    }
}
