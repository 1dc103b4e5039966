package dev.switchboard.socket;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.api.RefusedException;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

/** Puts what a {@link TerminalCodec} writes into WebSocket frames, and gives it what clients send. Thread-safe. */
final class FrameCodec {
    private static final int INITIAL_BYTES = 512;
    private static final int LARGEST_KEPT_BYTES = 64 * 1024;

    /** A buffer for each thread; the bytes of a frame are copied out of it once, behind their header. */
    private static final ThreadLocal<Buffer> BUFFERS = ThreadLocal.withInitial(Buffer::new);

    private final Subprotocol subprotocol;
    private final TerminalCodec codec;

    FrameCodec(Subprotocol subprotocol, TerminalCodec codec) {
        this.subprotocol = subprotocol;
        this.codec = codec;
    }

    Subprotocol subprotocol() {
        return subprotocol;
    }

    /** A client's frame; refuses what can't be read as {@code malformed}. */
    JsonNode read(byte[] payload) {
        try {
            return codec.read(payload);
        } catch (IOException e) {
            throw new RefusedException(Refusal.of(ErrorCode.MALFORMED, "the frame is not valid " + codec.name()));
        }
    }

    /** The bytes of a frame of that type, with the WebSocket's header; throws UnconvertibleException. */
    byte[] write(String type, TerminalCodec.Fields fields) {
        Buffer buffer = BUFFERS.get();
        buffer.begin();
        try {
            codec.write(type, fields, buffer);
        } catch (IOException | RuntimeException e) {
            throw new UnconvertibleException(type, e);
        }
        return buffer.frame(subprotocol.opcode());
    }

    /** Collects a payload with room for the longest header before it. */
    private static final class Buffer extends ByteArrayOutputStream {
        Buffer() {
            super(INITIAL_BYTES);
        }

        void begin() {
            if (buf.length > LARGEST_KEPT_BYTES) {
                buf = new byte[INITIAL_BYTES];
            }
            count = WebSocketFrames.MAX_HEADER_BYTES;
        }

        byte[] frame(int opcode) {
            int length = count - WebSocketFrames.MAX_HEADER_BYTES;
            int start = WebSocketFrames.MAX_HEADER_BYTES - WebSocketFrames.headerBytes(length);
            WebSocketFrames.writeHeader(buf, start, opcode, length);
            return Arrays.copyOfRange(buf, start, count);
        }
    }
}
