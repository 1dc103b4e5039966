package dev.switchboard.socket;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.switchboard.api.WireJson;
import java.io.IOException;
import java.io.OutputStream;

/** The formats that Jackson writes. Thread-safe. */
enum JacksonCodec implements TerminalCodec {
    JSON(WireJson.json()),
    CBOR(WireJson.hardened(new CBORMapper()));

    @SuppressWarnings("ImmutableEnumChecker") // Nobody configures it any more; it is thread-safe then.
    private final ObjectMapper mapper;

    @SuppressWarnings("ImmutableEnumChecker") // As above.
    private final JsonFactory factory;

    JacksonCodec(ObjectMapper mapper) {
        this.mapper = mapper;
        this.factory = mapper.getFactory();
    }

    @Override
    public JsonNode read(byte[] bytes) throws IOException {
        return mapper.readTree(bytes);
    }

    @Override
    public void write(String type, Fields fields, OutputStream to) throws IOException {
        try (JsonGenerator out = factory.createGenerator(to)) {
            out.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            out.writeStartObject();
            out.writeStringField("type", type);
            fields.writeTo(out);
            out.writeEndObject();
        }
    }
}
