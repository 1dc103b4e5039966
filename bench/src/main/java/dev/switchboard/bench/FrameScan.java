package dev.switchboard.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the top-level fields that a load client needs in a frame's JSON, in one pass and without allocating: the load
 * shares the machine with the server it measures. It trusts the server to send well-formed JSON. Not thread-safe; its
 * content is that of the last {@link #scan} and refers to the scanned array.
 */
final class FrameScan {
    static final int TYPE = 0;
    static final int ID = 1;
    static final int CONV = 2;
    static final int SEQ = 3;
    static final int KIND = 4;
    static final int OFFER = 5;
    static final int CLIENT_MSG_ID = 6;
    static final int CODE = 7;

    private static final byte[][] NAMES = {
        ascii("type"),
        ascii("id"),
        ascii("conv"),
        ascii("seq"),
        ascii("kind"),
        ascii("offer"),
        ascii("clientMsgId"),
        ascii("code"),
    };

    private final int[] starts = new int[NAMES.length];
    private final int[] ends = new int[NAMES.length];
    private byte[] json = new byte[0];
    private int begin;
    private int end;

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    void scan(byte[] bytes, int offset, int length) {
        json = bytes;
        begin = offset;
        end = offset + length;
        Arrays.fill(starts, -1);
        int at = offset + 1;
        while (at < end) {
            byte here = bytes[at];
            if (here == '}') {
                return;
            }
            if (here != '"') {
                at++;
                continue;
            }
            int nameStart = at + 1;
            int nameEnd = stringEnd(nameStart);
            at = nameEnd + 1;
            while (bytes[at] == ':' || bytes[at] <= ' ') {
                at++;
            }
            int valueEnd = valueEnd(at);
            int field = fieldOf(nameStart, nameEnd - nameStart);
            if (field >= 0) {
                boolean quoted = bytes[at] == '"';
                starts[field] = quoted ? at + 1 : at;
                ends[field] = quoted ? valueEnd - 1 : valueEnd;
            }
            at = valueEnd;
        }
    }

    /** The index of the quote that ends the string whose first character is at {@code at}. */
    private int stringEnd(int at) {
        int here = at;
        while (json[here] != '"') {
            here += json[here] == '\\' ? 2 : 1;
        }
        return here;
    }

    /** The index behind the value that starts at {@code at}. */
    private int valueEnd(int at) {
        int depth = 0;
        int here = at;
        while (here < end) {
            switch (json[here]) {
                case '"' -> {
                    here = stringEnd(here + 1) + 1;
                    if (depth == 0) {
                        return here;
                    }
                }
                case '{', '[' -> {
                    depth++;
                    here++;
                }
                case '}', ']' -> {
                    if (depth == 0) {
                        return here;
                    }
                    here++;
                    if (--depth == 0) {
                        return here;
                    }
                }
                case ',' -> {
                    if (depth == 0) {
                        return here;
                    }
                    here++;
                }
                default -> here++;
            }
        }
        return here;
    }

    private int fieldOf(int at, int length) {
        for (int field = 0; field < NAMES.length; field++) {
            if (NAMES[field].length == length && Arrays.equals(NAMES[field], 0, length, json, at, at + length)) {
                return field;
            }
        }
        return -1;
    }

    boolean has(int field) {
        return starts[field] >= 0;
    }

    boolean is(int field, byte[] value) {
        return starts[field] >= 0 && Arrays.equals(value, 0, value.length, json, starts[field], ends[field]);
    }

    long number(int field) {
        long value = 0;
        for (int at = starts[field]; at < ends[field]; at++) {
            value = value * 10 + (json[at] - '0');
        }
        return value;
    }

    /** Copies the field's raw bytes (escapes included) to {@code to} at {@code at}; the index behind them. */
    int copy(int field, byte[] to, int at) {
        int length = ends[field] - starts[field];
        System.arraycopy(json, starts[field], to, at, length);
        return at + length;
    }

    /** The byte at that place of the field's value. */
    byte byteAt(int field, int index) {
        return json[starts[field] + index];
    }

    int length(int field) {
        return ends[field] - starts[field];
    }

    String text(int field) {
        return starts[field] < 0
                ? ""
                : new String(json, starts[field], ends[field] - starts[field], StandardCharsets.UTF_8);
    }

    /** The whole frame, for messages about what went wrong. */
    String whole() {
        return new String(json, begin, end - begin, StandardCharsets.UTF_8);
    }
}
