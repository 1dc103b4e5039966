package dev.switchboard.webhook;

import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.Entry;
import dev.switchboard.socket.TerminalCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Makes the bodies of webhooks: an {@code entry} as sockets get it. Thread-safe. */
final class HookBodies {
    private static final int INITIAL_BYTES = 512;

    private final TerminalCodec codec;

    HookBodies() {
        this(TerminalCodec.JSON);
    }

    HookBodies(TerminalCodec codec) {
        this.codec = codec;
    }

    /** The entry has no form as bytes. */
    static final class UnwritableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnwritableException(Exception cause) {
            super(cause.toString(), cause);
        }
    }

    /** The same bytes for each attempt: who signs and who checks see one body. */
    byte[] of(String conv, Entry entry) throws UnwritableException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(INITIAL_BYTES);
        try {
            codec.write(
                    "entry",
                    out -> {
                        out.writeStringField("conv", conv);
                        out.writeNumberField("prev", entry.seq() - 1);
                        WireJson.writeEntryFields(out, entry);
                    },
                    bytes);
        } catch (IOException | RuntimeException e) {
            throw new UnwritableException(e);
        }
        return bytes.toByteArray();
    }
}
