package dev.switchboard.socket;

import java.util.Arrays;
import org.apache.pekko.util.ByteString;

/**
 * Takes the bytes of one connection and gives the WebSocket messages in them (RFC 6455, server side, no extensions).
 * Not thread-safe; used by the connection's own stage.
 *
 * <p>The caller feeds bytes as they come and then asks for the next {@link Message} until there is none, so it may stop
 * in the middle of a chunk and go on later. A message's size is limited while it is read: a frame whose header
 * announces too much is refused before its content arrives, and so is the sum of fragments. While no message is under
 * way nothing but this object is held.
 */
final class WebSocketDecoder {
    static final int CONTINUATION = 0x0;
    static final int TEXT = 0x1;
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;

    /** Stands for the code of a close frame without one. */
    private static final int NO_CODE = 1005;

    private static final int MAX_CONTROL_BYTES = 125;
    private static final int MAX_HEADER_BYTES = 14;
    private static final byte[] NOTHING = new byte[0];

    /** What the bytes amount to. */
    sealed interface Message {
        /** A complete text or binary message. */
        final class Data implements Message {
            private final boolean text;
            private final byte[] payload;

            Data(boolean text, byte[] payload) {
                this.text = text;
                this.payload = payload;
            }

            boolean text() {
                return text;
            }

            /** The bytes; they are the receiver's own. */
            byte[] payload() {
                return payload;
            }
        }

        /** The other side asks for a pong with the same content. */
        final class Ping implements Message {
            private final byte[] payload;

            Ping(byte[] payload) {
                this.payload = payload;
            }

            /** The bytes; they are the receiver's own. */
            byte[] payload() {
                return payload;
            }
        }

        /** An answer to a ping. */
        record Pong() implements Message {}

        /** The other side ends the connection; {@code code} is 1005 when it gave none. */
        record Close(int code) implements Message {}

        /** The other side broke the rules of WebSocket; nothing after this is read. */
        record Violation(String what) implements Message {}

        /** The message is larger than may be; nothing after this is read. */
        record TooLarge() implements Message {}
    }

    private final int maxMessageBytes;

    /** Bytes not looked at yet, from {@code position}. */
    private byte[] chunk = NOTHING;

    private int position;

    /** An incomplete frame header. */
    private byte[] header;

    private int headerLength;
    private int parsedHeaderBytes;

    /** The frame whose content is being read. */
    private int opcode = -1;

    private boolean fin;
    private int announced;
    private byte[] content;
    private int contentLength;
    private int mask;

    /** The fragments of a message so far. */
    private int messageOpcode = -1;

    private byte[] message;
    private boolean dead;

    WebSocketDecoder(int maxMessageBytes) {
        this.maxMessageBytes = maxMessageBytes;
    }

    /** Adds bytes that have arrived. */
    void feed(ByteString bytes) {
        byte[] more = bytes.toArrayUnsafe();
        if (dead) {
            return;
        }
        if (position == chunk.length) {
            chunk = more;
        } else {
            byte[] joined = Arrays.copyOfRange(chunk, position, chunk.length + more.length);
            System.arraycopy(more, 0, joined, chunk.length - position, more.length);
            chunk = joined;
        }
        position = 0;
    }

    /** The next message in what was fed, or null when more bytes are needed. */
    Message next() {
        while (!dead) {
            if (opcode < 0) {
                Message refusal = readHeader();
                if (refusal != null) {
                    dead = true;
                    chunk = NOTHING;
                    position = 0;
                    return refusal;
                }
                if (opcode < 0) {
                    release();
                    return null;
                }
            }
            if (!readContent()) {
                release();
                return null;
            }
            Message complete = frameComplete();
            if (complete != null) {
                return complete;
            }
        }
        return null;
    }

    /** Drops the chunk that was read to its end, so that an idle connection holds none. */
    private void release() {
        chunk = NOTHING;
        position = 0;
    }

    /** Reads the next frame's header; leaves {@code opcode} negative when more bytes are needed. */
    private Message readHeader() {
        int available = chunk.length - position;
        if (header == null && available >= MAX_HEADER_BYTES) {
            Message refusal = parseHeader(chunk, position, available);
            position += parsedHeaderBytes;
            return refusal;
        }
        if (header == null) {
            header = new byte[MAX_HEADER_BYTES];
            headerLength = 0;
        }
        // A header comes in few and small pieces: it is parsed again from its start with each.
        int before = headerLength;
        int taken = Math.min(available, MAX_HEADER_BYTES - before);
        System.arraycopy(chunk, position, header, before, taken);
        headerLength = before + taken;
        Message refusal = parseHeader(header, 0, headerLength);
        if (opcode < 0) {
            position += taken;
        } else {
            position += parsedHeaderBytes - before;
            header = null;
        }
        return refusal;
    }

    /** Parses a header that begins at {@code at}; leaves {@code opcode} negative when it is incomplete. */
    private Message parseHeader(byte[] bytes, int at, int available) {
        if (available < 2) {
            return null;
        }
        int first = bytes[at] & 0xFF;
        int second = bytes[at + 1] & 0xFF;
        int code = first & 0x0F;
        int shortLength = second & 0x7F;
        Message refusal = checkHeader(first, second, code, shortLength);
        if (refusal != null) {
            return refusal;
        }
        int lengthBytes = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0;
        if (available < 2 + lengthBytes) {
            return null;
        }
        long length = shortLength;
        if (lengthBytes > 0) {
            length = 0;
            for (int i = 0; i < lengthBytes; i++) {
                length = (length << 8) | (bytes[at + 2 + i] & 0xFF);
            }
        }
        long before = code == CONTINUATION && message != null ? message.length : 0;
        if (length < 0 || (code < CLOSE && length > maxMessageBytes - before)) {
            return new Message.TooLarge();
        }
        int maskAt = at + 2 + lengthBytes;
        if (available < 2 + lengthBytes + 4) {
            return null;
        }
        mask = ((bytes[maskAt] & 0xFF) << 24)
                | ((bytes[maskAt + 1] & 0xFF) << 16)
                | ((bytes[maskAt + 2] & 0xFF) << 8)
                | (bytes[maskAt + 3] & 0xFF);
        parsedHeaderBytes = 2 + lengthBytes + 4;
        opcode = code;
        fin = (first & 0x80) != 0;
        content = length == 0 ? NOTHING : null;
        contentLength = 0;
        announced = (int) length;
        return null;
    }

    private Message checkHeader(int first, int second, int code, int shortLength) {
        if ((first & 0x70) != 0) {
            return new Message.Violation("a reserved bit is set");
        }
        if ((second & 0x80) == 0) {
            return new Message.Violation("a frame is not masked");
        }
        return switch (code) {
            case CONTINUATION -> messageOpcode < 0 ? new Message.Violation("a continuation continues nothing") : null;
            case TEXT, BINARY -> messageOpcode >= 0 ? new Message.Violation("a message begins inside another") : null;
            case CLOSE, PING, PONG ->
                (first & 0x80) == 0 || shortLength > MAX_CONTROL_BYTES
                        ? new Message.Violation("a control frame is fragmented or too long")
                        : null;
            default -> new Message.Violation("unknown opcode " + code);
        };
    }

    /** Takes content from the chunk; true when the frame is complete. */
    private boolean readContent() {
        int missing = announced - contentLength;
        if (missing == 0) {
            return true;
        }
        int taken = Math.min(missing, chunk.length - position);
        if (content == null) {
            // Grows with what arrives, so that announcing much costs the other side as much as us.
            content = new byte[taken == announced ? announced : Math.min(announced, Math.max(taken, 1024))];
        } else if (content.length < contentLength + taken) {
            content = Arrays.copyOf(content, Math.min(announced, Math.max(contentLength + taken, content.length * 2)));
        }
        for (int i = 0; i < taken; i++) {
            int shift = 24 - 8 * ((contentLength + i) & 3);
            content[contentLength + i] = (byte) (chunk[position + i] ^ (mask >>> shift));
        }
        contentLength += taken;
        position += taken;
        return contentLength == announced;
    }

    private Message frameComplete() {
        int code = opcode;
        byte[] payload = content.length == announced ? content : Arrays.copyOf(content, announced);
        opcode = -1;
        content = null;
        return switch (code) {
            case PING -> new Message.Ping(payload);
            case PONG -> new Message.Pong();
            case CLOSE -> new Message.Close(closeCode(payload));
            case TEXT, BINARY -> begun(code, payload);
            default -> continued(payload);
        };
    }

    private static int closeCode(byte[] payload) {
        return payload.length < 2 ? NO_CODE : ((payload[0] & 0xFF) << 8) | (payload[1] & 0xFF);
    }

    private Message begun(int code, byte[] payload) {
        if (fin) {
            return new Message.Data(code == TEXT, payload);
        }
        messageOpcode = code;
        message = payload;
        return null;
    }

    private Message continued(byte[] payload) {
        byte[] joined = Arrays.copyOf(message, message.length + payload.length);
        System.arraycopy(payload, 0, joined, message.length, payload.length);
        if (!fin) {
            message = joined;
            return null;
        }
        Message complete = new Message.Data(messageOpcode == TEXT, joined);
        messageOpcode = -1;
        message = null;
        return complete;
    }
}
