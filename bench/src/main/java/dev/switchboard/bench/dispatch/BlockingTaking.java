package dev.switchboard.bench.dispatch;

import java.util.concurrent.BlockingQueue;

/** Blocks in the queue at once when it is empty. One worker uses it. */
final class BlockingTaking implements Taking {
    private final BlockingQueue<Message> queue;

    BlockingTaking(BlockingQueue<Message> queue) {
        this.queue = queue;
    }

    @Override
    public Message next() throws InterruptedException {
        return queue.take();
    }
}
