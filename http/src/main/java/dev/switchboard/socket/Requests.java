package dev.switchboard.socket;

import dev.switchboard.api.JsonFields;
import dev.switchboard.api.RefusedException;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.delivery.Services;
import dev.switchboard.ports.Directory.ConversationRow;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what a client asks once it has said who it is. Not thread-safe; lives in the connection's stage. Every
 * request with an id gets one answer. Who may do what is the conversation's decision; here only the shape of a request
 * is checked, and that what it names exists.
 */
final class Requests {
    private static final Logger LOG = LoggerFactory.getLogger(Requests.class);
    private static final Duration IN_FLIGHT_HINT = Duration.ofMillis(100);

    private final TerminalPort port;
    private final SocketContext context;
    private final Services services;
    private final Attachments attachments;
    private final Terminal terminal;
    private final Changes changes;
    private final Readings readings;
    private final Nacks nacks;
    private final Pace pace;
    private int inFlight;

    /** The ids of this client's changes that have no answer yet, each with how often it is under way. */
    private final Map<String, Integer> unanswered = new HashMap<>(4);

    Requests(TerminalPort port, SocketContext context, Attachments attachments, Terminal terminal) {
        this.port = port;
        this.context = context;
        this.services = context.services();
        this.attachments = attachments;
        this.terminal = terminal;
        RequestFields fields = new RequestFields(terminal, services.queues());
        this.changes = new Changes(port, context, attachments, terminal, this, fields);
        this.readings = new Readings(port, context, attachments, terminal, this, fields);
        this.nacks = new Nacks(port, context, attachments, terminal, this, readings);
        this.pace = new Pace(
                context.settings().requestsPerSecond(), context.settings().requestBurst(), port.nanoTime());
    }

    /** True while so many requests wait for an answer that the client's next ones are left to TCP. */
    boolean isHeld() {
        return inFlight >= context.settings().holdInFlight();
    }

    /** True while the entry answers a change of this client that has no reply yet. */
    boolean awaitsReply(Entry entry) {
        return !unanswered.isEmpty()
                && entry.clientMsgId() != null
                && terminal.principal().person().equals(entry.from())
                && unanswered.containsKey(entry.clientMsgId());
    }

    /** Carries out a frame of that type. A {@link RefusedException} is answered by the caller. */
    void handle(String type, String id, JsonFields frame) {
        switch (type) {
            case "ack" -> readings.ack(id, frame, false);
            case "read" -> readings.ack(id, frame, true);
            case "ping" -> port.send(terminal.frames().pong(id));
            case "pong" -> {
                // Having come is all that a pong says.
            }
            case "typing" -> readings.typing(id, frame);
            default -> limited(type, id, frame);
        }
    }

    private void limited(String type, String id, JsonFields frame) {
        long waitNanos = pace.take(port.nanoTime());
        if (waitNanos > 0) {
            throw new RefusedException(Refusal.of(ErrorCode.RATE_LIMITED, "more requests than this socket may make")
                    .retryAfter(Duration.ofMillis(waitNanos / 1_000_000 + 1)));
        }
        Duration wait = context.admission().request(terminal.principal().person());
        if (!wait.isZero()) {
            throw new RefusedException(
                    Refusal.of(ErrorCode.RATE_LIMITED, "more requests than this person may make over all its sockets")
                            .retryAfter(wait.plusMillis(1)));
        }
        if (inFlight >= context.settings().maxInFlight()) {
            throw new RefusedException(Refusal.of(
                            ErrorCode.TOO_MANY_IN_FLIGHT, "this socket has " + inFlight + " requests without an answer")
                    .retryAfter(IN_FLIGHT_HINT));
        }
        switch (type) {
            case "post" -> changes.post(id, frame);
            case "open" -> changes.open(id, frame);
            case "history" -> readings.history(id, frame);
            case "status" -> changes.status(id, frame);
            case "accept" -> changes.answerOffer(id, frame, true);
            case "decline" -> changes.answerOffer(id, frame, false);
            case "assign" -> changes.assign(id, frame);
            case "transfer" -> changes.transfer(id, frame);
            case "close" -> changes.close(id, frame);
            case "note" -> changes.note(id, frame);
            case "label" -> changes.label(id, frame);
            case "watch" -> readings.watch(id, frame);
            case "unwatch" -> readings.unwatch(id, frame);
            case "nack" -> nacks.nack(id, frame);
            default -> throw RequestFields.refuse(ErrorCode.UNKNOWN_TYPE, "there is no frame of this type");
        }
    }

    /** An entry can't be put into the client's form. */
    void refuse(Attachment attachment, long seq, String code, String reason) {
        nacks.cantConvert(attachment, seq, code, reason);
    }

    /** An attach was answered: a watch that asked for it gets its reply. */
    void onAttached(Attachment attachment, ConversationView view) {
        readings.onAttached(attachment, view);
    }

    /** A conversation refused an attach: a watch that asked for it gets its error; true when there was one. */
    boolean onAttachRefused(String conv, Refusal refusal) {
        return readings.onAttachRefused(conv, refusal);
    }

    // ---- what the groups of requests share ----

    /** A change is under way; its answer goes to the client, and then what waited for it. */
    void change(String id, String clientMsgId, CompletionStage<ConversationReply> answer) {
        begin(clientMsgId);
        port.pipe(answer, (reply, failure) -> {
            answer(id, reply, failure, null);
            settled(clientMsgId);
        });
    }

    /** A request is under way. {@code clientMsgId} is null where it makes no entry, or none that can be told. */
    void begin(String clientMsgId) {
        inFlight++;
        if (inFlight == context.settings().holdInFlight()) {
            context.figures().held();
        }
        if (clientMsgId != null) {
            unanswered.merge(clientMsgId, 1, Integer::sum);
        }
    }

    /** The answer has been sent: what waited for it may follow. */
    void settled(String clientMsgId) {
        inFlight--;
        if (clientMsgId != null) {
            unanswered.compute(clientMsgId, (key, count) -> count == null || count == 1 ? null : count - 1);
            attachments.flow().replied();
        }
    }

    /** Answers a request; {@code state} is null for those that are not posts. */
    void answer(String id, ConversationReply reply, Throwable failure, String state) {
        if (failure != null) {
            port.send(error(id, Failures.refusal(failure)));
        } else if (reply instanceof ConversationReply.Refused refused) {
            port.send(error(id, refused.refusal()));
        } else if (reply instanceof ConversationReply.Done done) {
            sendReply(id, () -> terminal.frames().done(id, done, state));
        } else if (reply instanceof ConversationReply.Spooled spooled) {
            sendReply(id, () -> terminal.frames().spooled(id, spooled));
        } else if (reply instanceof ConversationReply.Opened opened) {
            sendReply(id, () -> terminal.frames().opened(id, opened));
        } else if (reply instanceof ConversationReply.Described described) {
            sendReply(id, () -> terminal.frames().conversation(id, described.view()));
        } else {
            port.send(error(id, Refusal.of(ErrorCode.INTERNAL, "the conversation has moved; try again")));
        }
    }

    /** Without an id nobody waits for the reply, and none is sent; errors are sent always. */
    void sendReply(String id, Supplier<byte[]> frame) {
        if (id == null) {
            return;
        }
        byte[] made;
        try {
            made = frame.get();
        } catch (UnconvertibleException e) {
            LOG.warn(
                    "the answer to a request of {} can't be converted",
                    terminal.principal().person(),
                    e);
            context.figures().unconvertible();
            made = error(id, Refusal.of(ErrorCode.INTERNAL, "the answer can't be put into this terminal's form"));
        }
        port.send(made);
    }

    /** An error frame, counted. */
    byte[] error(String id, Refusal refusal) {
        context.figures().error();
        return terminal.frames().error(id, refusal);
    }

    /**
     * Asks a conversation; one that can't be new and isn't attached is looked up first, so that no actor starts for it.
     */
    CompletionStage<ConversationReply> ask(
            String conv, boolean mayBeNew, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        Person person = terminal.principal().person();
        Attachment attachment = attachments.find(conv);
        if (mayBeNew || attachment != null) {
            return services.gateway().conversation(conv, attachment == null ? null : attachment.ref, person, request);
        }
        return known(conv)
                .thenCompose(exists -> exists
                        ? services.gateway().conversation(conv, person, request)
                        : refused(RequestFields.notFound().refusal()));
    }

    CompletionStage<Boolean> known(String conv) {
        return services.gateway().known(conv);
    }

    static CompletionStage<ConversationReply> refused(Refusal refusal) {
        return CompletableFuture.completedFuture(new ConversationReply.Refused(refusal));
    }

    /** The directory's row of a conversation; the stage fails with not-found when there is none. */
    CompletionStage<ConversationRow> row(String conv) {
        return services.storage()
                .directory()
                .conversation(conv)
                .thenApply(row -> row.orElseThrow(RequestFields::notFound));
    }
}
