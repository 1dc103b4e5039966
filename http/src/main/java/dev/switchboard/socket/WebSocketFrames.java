package dev.switchboard.socket;

import java.nio.charset.StandardCharsets;

/** Makes the server's WebSocket frames (RFC 6455: not masked, not fragmented). Stateless. */
final class WebSocketFrames {
    /** The most bytes of a frame's header. */
    static final int MAX_HEADER_BYTES = 10;

    private static final int FIN = 0x80;
    private static final int MAX_REASON_BYTES = 123;

    private WebSocketFrames() {}

    /** The bytes of a frame's header for a payload of that length. */
    static int headerBytes(int payloadLength) {
        return payloadLength < 126 ? 2 : payloadLength < 65536 ? 4 : MAX_HEADER_BYTES;
    }

    /** Writes the header of a whole message to {@code target} from {@code at}. */
    static void writeHeader(byte[] target, int at, int opcode, int payloadLength) {
        target[at] = (byte) (FIN | opcode);
        if (payloadLength < 126) {
            target[at + 1] = (byte) payloadLength;
        } else if (payloadLength < 65536) {
            target[at + 1] = 126;
            target[at + 2] = (byte) (payloadLength >>> 8);
            target[at + 3] = (byte) payloadLength;
        } else {
            target[at + 1] = 127;
            for (int i = 0; i < 8; i++) {
                target[at + 2 + i] = (byte) ((long) payloadLength >>> (56 - 8 * i));
            }
        }
    }

    /** A whole frame. */
    static byte[] frame(int opcode, byte[] payload) {
        int header = headerBytes(payload.length);
        byte[] frame = new byte[header + payload.length];
        writeHeader(frame, 0, opcode, payload.length);
        System.arraycopy(payload, 0, frame, header, payload.length);
        return frame;
    }

    /** A close frame. A reason that is too long for one is cut. */
    static byte[] close(int code, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(text.length, MAX_REASON_BYTES);
        byte[] payload = new byte[2 + length];
        payload[0] = (byte) (code >>> 8);
        payload[1] = (byte) code;
        System.arraycopy(text, 0, payload, 2, length);
        return frame(WebSocketDecoder.CLOSE, payload);
    }
}
