package dev.switchboard.socket;

import dev.switchboard.delivery.BoundedHistogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * How entries flow to a node's sockets, since the start. Thread-safe; counting never blocks.
 *
 * <p>Times run from the acceptance of an entry, by the clock of the node that accepted it, and only for entries that were
 * accepted while their receiver was attached: else they would tell how long people are away. One socket times one entry
 * at once, the first of those that wait, as TCP does for its round trips: a socket that is written to once in a while
 * has all its entries timed, and a busy one costs no more.
 */
public final class FlowFigures {
    /** How the history of a conversation was continued when a client came. */
    public enum Resume {
        /** From where the client said that it was. */
        RESUMED("resumed"),
        /** From the start, or from the watermark: what the client has is of another history, or beyond the end. */
        RESTARTED("restarted"),
        /** From the person's watermark: the client named nothing. */
        FRESH("fresh");

        private final String wireName;

        Resume(String wireName) {
            this.wireName = wireName;
        }

        /** The name in figures. */
        public String wireName() {
            return wireName;
        }
    }

    /** How a socket ended of which this side had not said `bye`. */
    public enum Close {
        /** The client sent a close frame. */
        CLIENT("client"),
        /** The connection broke. */
        LOST("lost");

        private final String wireName;

        Close(String wireName) {
            this.wireName = wireName;
        }

        /** The name in figures, beside those of {@link Bye}. */
        public String wireName() {
            return wireName;
        }
    }

    private final LongAdder entriesWritten = new LongAdder();
    private final BoundedHistogram untilWritten = BoundedHistogram.ofTimes();
    private final BoundedHistogram untilAcknowledged = BoundedHistogram.ofTimes();
    private final LongAdder queuedFrames = new LongAdder();
    private final LongAdder queuedBytes = new LongAdder();
    private final Map<Resume, LongAdder> resumes = new EnumMap<>(Resume.class);
    private final Map<Close, LongAdder> closes = new EnumMap<>(Close.class);

    FlowFigures() {
        for (Resume resume : Resume.values()) {
            resumes.put(resume, new LongAdder());
        }
        for (Close close : Close.values()) {
            closes.put(close, new LongAdder());
        }
    }

    /** Entries put into send queues, repeats included. */
    public long entriesWritten() {
        return entriesWritten.sum();
    }

    /** From the acceptance of an entry until its frame was given to the connection, in nanoseconds. */
    public BoundedHistogram.View untilWritten() {
        return untilWritten.view();
    }

    /** From the acceptance of an entry until a terminal acknowledged it, in nanoseconds. */
    public BoundedHistogram.View untilAcknowledged() {
        return untilAcknowledged.view();
    }

    /** Frames in the send queues of all sockets now. */
    public long queuedFrames() {
        return queuedFrames.sum();
    }

    /** Bytes in the send queues of all sockets now. */
    public long queuedBytes() {
        return queuedBytes.sum();
    }

    public long resumes(Resume resume) {
        return resumes.get(resume).sum();
    }

    public long closes(Close close) {
        return closes.get(close).sum();
    }

    void entryWritten() {
        entriesWritten.increment();
    }

    void written(long nanos) {
        untilWritten.record(nanos);
    }

    void acknowledged(long nanos) {
        untilAcknowledged.record(nanos);
    }

    /** Send queues grew by so much; negative when they shrank. */
    void queued(int frames, int bytes) {
        queuedFrames.add(frames);
        queuedBytes.add(bytes);
    }

    void resumed(Resume resume) {
        resumes.get(resume).increment();
    }

    void closed(Close close) {
        closes.get(close).increment();
    }
}
