package dev.switchboard.bench.dispatch;

import java.util.concurrent.BlockingQueue;

/** Spins for about as long as a wake-up costs, then blocks. One worker uses it. */
final class HybridTaking implements Taking {
    /** Spinning for the price of what it may save costs at most twice the best possible. */
    private static final long SPIN_NS = 20_000;

    private final BlockingQueue<Message> queue;

    HybridTaking(BlockingQueue<Message> queue) {
        this.queue = queue;
    }

    @Override
    public Message next() throws InterruptedException {
        Message next = queue.poll();
        if (next != null) {
            return next;
        }
        long untilNs = System.nanoTime() + SPIN_NS;
        while (System.nanoTime() - untilNs < 0) {
            Thread.onSpinWait();
            next = queue.poll();
            if (next != null) {
                return next;
            }
        }
        return queue.take();
    }
}
