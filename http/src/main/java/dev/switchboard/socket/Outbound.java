package dev.switchboard.socket;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import org.apache.pekko.util.ByteString;

/**
 * The frames that wait for the receiver, bounded in number and bytes. Not thread-safe; used by the connection's own
 * stage. It never refuses a frame: those who fill it look first whether it is full, and what they leave out then waits
 * elsewhere (entries in the log, requests in the connection's own buffers) or is not worth waiting.
 */
final class Outbound {
    /** How many bytes are handed to the connection at once. */
    private static final int BATCH_BYTES = 16 * 1024;

    /** A deque that once held more than this isn't kept while nothing waits. */
    private static final int LARGEST_KEPT = 32;

    private final int maxEntries;
    private final int maxBytes;
    private final FlowFigures figures;
    private ArrayDeque<byte[]> frames;
    private int bytes;
    private int highest;

    /** How many frames were added, and taken, since the start; they may overflow. */
    private int added;

    private int taken;

    /** The frame whose leaving is timed, as a number of {@code added}, and since when it is; null: none is. */
    private Instant timedSince;

    private int timed;

    Outbound(int maxEntries, int maxBytes, FlowFigures figures) {
        this.figures = figures;
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    void add(byte[] frame) {
        if (frames == null) {
            frames = new ArrayDeque<>(4);
        }
        frames.add(frame);
        added++;
        bytes += frame.length;
        added++;
        figures.queued(1, frame.length);
        highest = Math.max(highest, frames.size());
    }

    /** The frame added last carries an entry accepted at that time: how long it takes to leave is counted. */
    void time(Instant acceptedAt) {
        if (timedSince == null && !isEmpty()) {
            timedSince = acceptedAt;
            timed = added;
        }
    }

    /** How many frames were ever added. */
    long added() {
        return added;
    }

    /** How many frames were ever taken. */
    long taken() {
        return taken;
    }

    boolean isEmpty() {
        return frames == null || frames.isEmpty();
    }

    /** True at or beyond the bound. */
    boolean isFull() {
        return frames != null && (frames.size() >= maxEntries || bytes >= maxBytes);
    }

    /** True while less than half of the bound is used: there is room for what can wait. */
    boolean hasRoom() {
        return frames == null || (frames.size() < (maxEntries + 1) / 2 && bytes < (maxBytes + 1) / 2);
    }

    /** The next bytes for the connection: as many whole frames as make a good write. Call only when it isn't empty. */
    ByteString take() {
        byte[] first = frames.poll();
        bytes -= first.length;
        int total = first.length;
        int count = 0;
        for (byte[] next : frames) {
            if (total + next.length > BATCH_BYTES) {
                break;
            }
            total += next.length;
            count++;
        }
        taken += 1 + count;
        byte[] batch = first;
        if (count > 0) {
            batch = new byte[total];
            System.arraycopy(first, 0, batch, 0, first.length);
            int at = first.length;
            for (int i = 0; i < count; i++) {
                byte[] next = frames.poll();
                System.arraycopy(next, 0, batch, at, next.length);
                at += next.length;
                bytes -= next.length;
            }
        }
        if (frames.isEmpty() && highest > LARGEST_KEPT) {
            frames = null;
            highest = 0;
        }
        taken += count + 1;
        figures.queued(-count - 1, -total);
        if (timedSince != null && taken - timed >= 0) {
            figures.written(Duration.between(timedSince, Instant.now()).toNanos());
            timedSince = null;
        }
        return ByteString.fromArrayUnsafe(batch);
    }

    /** Drops everything. */
    void clear() {
        figures.queued(frames == null ? 0 : -frames.size(), -bytes);
        taken = added;
        timedSince = null;
        frames = null;
        bytes = 0;
        highest = 0;
    }
}
