package dev.switchboard.bench.journal;

import org.HdrHistogram.Histogram;

/** One way to write events, ready to run. Its methods are called by one thread. */
interface Contender extends AutoCloseable {
    String name();

    /** Makes its tables empty. */
    void clear() throws Exception;

    /** Begins to write, with conversations that have no event yet. */
    void start() throws Exception;

    /** Events written since the start; may be called while it runs. */
    long written();

    /** Ends writing and waits until nothing is in flight. */
    void stop() throws Exception;

    /** The times from sending an event to its answer, in nanoseconds, since the last call. */
    Histogram latencies();

    @Override
    void close() throws Exception;
}
