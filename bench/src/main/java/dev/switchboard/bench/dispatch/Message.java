package dev.switchboard.bench.dispatch;

/** One message of the load. Immutable, as nobody writes to a payload; any thread may hold it. */
final class Message {
    private final int session;
    private final long number;
    private final long intendedNs;
    private final byte[] payload;

    /**
     * A message.
     *
     * @param session which session it belongs to, from 0
     * @param number its place among its session's messages, from 0, as the producer sent them
     * @param intendedNs when it should have been sent, by the schedule and on {@link System#nanoTime}'s clock
     * @param payload what the handler reads
     */
    Message(int session, long number, long intendedNs, byte[] payload) {
        this.session = session;
        this.number = number;
        this.intendedNs = intendedNs;
        this.payload = payload;
    }

    int session() {
        return session;
    }

    long number() {
        return number;
    }

    long intendedNs() {
        return intendedNs;
    }

    byte[] payload() {
        return payload;
    }
}
