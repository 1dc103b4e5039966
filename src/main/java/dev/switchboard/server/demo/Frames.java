package dev.switchboard.server.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes the frames that a client sends, as the wire's description names them. Stateless; any thread may call it. */
public final class Frames {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Frames() {}

    /** A frame of that type without any field. */
    public static ObjectNode of(String type) {
        return NODES.objectNode().put("type", type);
    }

    /** A text body. */
    public static ObjectNode text(String text) {
        return NODES.objectNode().put("type", "text").put("text", text);
    }

    /** A post. {@code conv} null: the customer's own conversation. */
    public static ObjectNode post(String conv, String clientMsgId, String text) {
        ObjectNode frame = of("post");
        if (conv != null) {
            frame.put("conv", conv);
        }
        frame.put("clientMsgId", clientMsgId);
        frame.set("body", text(text));
        return frame;
    }

    /** An agent's post, written under an ownership epoch. */
    public static ObjectNode post(String conv, String clientMsgId, String text, long epoch) {
        return post(conv, clientMsgId, text).put("epoch", epoch);
    }

    public static ObjectNode ack(String conv, long seq) {
        return of("ack").put("conv", conv).put("seq", seq);
    }

    public static ObjectNode read(String conv, long seq) {
        return of("read").put("conv", conv).put("seq", seq);
    }

    public static ObjectNode typing(String conv) {
        return of("typing").put("conv", conv);
    }

    public static ObjectNode status(String availability) {
        return of("status").put("availability", availability);
    }

    public static ObjectNode accept(String offer) {
        return of("accept").put("offer", offer);
    }

    public static ObjectNode decline(String offer) {
        return of("decline").put("offer", offer);
    }

    /** A transfer to an agent. {@code epoch} 0: the sender writes under none. */
    public static ObjectNode transferToAgent(String conv, String agent, long epoch, String clientMsgId) {
        return transfer(conv, "agent", agent, epoch, clientMsgId);
    }

    /** A transfer to a queue. {@code epoch} 0: the sender writes under none. */
    public static ObjectNode transferToQueue(String conv, String queue, long epoch, String clientMsgId) {
        return transfer(conv, "queue", queue, epoch, clientMsgId);
    }

    private static ObjectNode transfer(String conv, String kind, String name, long epoch, String clientMsgId) {
        ObjectNode frame = of("transfer").put("conv", conv).put("clientMsgId", clientMsgId);
        frame.putObject("to").put(kind, name);
        return withEpoch(frame, epoch);
    }

    /** A close. {@code epoch} 0: the sender writes under none. */
    public static ObjectNode close(String conv, long epoch, String reason, String clientMsgId) {
        ObjectNode frame = of("close").put("conv", conv).put("clientMsgId", clientMsgId);
        if (reason != null) {
            frame.put("reason", reason);
        }
        return withEpoch(frame, epoch);
    }

    public static ObjectNode note(String conv, String text, long epoch, String clientMsgId) {
        return withEpoch(of("note").put("conv", conv).put("text", text).put("clientMsgId", clientMsgId), epoch);
    }

    /** Adds one label. {@code epoch} 0: the sender writes under none. */
    public static ObjectNode label(String conv, String add, long epoch, String clientMsgId) {
        ObjectNode frame = of("label").put("conv", conv).put("clientMsgId", clientMsgId);
        frame.putArray("add").add(add);
        return withEpoch(frame, epoch);
    }

    public static ObjectNode assign(String conv, String clientMsgId) {
        return of("assign").put("conv", conv).put("clientMsgId", clientMsgId);
    }

    public static ObjectNode history(String conv, long since, int limit) {
        return of("history").put("conv", conv).put("since", since).put("limit", limit);
    }

    private static ObjectNode withEpoch(ObjectNode frame, long epoch) {
        return epoch > 0 ? frame.put("epoch", epoch) : frame;
    }

    /** True for a frame of that type. */
    public static boolean is(JsonNode frame, String type) {
        return type.equals(frame.path("type").asText());
    }

    /** True for an entry that is a message. */
    public static boolean isMessage(JsonNode frame) {
        return isEntry(frame, "message");
    }

    /** True for an entry of that kind. */
    public static boolean isEntry(JsonNode frame, String kind) {
        return is(frame, "entry") && kind.equals(frame.path("kind").asText());
    }

    /** The text of a message, or an empty string. */
    public static String textOf(JsonNode frame) {
        return frame.path("body").path("text").asText("");
    }
}
