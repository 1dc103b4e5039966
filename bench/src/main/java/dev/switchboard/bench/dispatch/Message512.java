package dev.switchboard.bench.dispatch;

/** The payload of every message: 512 bytes, fresh for each as from a socket. Stateless; any thread may call it. */
final class Message512 {
    static final int BYTES = 512;
    private static final byte[] TEMPLATE = new byte[BYTES];

    static {
        for (int i = 0; i < BYTES; i++) {
            TEMPLATE[i] = (byte) (i * 31);
        }
    }

    private Message512() {}

    static byte[] payload() {
        return TEMPLATE.clone();
    }
}
