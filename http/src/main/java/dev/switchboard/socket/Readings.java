package dev.switchboard.socket;

import dev.switchboard.api.History;
import dev.switchboard.api.JsonFields;
import dev.switchboard.api.RefusedException;
import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Services;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The requests of those who receive: acks, history, typing, and supervisors' watches. Not thread-safe; lives in the
 * connection's stage.
 */
final class Readings {
    private static final long TYPING_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int DEFAULT_LIMIT = 50;

    private final TerminalPort port;
    private final SocketContext context;
    private final Services services;
    private final Attachments attachments;
    private final Terminal terminal;
    private final Requests requests;
    private final RequestFields fields;

    /** Supervisors' watches that wait for the conversation's answer: their requests' ids by conversation. */
    private final Map<String, String> watches = new HashMap<>(1);

    Readings(
            TerminalPort port,
            SocketContext context,
            Attachments attachments,
            Terminal terminal,
            Requests requests,
            RequestFields fields) {
        this.port = port;
        this.context = context;
        this.services = context.services();
        this.attachments = attachments;
        this.terminal = terminal;
        this.requests = requests;
        this.fields = fields;
    }

    void ack(String id, JsonFields frame, boolean read) {
        String conv = RequestFields.conv(frame);
        long seq = frame.requiredInteger("seq", 0, RequestFields.MAX_SEQ);
        switch (attachments.acks().ack(conv, seq, read)) {
            case TAKEN -> {
                if (id != null) {
                    port.send(terminal.frames().reply(id));
                }
            }
            case BAD -> throw badAck(conv, seq);
            default -> explainNoAck(id, conv, seq);
        }
    }

    static RefusedException badAck(String conv, long seq) {
        return new RefusedException(Refusal.of(ErrorCode.BAD_ACK, "seq " + seq + " was not sent to this terminal")
                .withFact("conv", conv));
    }

    /** An ack where nothing was sent: what the conversation is to this person decides which refusal it gets. */
    void explainNoAck(String id, String conv, long seq) {
        Principal by = terminal.principal();
        requests.begin(null);
        CompletionStage<ConversationReply> answer = requests.ask(
                        conv, false, ref -> new ConversationCommand.Describe(by, ref))
                .thenApply(reply -> {
                    if (!(reply instanceof ConversationReply.Described described)) {
                        return reply;
                    }
                    boolean receiver = by.role() == Role.CUSTOMER
                            || by.role() == Role.SERVICE
                            || by.id().equals(described.view().owner());
                    return receiver
                            ? new ConversationReply.Refused(badAck(conv, seq).refusal())
                            : ConversationReply.Refused.of(
                                    ErrorCode.FORBIDDEN, "only the customer and the owner receive");
                });
        port.pipe(answer, (reply, failure) -> {
            requests.answer(id, reply, failure, null);
            requests.settled(null);
        });
    }

    void typing(String id, JsonFields frame) {
        Attachment attachment = attachments.find(RequestFields.conv(frame));
        long now = port.nanoTime();
        boolean tell = attachment != null
                && !attachment.watcher
                && (attachment.typedAtNanos == 0 || now - attachment.typedAtNanos >= TYPING_INTERVAL_NANOS);
        if (tell) {
            attachment.typedAtNanos = now;
            services.peers().conversation(attachment.conv, new ConversationCommand.Typing(terminal.principal()));
        }
        if (id != null) {
            if (attachment == null) {
                throw RequestFields.notFound();
            }
            port.send(terminal.frames().reply(id));
        }
    }

    void history(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String conv = frame.has("conv") ? RequestFields.conv(frame) : fields.ownThread(frame);
        long since = frame.integer("since", 0, RequestFields.MAX_SEQ, -1);
        long before = frame.integer("before", 0, Long.MAX_VALUE, Long.MAX_VALUE);
        int limit = (int) frame.integer("limit", 1, WireJson.MAX_LIMIT, DEFAULT_LIMIT);
        CompletionStage<History.Read> page = requests.row(conv)
                .thenCompose(row -> context.access()
                        .resolve(by)
                        .thenCompose(me -> context.history().read(me, row, since, before, limit)));
        requests.begin(null);
        port.pipe(page, (found, failure) -> {
            if (failure == null) {
                requests.sendReply(id, () -> terminal.frames().history(id, conv, found));
            } else {
                port.send(requests.error(id, Failures.refusal(failure)));
            }
            requests.settled(null);
        });
    }

    void watch(String id, JsonFields frame) {
        fields.requireSupervisor();
        String conv = RequestFields.conv(frame);
        long after = frame.integer("after", 0, RequestFields.MAX_SEQ, -1);
        Attachment known = attachments.find(conv);
        if ((known != null && known.state != Attachment.State.ENDING) || watches.containsKey(conv)) {
            describe(id, conv);
            return;
        }
        requests.begin(null);
        port.pipe(requests.known(conv), (exists, failure) -> {
            if (failure != null || !exists) {
                port.send(requests.error(
                        id, failure == null ? RequestFields.notFound().refusal() : Failures.refusal(failure)));
            } else if (attachments.find(conv) != null) {
                describe(id, conv);
            } else {
                // The reply goes before the entries: the attachment answers it.
                if (id != null) {
                    watches.put(conv, id);
                }
                if (!attachments.attach(conv, after, true, true)) {
                    watches.remove(conv);
                    port.send(requests.error(id, Refusal.of(ErrorCode.OVERLOAD, "this terminal watches too many")));
                }
            }
            requests.settled(null);
        });
    }

    void unwatch(String id, JsonFields frame) {
        fields.requireSupervisor();
        String conv = RequestFields.conv(frame);
        Attachment known = attachments.find(conv);
        if (known == null) {
            throw RequestFields.notFound();
        }
        if (known.watcher) {
            attachments.letGo(conv);
        }
        if (id != null) {
            port.send(terminal.frames().reply(id));
        }
    }

    private void describe(String id, String conv) {
        Principal by = terminal.principal();
        requests.change(id, null, requests.ask(conv, false, ref -> new ConversationCommand.Describe(by, ref)));
    }

    /** An attach was answered: the watch that asked for it gets its reply. */
    void onAttached(Attachment attachment, ConversationView view) {
        String id = watches.remove(attachment.conv);
        if (id != null) {
            requests.sendReply(id, () -> terminal.frames().conversation(id, view));
        }
    }

    /** True when a watch asked for it. */
    boolean onAttachRefused(String conv, Refusal refusal) {
        String id = watches.remove(conv);
        if (id != null) {
            port.send(requests.error(id, refusal));
        }
        return id != null;
    }
}
