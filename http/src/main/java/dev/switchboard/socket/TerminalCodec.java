package dev.switchboard.socket;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;

/**
 * How one kind of terminal's objects become bytes, and its bytes objects. Any thread may call it, many at once: an
 * implementation keeps nothing between calls. It knows nothing of frames, sockets or requests.
 *
 * <p>What it throws while it writes an entry is a failed attempt at that entry: the conversation tries again, then has a dead
 * letter. The terminal lives on. Other pushes that can't be written are left out; a request whose reply can't be is answered
 * with {@code internal}.
 */
public interface TerminalCodec {
    /** JSON as UTF-8. */
    TerminalCodec JSON = JacksonCodec.JSON;

    /** CBOR (RFC 8949), the same objects. */
    TerminalCodec CBOR = JacksonCodec.CBOR;

    /** Writes the fields of an object after its {@code type}. */
    @FunctionalInterface
    interface Fields {
        void writeTo(JsonGenerator out) throws IOException;
    }

    /** Its name for people. */
    String name();

    /** Reads one object. Throws IOException when the bytes are none. */
    JsonNode read(byte[] bytes) throws IOException;

    /** Writes one object of that type. The stream is left open; what was written before an exception is worth nothing. */
    void write(String type, Fields fields, OutputStream to) throws IOException;
}
