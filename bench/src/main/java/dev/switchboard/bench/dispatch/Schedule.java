package dev.switchboard.bench.dispatch;

/**
 * When messages should be sent, fixed before any is: message by message, the nanoseconds after the start. It never
 * looks at a clock, so a producer that fell behind finds the times unchanged. One thread uses it.
 */
interface Schedule {
    /** The time of the next message in nanoseconds after the start; never before that of the one before it. */
    long nextNs();

    /** Messages at equal distances. */
    static Schedule steady(int ratePerSecond) {
        return new Schedule() {
            private long sent;

            @Override
            public long nextNs() {
                // From the count each time: adding up a rounded distance would drift.
                return Math.multiplyExact(sent++, 1_000_000_000L) / ratePerSecond;
            }
        };
    }

    /** Bursts at equal distances, sized so that the rate holds over time: 2.6 a burst are 2, 3, 3, 2, 3 … */
    static Schedule bursts(int ratePerSecond, long periodNs) {
        return new Schedule() {
            private long sent;

            @Override
            public long nextNs() {
                // The message belongs to the first burst by whose end the rate has brought more than were sent before.
                long due = Math.multiplyExact(++sent, 1_000_000_000L);
                long share = Math.multiplyExact(periodNs, (long) ratePerSecond);
                return ((due + share - 1) / share - 1) * periodNs;
            }
        };
    }
}
