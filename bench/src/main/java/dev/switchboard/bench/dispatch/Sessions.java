package dev.switchboard.bench.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.HdrHistogram.Histogram;

/**
 * What the sessions do with their messages: the work, the check of the order and the record of the latency. Workers
 * call {@link #handle}, each session on one thread at a time; the rest is for the thread that measures.
 *
 * <p>A latency is from the intended arrival to the end of the work, so a message that the producer could only send late,
 * because the contender held it up or took its processor, counts with the delay: no omission is coordinated.
 */
final class Sessions {
    private final int workBytes;
    /** Written before the first message is sent, whose way to the workers makes it visible to them. */
    private long recordFromNs;

    private long recordToNs;
    private final Session[] sessions;
    private final List<WorkerFigures> workers = new CopyOnWriteArrayList<>();
    private final ThreadLocal<WorkerFigures> ofThisWorker = ThreadLocal.withInitial(this::newWorker);

    Sessions(int count, int workBytes) {
        this.workBytes = workBytes;
        this.sessions = new Session[count];
        for (int i = 0; i < count; i++) {
            sessions[i] = new Session();
        }
    }

    /**
     * Keeps the latencies of messages intended in that time; without it none are kept. To be called before the first
     * message is sent.
     */
    void recordBetween(long fromNs, long toNs) {
        recordFromNs = fromNs;
        recordToNs = toNs;
    }

    int count() {
        return sessions.length;
    }

    /** The whole of a message's handling: this is the dispatch step that the contenders run. */
    void handle(Message message) {
        Session session = sessions[message.session()];
        session.digest = Work.mix(session.digest, message.payload(), workBytes);
        if (message.number() != session.expected) {
            session.violations++;
        }
        session.expected = message.number() + 1;
        session.handled++;
        WorkerFigures figures = ofThisWorker.get();
        long intendedNs = message.intendedNs();
        if (intendedNs - recordFromNs >= 0 && intendedNs - recordToNs < 0) {
            figures.latencies.recordValue(Math.max(0, System.nanoTime() - intendedNs));
        }
        figures.handledOne();
    }

    /** How many messages were handled so far, by all workers. Any thread may ask. */
    long handled() {
        long sum = 0;
        for (WorkerFigures worker : workers) {
            sum += worker.handled();
        }
        return sum;
    }

    /** The latencies of all workers together; call it when {@link #handled} has reached what was sent. */
    Histogram latencies() {
        Histogram all = Latencies.histogram();
        workers.forEach(worker -> all.add(worker.latencies));
        return all;
    }

    /**
     * Checks, once all was handled, that each session saw each of its messages once and in order.
     *
     * @param sent how many messages were sent to each session
     * @throws OrderViolation that names the first session where this doesn't hold
     */
    void checkOrder(long[] sent) {
        for (int i = 0; i < sessions.length; i++) {
            Session session = sessions[i];
            if (session.violations > 0 || session.handled != sent[i]) {
                throw new OrderViolation("session %d: %d messages sent, %d handled, %d of them out of order"
                        .formatted(i, sent[i], session.handled, session.violations));
            }
        }
    }

    private WorkerFigures newWorker() {
        WorkerFigures figures = new WorkerFigures();
        workers.add(figures);
        return figures;
    }

    /** A session's messages were not handled once each and in the order sent. */
    static final class OrderViolation extends IllegalStateException {
        OrderViolation(String message) {
            super(message);
        }
    }

    /** Plain fields: handing a session from thread to thread safely is the contender's duty, and part of the check. */
    private static final class Session {
        private long expected;
        private long handled;
        private long violations;
        private long digest;
    }
}
