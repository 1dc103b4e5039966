package dev.switchboard.bench.dispatch;

/**
 * What the messages carry: 512 bytes each. Stateless; any thread may call it, nobody writes to what it gives.
 *
 * <p>They are made beforehand and used in turn: fresh bytes from memory that no cache holds would cost every contender
 * more than handing them over does, and hide what is to be compared.
 */
final class Payloads {
    static final int BYTES = 512;
    private static final int MADE = 512;
    private static final byte[][] ALL = new byte[MADE][BYTES];

    static {
        for (int i = 0; i < MADE; i++) {
            for (int at = 0; at < BYTES; at++) {
                ALL[i][at] = (byte) (i * 17 + at * 31);
            }
        }
    }

    private Payloads() {}

    /** The payload of the message of that number. */
    static byte[] of(long number) {
        return ALL[(int) (number & (MADE - 1))];
    }
}
