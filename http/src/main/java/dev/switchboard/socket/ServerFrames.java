package dev.switchboard.socket;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.api.History;
import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskView;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Makes the bytes of every frame that the server sends, in one subprotocol. Thread-safe; one for all sockets of the
 * subprotocol, so that an entry that goes to several terminals of this node is encoded once.
 */
final class ServerFrames {
    private static final int CACHE_SIZE = 1024;
    private static final int LARGEST_CACHED_BYTES = 4096;

    /** One conversation in a welcome. {@code recovered} false: the client has to reload it. */
    record Welcomed(ConversationView view, boolean recovered) {}

    /** A frame that was made, and of what. The bytes are never written to. */
    private static final class Encoded {
        private final String conv;
        private final Entry entry;
        private final long prev;
        private final byte[] frame;

        Encoded(String conv, Entry entry, long prev, byte[] frame) {
            this.conv = conv;
            this.entry = entry;
            this.prev = prev;
            this.frame = frame;
        }

        /** True when it is of that very entry: all terminals of this node are told of the same object. */
        @SuppressWarnings("ReferenceEquality") // Comparing what it says would cost as much as writing it again.
        boolean isOf(String otherConv, Entry otherEntry, long otherPrev) {
            return entry == otherEntry && prev == otherPrev && conv.equals(otherConv);
        }
    }

    private final FrameCodec codec;
    private final byte[] ping;
    private final AtomicReferenceArray<Encoded> encoded = new AtomicReferenceArray<>(CACHE_SIZE);

    ServerFrames(FrameCodec codec) {
        this.codec = codec;
        this.ping = codec.write("ping", out -> {});
    }

    FrameCodec codec() {
        return codec;
    }

    // ---- the session ----

    byte[] welcome(
            String id,
            Principal principal,
            String terminal,
            String log,
            SocketSettings settings,
            List<Welcomed> conversations) {
        return codec.write("welcome", out -> {
            WireJson.writeText(out, "id", id);
            out.writeStringField("terminal", terminal);
            out.writeFieldName("you");
            WireJson.writePerson(out, principal.person());
            out.writeNumberField("heartbeatMs", settings.heartbeat().toMillis());
            WireJson.writeText(out, "log", log);
            out.writeObjectFieldStart("limits");
            out.writeNumberField("frameBytes", settings.maxFrameBytes());
            out.writeNumberField("bodyBytes", settings.maxBodyBytes());
            out.writeNumberField("inFlight", settings.maxInFlight());
            out.writeNumberField("requestsPerSecond", settings.requestsPerSecond());
            out.writeNumberField("historyEntries", WireJson.MAX_LIMIT);
            out.writeEndObject();
            out.writeArrayFieldStart("conversations");
            for (Welcomed conversation : conversations) {
                out.writeStartObject();
                WireJson.writeConversationFields(out, conversation.view());
                WireJson.writeText(out, "log", log);
                out.writeBooleanField("recovered", conversation.recovered());
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }

    byte[] bye(Bye code, String reason, Duration retryAfter) {
        return codec.write("bye", out -> {
            out.writeStringField("code", code.wireName());
            out.writeStringField("reason", reason);
            out.writeBooleanField("reconnect", code.reconnect());
            if (code.reconnect()) {
                out.writeNumberField("retryAfterMs", retryAfter.toMillis());
            }
        });
    }

    byte[] ping() {
        return ping;
    }

    byte[] pong(String id) {
        return codec.write("pong", out -> WireJson.writeText(out, "id", id));
    }

    // ---- answers ----

    byte[] error(String id, Refusal refusal) {
        return codec.write("error", out -> {
            WireJson.writeText(out, "id", id);
            out.writeStringField("message", refusal.message());
            WireJson.writeRefusalFields(out, refusal);
        });
    }

    /** A reply without anything but its id. */
    byte[] reply(String id) {
        return codec.write("reply", out -> out.writeStringField("id", id));
    }

    /** The reply to a request that changed something; {@code state} is null for those that are not posts. */
    byte[] done(String id, ConversationReply.Done done, String state) {
        return codec.write("reply", out -> {
            WireJson.writeText(out, "id", id);
            out.writeStringField("conv", done.conv());
            out.writeNumberField("seq", done.seq());
            WireJson.writeText(out, "state", state);
            out.writeNumberField("epoch", done.epoch());
            out.writeNumberField("lastSeq", done.lastSeq());
            out.writeBooleanField("duplicate", done.duplicate());
        });
    }

    /** The reply to a post that is on this node's disk and not in the conversation yet. */
    byte[] spooled(String id, ConversationReply.Spooled spooled) {
        return codec.write("reply", out -> {
            WireJson.writeText(out, "id", id);
            out.writeStringField("conv", spooled.conv());
            out.writeStringField("state", "spooled");
            out.writeBooleanField("duplicate", spooled.duplicate());
        });
    }

    byte[] opened(String id, ConversationReply.Opened opened) {
        return codec.write("reply", out -> {
            WireJson.writeText(out, "id", id);
            out.writeBooleanField("created", opened.created());
            WireJson.writeConversationFields(out, opened.view());
        });
    }

    byte[] conversation(String id, ConversationView view) {
        return codec.write("reply", out -> {
            WireJson.writeText(out, "id", id);
            WireJson.writeConversationFields(out, view);
        });
    }

    byte[] desk(String id, DeskView view) {
        return codec.write("reply", out -> {
            WireJson.writeText(out, "id", id);
            WireJson.writeDeskFields(out, view);
        });
    }

    byte[] history(String id, String conv, History.Read page) {
        return codec.write("reply", out -> {
            WireJson.writeText(out, "id", id);
            out.writeStringField("conv", conv);
            out.writeArrayFieldStart("entries");
            for (Entry entry : page.entries()) {
                WireJson.writeEntry(out, entry);
            }
            out.writeEndArray();
            out.writeBooleanField("hasMore", page.hasMore());
            if (page.preview()) {
                out.writeBooleanField("preview", true);
            }
        });
    }

    // ---- pushes ----

    /** An entry; terminals of this node that get the same one share the bytes, which nobody writes to. */
    byte[] entry(String conv, Entry entry, long prev) {
        int slot =
                (conv.hashCode() * 31 + (int) entry.seq() * 7 + (prev + 1 == entry.seq() ? 0 : 1)) & (CACHE_SIZE - 1);
        Encoded known = encoded.get(slot);
        if (known != null && known.isOf(conv, entry, prev)) {
            return known.frame;
        }
        byte[] frame = codec.write("entry", out -> {
            out.writeStringField("conv", conv);
            out.writeNumberField("prev", prev);
            WireJson.writeEntryFields(out, entry);
        });
        if (frame.length <= LARGEST_CACHED_BYTES) {
            encoded.set(slot, new Encoded(conv, entry, prev, frame));
        }
        return frame;
    }

    byte[] offer(TerminalPush.OfferMade offer) {
        return codec.write("offer", out -> {
            out.writeStringField("offer", offer.offer());
            out.writeStringField("conv", offer.conv());
            if (offer.deadline() != null) {
                out.writeStringField("deadline", WireJson.time(offer.deadline()));
            }
            if (offer.preview() != null) {
                out.writeFieldName("preview");
                WireJson.writePreview(out, offer.preview());
            }
        });
    }

    byte[] offerEnded(TerminalPush.OfferOver over) {
        return codec.write("offer-ended", out -> {
            out.writeStringField("offer", over.offer());
            out.writeStringField("conv", over.conv());
            out.writeStringField("reason", over.reason());
        });
    }

    byte[] queued(TerminalPush.Queued queued) {
        return codec.write("queued", out -> {
            out.writeStringField("conv", queued.conv());
            out.writeNumberField("position", queued.position());
            if (queued.etaLow() >= 0 && queued.etaHigh() >= 0) {
                out.writeObjectFieldStart("etaSeconds");
                out.writeNumberField("low", queued.etaLow());
                out.writeNumberField("high", queued.etaHigh());
                out.writeEndObject();
            }
        });
    }

    byte[] receipt(TerminalPush.Receipt receipt) {
        return codec.write("receipt", out -> {
            out.writeStringField("conv", receipt.conv());
            out.writeNumberField("delivered", receipt.watermark().delivered());
            out.writeNumberField("read", receipt.watermark().read());
            writePerson(out, "by", receipt.by());
        });
    }

    byte[] state(TerminalPush.MessageState state) {
        return codec.write("state", out -> {
            out.writeStringField("clientMsgId", state.clientMsgId());
            out.writeStringField("conv", state.conv());
            if (state.seq() > 0) {
                out.writeNumberField("seq", state.seq());
            }
            out.writeStringField("state", state.state());
            out.writeNumberField("attempt", state.attempt());
            WireJson.writeText(out, "reason", state.reason());
        });
    }

    byte[] typing(TerminalPush.Typing typing) {
        return codec.write("typing", out -> {
            out.writeStringField("conv", typing.conv());
            writePerson(out, "from", typing.from());
        });
    }

    byte[] presence(TerminalPush.Presence presence) {
        return codec.write("presence", out -> {
            out.writeStringField("conv", presence.conv());
            writePerson(out, "who", presence.who());
            out.writeBooleanField("online", presence.online());
        });
    }

    private static void writePerson(JsonGenerator out, String name, Person person) throws IOException {
        out.writeFieldName(name);
        WireJson.writePerson(out, person);
    }
}
