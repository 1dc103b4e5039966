package dev.switchboard.bench.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * A queue for each worker, and a session always on the same one: the plainest dispatcher that keeps the order. All
 * contenders built on it have the same queue, so what differs is how a worker waits and how much it takes at once. The
 * queue has two locks, so the producer doesn't contend with the worker, and signals only a worker that may wait.
 */
final class QueueWorkers implements Contender {
    private static final Message LAST = new Message(-1, 0, 0, new byte[0]);

    private final List<BlockingQueue<Message>> queues = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** {@code taking} makes a worker's way of taking messages from its queue. */
    QueueWorkers(int workers, Sessions sessions, Function<BlockingQueue<Message>, Taking> taking) {
        for (int i = 0; i < workers; i++) {
            BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
            Taking own = taking.apply(queue);
            queues.add(queue);
            threads.add(new Thread(() -> work(own, sessions), "worker-" + i));
        }
        threads.forEach(Thread::start);
    }

    @Override
    public void send(Message message) {
        queues.get(message.session() % queues.size()).add(message);
    }

    @Override
    public void close() throws InterruptedException {
        queues.forEach(queue -> queue.add(LAST));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void work(Taking taking, Sessions sessions) {
        try {
            for (Message next = taking.next(); next != LAST; next = taking.next()) {
                sessions.handle(next);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
