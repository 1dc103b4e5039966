package dev.switchboard.dispatcher;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.dispatch.Envelope;
import org.apache.pekko.dispatch.MessageQueue;
import org.apache.pekko.dispatch.UnboundedMessageQueueSemantics;
import org.jctools.queues.unpadded.MpscLinkedUnpaddedQueue;

/**
 * The messages of one session, and what its lanes keep with it. Any thread may enqueue; whoever holds the mailbox's
 * scheduled bit dequeues, and that bit orders one holder's writes before the next one's reads. Linked and without
 * padding, because most sessions are idle most of the time and there are very many of them.
 */
final class SessionQueue extends MpscLinkedUnpaddedQueue<Envelope>
        implements MessageQueue, UnboundedMessageQueueSemantics {
    private final int hash;

    /** How often the session was scheduled, for sampling; written by whoever won the scheduled bit. */
    private int scheduled;

    /** When a sampled scheduling happened by {@link System#nanoTime()}, else 0; written as {@link #scheduled} is. */
    private long scheduledAt;

    /** The figures of the lane that runs this session now. */
    private LaneFigures figures;

    /** Whether another message was there behind the last one taken. Kept so that the look for it isn't compiled away. */
    private boolean more;

    /** The last lane computed and for how many lanes, as {@code lanes << 16 | lane}; any thread may overwrite it. */
    private int laneMemo;

    SessionQueue(int hash) {
        this.hash = hash;
        this.scheduled = hash;
    }

    /** The lane of this session when so many lanes are in use. */
    int lane(int lanes) {
        int memo = laneMemo;
        if (memo >>> 16 == lanes) {
            return memo & 0xFFFF;
        }
        int lane = LaneHash.lane(hash, lanes);
        laneMemo = lanes << 16 | lane;
        return lane;
    }

    /** The session was scheduled; every so many times, given as a mask, its wait is measured. */
    void scheduled(int sampleMask) {
        if ((++scheduled & sampleMask) == 0) {
            scheduledAt = System.nanoTime();
        }
    }

    /** The session starts to run on the lane with these figures. */
    void runsFor(LaneFigures lane) {
        figures = lane;
        if (scheduledAt != 0) {
            lane.waited(System.nanoTime() - scheduledAt);
            scheduledAt = 0;
        }
    }

    @Override
    public void enqueue(ActorRef receiver, Envelope message) {
        offer(message);
    }

    /**
     * The next message, or null. Null also while a producer has claimed its place and not yet filled it: waiting for
     * that thread would hold up the lane's other sessions, and {@link #hasMessages()} brings the mailbox back.
     */
    @Override
    public Envelope dequeue() {
        Envelope message = relaxedPoll();
        if (message != null) {
            if (figures != null) {
                figures.message();
            }
            lookAhead();
        }
        return message;
    }

    /**
     * Asks for the memory of the next message, mostly in another processor's cache, so that it is there when it is needed
     * and something else is worked on until then. For whoever may dequeue.
     */
    void lookAhead() {
        more = relaxedPeek() != null;
    }

    /** What the last look ahead saw, for whoever may dequeue. */
    boolean more() {
        return more;
    }

    @Override
    public int numberOfMessages() {
        return size();
    }

    @Override
    public boolean hasMessages() {
        return !isEmpty();
    }

    @Override
    public void cleanUp(ActorRef owner, MessageQueue deadLetters) {
        for (Envelope message = poll(); message != null; message = poll()) {
            deadLetters.enqueue(owner, message);
        }
    }
}
