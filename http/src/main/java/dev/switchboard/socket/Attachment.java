package dev.switchboard.socket;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.TerminalPush;
import java.time.Instant;
import java.util.ArrayDeque;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What one terminal knows of one conversation that it is attached to. Not thread-safe; {@link Attachments} works with
 * it.
 *
 * <p>{@code have} is the last seq that was queued for the client. Entries above it wait in {@code feed}, in order and
 * without a gap, or are known only by {@code heard}, the highest seq that was heard of; then they are read from the
 * log.
 */
final class Attachment {
    /** How many live entries may wait in {@code feed}; more are read from the log when their turn comes. */
    private static final int MAX_FED = 64;

    /** Where the attachment is in its life. */
    enum State {
        /** An {@code Attach} is under way, for the first time or again. */
        ATTACHING,
        /** The conversation tells this terminal what is written. */
        ATTACHED,
        /** The terminal was let go; it still gets what it heard of before. */
        ENDING
    }

    final String conv;
    final boolean watcher;
    final boolean recovered;
    State state = State.ATTACHING;
    ActorRef<ConversationCommand> ref;

    /** The conversation when the first attach was answered, until the welcome has told it; then null. */
    ConversationView view;

    /** What the first attach asks for; −1: from the person's delivered watermark. */
    final long wanted;

    long have = -1;
    long heard;

    boolean anew;

    /** The last seq the client has that its own person may not have written; of what came before the attach, all. */
    long othersUpTo;

    /** The last seq that the receiver has, at this terminal or another, or that was given up for it. */
    long acked;

    /** The last seq that this client itself says it has. */
    long taken;

    long read;
    boolean ackDue;
    boolean readDue;

    boolean reading;
    int emptyReads;
    int attempts;
    long retryAtNanos;

    long peerDelivered;
    long peerRead;
    TerminalPush.Receipt latestReceipt;
    TerminalPush.Queued latestQueued;
    long typedAtNanos;

    private ArrayDeque<Entry> feed;

    /** Nothing from this seq on goes to the client for now; 0: no bound. */
    private long holdFrom;

    /** The number of the attempt at the entry before {@code holdFrom}. */
    private int attempt = 1;

    /** The entry that this terminal refused last and has not got since; 0 for none. */
    private long refused;

    /** Since when the terminal hears of what is written; null before. */
    private Instant since;

    /** The entry until whose ack the time is counted, and since when; null: none is. */
    private Instant timedSince;

    private long timed;

    /** Refusals that the conversation hasn't answered. */
    int nacking;

    /** What to name as the seq before the next entry where the client refused one; −1: what it is. */
    private long prevOverride = -1;

    /** Grows when this terminal goes back: pages that were asked for before are of no use then. */
    int generation;

    /** An entry that was sent once more out of its turn, and the number of that attempt; 0 for none. */
    long again;

    int againAttempt;

    /** What is to be sent once more as soon as the welcome is out; null for nothing. */
    TerminalPush.Again owed;

    Attachment(String conv, long wanted, boolean watcher, boolean recovered) {
        this.conv = conv;
        this.wanted = wanted;
        this.watcher = watcher;
        this.recovered = recovered;
    }

    /** True once the first attach was answered: it is known from where the client continues. */
    boolean isPlaced() {
        return have >= 0;
    }

    /** True when something that the client must get isn't in {@code feed}. */
    boolean isBehind() {
        return isPlaced() && lastFed() < heard;
    }

    /** The seq up to which {@code feed} goes on from {@code have}. */
    long lastFed() {
        return feed == null || feed.isEmpty()
                ? have
                : Math.max(have, feed.peekLast().seq());
    }

    boolean hasFeed() {
        return feed != null && !feed.isEmpty();
    }

    boolean feedHasRoom() {
        return feed == null || feed.size() < MAX_FED;
    }

    void feed(Entry entry) {
        if (feed == null) {
            feed = new ArrayDeque<>(4);
        }
        feed.add(entry);
    }

    /** The conversation has told of that entry, by a push or as its last one. */
    void told(long seq) {
        heard = Math.max(heard, seq);
    }

    Entry nextFed() {
        return feed == null ? null : feed.peek();
    }

    void dropFed() {
        feed.poll();
        if (feed.isEmpty()) {
            feed = null;
        }
    }

    /** How the history was continued here. */
    FlowFigures.Resume resumeOutcome() {
        if (anew || !recovered) {
            return FlowFigures.Resume.RESTARTED;
        }
        return wanted >= 0 ? FlowFigures.Resume.RESUMED : FlowFigures.Resume.FRESH;
    }

    /** The terminal hears of what is written from now on. */
    void placed(Instant now) {
        since = now;
    }

    /** That entry, of another person, goes to the client: true when how long that took is worth knowing. */
    boolean isTimely(Entry entry) {
        boolean timely =
                since != null && !watcher && entry.at() != null && !entry.at().isBefore(since);
        if (timely && timedSince == null) {
            timedSince = entry.at();
            timed = entry.seq();
        }
        return timely;
    }

    /** The client has everything up to that: since when it was being timed, or null. */
    Instant timedUntil(long seq) {
        Instant found = timedSince != null && seq >= timed ? timedSince : null;
        timedSince = found == null ? timedSince : null;
        return found;
    }

    // ---- refused entries ----

    /** True when that entry may not go to the client for now. */
    boolean holds(long seq) {
        return holdFrom > 0 && seq >= holdFrom;
    }

    /** The conversation says from where on nothing may go; 0 for no bound. */
    void hold(long from, int number) {
        holdFrom = from;
        attempt = number;
        if (from > 0) {
            heard = Math.min(heard, from - 1);
            if (feed != null && holds(lastFed())) {
                feed = null;
            }
        }
    }

    /** The number of the attempt by which the client got that entry. */
    int attemptAt(long seq) {
        return holdFrom == seq + 1 ? attempt : 1;
    }

    /** True when the entry comes after one that this terminal refused, and waits behind it. */
    boolean isBehindRefused(long seq) {
        return refused > 0 && seq > refused;
    }

    /** The client can't take that entry: it goes back to before it, and waits. */
    void refuse(long seq, boolean seesAll) {
        refused = seq;
        prevOverride = seesAll ? seq - 1 : taken;
        have = seq - 1;
        timedSince = null;
        feed = null;
        generation++;
        hold(seq, 1);
    }

    /** An entry is given up: if this terminal refused it, it goes on behind it. */
    void pass(long seq) {
        if (seq == refused) {
            refused = 0;
            have = Math.max(have, seq);
        }
    }

    /** What to name as the seq before the entry that is sent now. */
    long takePrev(long seq, long prev) {
        if (seq >= refused) {
            refused = 0;
        }
        long named = prevOverride >= 0 ? Math.min(prev, prevOverride) : prev;
        prevOverride = -1;
        return named;
    }

    /** Remembers how far the other side got. */
    void peer(Watermark mark) {
        peerDelivered = Math.max(peerDelivered, mark.delivered());
        peerRead = Math.max(peerRead, mark.read());
    }
}
