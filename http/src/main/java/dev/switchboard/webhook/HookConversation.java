package dev.switchboard.webhook;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.Entry;
import dev.switchboard.delivery.TerminalPush;
import java.util.ArrayDeque;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What a webhook knows of one conversation. Not thread-safe; {@link WebhookTerminal} works with it.
 *
 * <p>{@code have} is the last seq that the receiver took. Entries above it wait in a short feed, in order and without a gap,
 * or are known only by {@code heard}, the highest seq that was heard of and may be sent; those are read from the log. So what
 * isn't being delivered costs no memory.
 */
final class HookConversation {
    /** How many entries wait here; more are read from the log when their turn comes. */
    private static final int MOST_FED = 16;

    /** Where the attachment is in its life. */
    enum State {
        ATTACHING,
        ATTACHED,
        /** It was let go; what it heard of before is still sent. */
        ENDING
    }

    final String conv;
    State state = State.ATTACHING;
    ActorRef<ConversationCommand> ref;

    /** How often an attach was tried in a row without an answer. */
    int tries;

    /** When something is tried again: an attach, or a read of the log. */
    long retryAtNanos;

    /** Reads of the log in a row that gave nothing. */
    int emptyReads;

    /** A request to the receiver, or a read of the log, is under way: there is one at a time. */
    boolean busy;

    /** Refusals that the conversation hasn't answered. */
    int refusing;

    /** An entry to be sent once more out of its turn, and the number of that attempt; 0 for none. */
    long again;

    int againAttempt;

    private long have = -1;
    private long heard;
    private long holdFrom;
    private int attempt = 1;
    private long refused;
    private final ArrayDeque<Entry> feed = new ArrayDeque<>(2);

    HookConversation(String conv) {
        this.conv = conv;
    }

    /** True once it is known from where the receiver continues. */
    boolean isPlaced() {
        return have >= 0;
    }

    /** The last seq that the receiver took; −1 before it is known. */
    long have() {
        return have;
    }

    long heard() {
        return heard;
    }

    /** The seq from which the log is to be read on. */
    long readFrom() {
        return lastFed() + 1;
    }

    private long lastFed() {
        return feed.isEmpty() ? have : Math.max(have, feed.peekLast().seq());
    }

    /** The receiver continues after that seq; also when the history was put back to an older copy. */
    void place(long after) {
        have = Math.max(0, after);
        heard = Math.max(have, heard);
        feed.clear();
    }

    /** The conversation has told of that seq, by a push or as its last one that may be sent. */
    void told(long seq) {
        if (!holds(seq)) {
            heard = Math.max(heard, seq);
        }
    }

    private boolean holds(long seq) {
        return holdFrom > 0 && seq >= holdFrom;
    }

    /** The conversation says from where on nothing may be sent; 0 for no bound. */
    void hold(long from, int number) {
        holdFrom = from;
        attempt = number;
        if (from > 0) {
            heard = Math.min(heard, from - 1);
            feed.removeIf(entry -> holds(entry.seq()));
        }
    }

    /** A pushed entry, kept if it is the next one and there is room. */
    void offered(TerminalPush.EntryPush push) {
        Entry entry = push.entry();
        if (holds(entry.seq())) {
            return;
        }
        heard = Math.max(heard, entry.seq());
        boolean next = isPlaced() && entry.seq() > lastFed() && push.prev() <= lastFed();
        if (next && !busyReading() && feed.size() < MOST_FED) {
            feed.add(entry);
        }
    }

    /** A page of the log. */
    void read(Iterable<Entry> entries) {
        for (Entry entry : entries) {
            if (!holds(entry.seq()) && entry.seq() > lastFed()) {
                feed.add(entry);
            }
        }
    }

    /** While a page is on its way, nothing is put before it. */
    private boolean busyReading() {
        return busy && feed.isEmpty();
    }

    /** The next entry to be sent, if it is here; null otherwise. */
    Entry next() {
        while (!feed.isEmpty() && feed.peek().seq() <= have) {
            feed.remove();
        }
        return feed.peek();
    }

    /** True when there is something to send, be it in the log. */
    boolean wants() {
        return again > 0 || next() != null || heard > have;
    }

    /** The log has nothing of what was heard of. */
    void forgetUnread() {
        heard = lastFed();
    }

    /** The number of the attempt that sending this entry is. */
    int attemptAt(long seq) {
        return holdFrom == seq + 1 ? attempt : 1;
    }

    /** The receiver took it. */
    void took(long seq) {
        have = Math.max(have, seq);
        if (seq == refused) {
            refused = 0;
        }
    }

    /** The receiver did not take it: it comes again when the conversation says so, and nothing before it. */
    void refuse(long seq) {
        refused = seq;
        hold(seq, 1);
    }

    /** An entry is given up: if it was refused here, the receiver goes on behind it. */
    void pass(long seq) {
        if (seq > 0 && seq == refused) {
            refused = 0;
            have = Math.max(have, seq);
        }
    }
}
