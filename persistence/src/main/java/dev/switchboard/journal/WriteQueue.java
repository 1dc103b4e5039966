package dev.switchboard.journal;

import dev.switchboard.directory.DatabaseSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writes that wait for the database, and the rule by which they become batches. Thread-safe: any thread may
 * {@link #offer}, which never waits; the writers {@link #take} a batch each and say when it has {@link #ended}.
 *
 * <p>A transaction costs the database and this process about as much as a dozen rows do. So what comes while one is
 * under way gathers for the next. A batch begins
 *
 * <ul>
 *   <li>when so many events wait ({@code batch-fill}) that it pays even beside another one under way;
 *   <li>else when none is under way, and {@code batch-gather} has passed since the last began. It isn't waited for when
 *   traffic is too light for anything to come in that time, nor longer once nothing more comes: then whoever will write
 *   again waits for this batch's answer.
 * </ul>
 *
 * <p>Writes of one persistence id are never in two batches at once, so they reach the database in the order in which
 * they came.
 */
final class WriteQueue {
    /** What became of an offer. */
    enum Offer {
        TAKEN,
        /** The bound is reached. */
        FULL,
        CLOSED
    }

    /** Waiting pays when about so many events come in the meantime. */
    private static final int WORTH_WAITING_FOR = 4;

    /** The wait is cut short when nothing came in this part of it. */
    private static final int SLICES = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition turn = lock.newCondition();
    private final int bound;
    private final int batchEvents;
    private final int fillEvents;
    private final long gatherNanos;

    private ArrayDeque<PendingWrite> waiting = new ArrayDeque<>();
    private final Set<String> idsUnderWay = new HashSet<>();
    private int waitingEvents;
    private int batchesUnderWay;
    private boolean gathering;
    private boolean closed;
    private long lastBeganNanos = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
    private double eventsPerNano;

    WriteQueue(DatabaseSettings settings) {
        bound = settings.journalQueue();
        batchEvents = settings.batchRows();
        fillEvents = Math.min(settings.batchFill(), settings.batchRows());
        gatherNanos = settings.batchGather().toNanos();
    }

    Offer offer(PendingWrite write) {
        lock.lock();
        try {
            if (closed) {
                return Offer.CLOSED;
            }
            if (waiting.size() >= bound) {
                return Offer.FULL;
            }
            int before = waitingEvents;
            waiting.add(write);
            waitingEvents += write.events();
            if (before == 0 || (before < fillEvents && waitingEvents >= fillEvents)) {
                changed.signal();
            }
            return Offer.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a batch; its writes are under way until {@link #ended}. Empty when the queue is closed and nothing is
     * left.
     */
    List<PendingWrite> take() throws InterruptedException {
        lock.lock();
        try {
            while (gathering) {
                turn.await();
            }
            gathering = true;
            try {
                return gather();
            } finally {
                gathering = false;
                turn.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private List<PendingWrite> gather() throws InterruptedException {
        int seen = waitingEvents;
        boolean quiet = false;
        while (!closed || !waiting.isEmpty()) {
            long wait = quiet && batchesUnderWay == 0 ? 0 : waitNanos(System.nanoTime());
            quiet = false;
            if (wait == 0) {
                List<PendingWrite> batch = drain();
                if (!batch.isEmpty()) {
                    return batch;
                }
                // All that waits follows something under way.
                wait = Long.MAX_VALUE;
            }
            if (wait == Long.MAX_VALUE) {
                changed.await();
            } else {
                long slice = Math.min(wait, Math.max(1, gatherNanos / SLICES));
                quiet = changed.awaitNanos(slice) <= 0 && waitingEvents == seen;
            }
            seen = waitingEvents;
        }
        return List.of();
    }

    /** How long the next batch should be waited for: 0 to begin now, the greatest number to wait until told. */
    private long waitNanos(long now) {
        if (waiting.isEmpty()) {
            return Long.MAX_VALUE;
        }
        if (closed || waitingEvents >= fillEvents) {
            return 0;
        }
        if (batchesUnderWay > 0) {
            return Long.MAX_VALUE;
        }
        long left = gatherNanos - (now - lastBeganNanos);
        return left <= 0 || eventsPerNano * gatherNanos < WORTH_WAITING_FOR ? 0 : left;
    }

    private List<PendingWrite> drain() {
        List<PendingWrite> batch = new ArrayList<>(Math.min(waiting.size(), batchEvents));
        ArrayDeque<PendingWrite> passedOver = new ArrayDeque<>(0);
        Set<String> idsPassedOver = new HashSet<>();
        int events = 0;
        while (!waiting.isEmpty() && events < batchEvents) {
            PendingWrite next = waiting.poll();
            if (batchesUnderWay > 0
                    && (idsUnderWay.contains(next.persistenceId()) || idsPassedOver.contains(next.persistenceId()))) {
                passedOver.add(next);
                idsPassedOver.add(next.persistenceId());
            } else {
                batch.add(next);
                events += next.events();
            }
        }
        if (!passedOver.isEmpty()) {
            passedOver.addAll(waiting);
            waiting = passedOver;
        }
        if (!batch.isEmpty()) {
            begin(batch, events);
        }
        return batch;
    }

    private void begin(List<PendingWrite> batch, int events) {
        for (PendingWrite write : batch) {
            idsUnderWay.add(write.persistenceId());
        }
        waitingEvents -= events;
        batchesUnderWay++;
        long now = System.nanoTime();
        eventsPerNano = events / (double) Math.max(1, now - lastBeganNanos);
        lastBeganNanos = now;
    }

    /** All of a batch are answered. */
    void ended(List<PendingWrite> batch) {
        lock.lock();
        try {
            for (PendingWrite write : batch) {
                idsUnderWay.remove(write.persistenceId());
            }
            batchesUnderWay--;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes back what waits of ids whose batch is under way and has failed: written, it would leave a gap. To be called
     * before the failed writes are answered, so that nothing is taken back that came after the answer.
     */
    List<PendingWrite> takeBack(Set<String> persistenceIds) {
        lock.lock();
        try {
            List<PendingWrite> taken = new ArrayList<>(0);
            for (PendingWrite write : waiting) {
                if (persistenceIds.contains(write.persistenceId())) {
                    taken.add(write);
                }
            }
            if (!taken.isEmpty()) {
                waiting.removeAll(new HashSet<>(taken));
                for (PendingWrite write : taken) {
                    waitingEvents -= write.events();
                }
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Takes nothing more; what waits can still be taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
