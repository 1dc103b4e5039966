package dev.switchboard.socket;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.switchboard.api.RefusedException;
import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Turns a client's frame into fields, and a frame of the server into the bytes on the wire. Thread-safe. */
final class FrameCodec {
    /** Writes the fields of a frame after its {@code type}. */
    @FunctionalInterface
    interface Fields {
        void writeTo(JsonGenerator out) throws IOException;
    }

    private static final int INITIAL_BYTES = 512;
    private static final int LARGEST_KEPT_BYTES = 64 * 1024;

    /** A buffer for each thread; the bytes of a frame are copied out of it once, behind their header. */
    private static final ThreadLocal<Buffer> BUFFERS = ThreadLocal.withInitial(Buffer::new);

    private final Subprotocol subprotocol;
    private final ObjectMapper mapper;
    private final JsonFactory factory;

    FrameCodec(Subprotocol subprotocol) {
        this.subprotocol = subprotocol;
        this.mapper = subprotocol.isText() ? WireJson.json() : WireJson.hardened(new CBORMapper());
        this.factory = mapper.getFactory();
    }

    Subprotocol subprotocol() {
        return subprotocol;
    }

    /** A client's frame; refuses what can't be read as {@code malformed}. */
    JsonNode read(byte[] payload) {
        try {
            return mapper.readTree(payload);
        } catch (IOException e) {
            throw new RefusedException(Refusal.of(ErrorCode.MALFORMED, "the frame is not valid " + subprotocol.name()));
        }
    }

    /** The bytes of a frame of that type, with the WebSocket's header. */
    byte[] write(String type, Fields fields) {
        Buffer buffer = BUFFERS.get();
        buffer.begin();
        try (JsonGenerator out = factory.createGenerator(buffer)) {
            out.writeStartObject();
            out.writeStringField("type", type);
            fields.writeTo(out);
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a frame of type " + type + " can't be written", e);
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
