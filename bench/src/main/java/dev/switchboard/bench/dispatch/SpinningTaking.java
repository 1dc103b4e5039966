package dev.switchboard.bench.dispatch;

import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;

/** Polls, and climbs {@link SpinLadder} while there is nothing; takes up to a batch at once. One worker uses it. */
final class SpinningTaking implements Taking {
    private final BlockingQueue<Message> queue;
    private final int batch;
    private final ArrayDeque<Message> taken;
    private final SpinLadder ladder = new SpinLadder();

    SpinningTaking(BlockingQueue<Message> queue, int batch) {
        this.queue = queue;
        this.batch = batch;
        this.taken = new ArrayDeque<>(batch);
    }

    @Override
    public Message next() throws InterruptedException {
        Message next = taken.poll();
        while (next == null) {
            next = batch == 1 ? queue.poll() : takeBatch();
            if (next == null) {
                ladder.await();
            }
        }
        ladder.reset();
        return next;
    }

    private Message takeBatch() {
        // Draining takes the queue's lock even when there is nothing.
        if (!queue.isEmpty()) {
            queue.drainTo(taken, batch);
        }
        return taken.poll();
    }
}
