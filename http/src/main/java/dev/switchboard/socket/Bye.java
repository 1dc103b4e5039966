package dev.switchboard.socket;

import java.util.Locale;

/** Why the server ends a socket. The wire names are stable. */
public enum Bye {
    DRAINING(true, 1012),
    SLOW(true, 1013),
    SILENT(true, 1013),
    OVERLOAD(true, 1013),
    RESTART(true, 1012),
    EXPIRED(true, 1008),
    REPLACED(false, 1000),
    UNAUTHORIZED(false, 1008),
    FORBIDDEN(false, 1008),
    PROTOCOL(false, 1002),
    TOO_LARGE(false, 1009);

    private final boolean reconnect;
    private final int closeCode;
    private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    Bye(boolean reconnect, int closeCode) {
        this.reconnect = reconnect;
        this.closeCode = closeCode;
    }

    /** True when the client should connect again. */
    public boolean reconnect() {
        return reconnect;
    }

    /** The code of the WebSocket close frame that follows. */
    public int closeCode() {
        return closeCode;
    }

    public String wireName() {
        return wireName;
    }
}
