package dev.switchboard.bench.dispatch;

/** How a worker of {@link QueueWorkers} gets its next message, and waits for it. One worker uses it. */
interface Taking {
    Message next() throws InterruptedException;
}
