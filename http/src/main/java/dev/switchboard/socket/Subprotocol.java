package dev.switchboard.socket;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.switchboard.api.WireJson;
import java.util.Optional;

/** The two forms of a frame: the same objects, as text or binary. Immutable. */
enum Subprotocol {
    JSON("switchboard.v1.json", true, WireJson.json()),
    CBOR("switchboard.v1.cbor", false, WireJson.hardened(new CBORMapper()));

    private final String wireName;
    private final boolean text;
    private final ObjectMapper mapper;

    Subprotocol(String wireName, boolean text, ObjectMapper mapper) {
        this.wireName = wireName;
        this.text = text;
        this.mapper = mapper;
    }

    /** The name in the handshake. */
    String wireName() {
        return wireName;
    }

    /** True when its frames are text frames. */
    boolean isText() {
        return text;
    }

    int opcode() {
        return text ? WebSocketDecoder.TEXT : WebSocketDecoder.BINARY;
    }

    ObjectMapper mapper() {
        return mapper;
    }

    /** The first of the offered ones that is known. */
    static Optional<Subprotocol> choose(Iterable<String> offered) {
        for (String name : offered) {
            for (Subprotocol known : values()) {
                if (known.wireName.equals(name)) {
                    return Optional.of(known);
                }
            }
        }
        return Optional.empty();
    }
}
