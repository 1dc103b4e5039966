package dev.switchboard.socket;

import java.util.Optional;

/** The two forms of a frame: the same objects, as text or binary. Immutable. */
enum Subprotocol {
    JSON("switchboard.v1.json", true),
    CBOR("switchboard.v1.cbor", false);

    private final String wireName;
    private final boolean text;

    Subprotocol(String wireName, boolean text) {
        this.wireName = wireName;
        this.text = text;
    }

    /** The name in the handshake. */
    String wireName() {
        return wireName;
    }

    /** True when its frames are text frames. */
    boolean isText() {
        return text;
    }

    /** How its objects are written. */
    TerminalCodec codec() {
        return text ? TerminalCodec.JSON : TerminalCodec.CBOR;
    }

    int opcode() {
        return text ? WebSocketDecoder.TEXT : WebSocketDecoder.BINARY;
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
