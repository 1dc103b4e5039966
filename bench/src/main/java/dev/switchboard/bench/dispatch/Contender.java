package dev.switchboard.bench.dispatch;

/**
 * One way of handing messages to workers. One producer thread calls {@link #send}; the workers call
 * {@link Sessions#handle} with each message, one message of a session at a time and in the order sent.
 */
interface Contender extends AutoCloseable {
    /** Hands over a message. May block only while a bounded queue is full. */
    void send(Message message);

    /** Ends the workers. Called once, by the thread that made the contender, after everything sent was handled. */
    @Override
    void close() throws InterruptedException;

    /** Makes a contender with that many workers for those sessions. */
    @FunctionalInterface
    interface Factory {
        Contender start(int workers, Sessions sessions);
    }
}
