package dev.switchboard.socket;

import dev.switchboard.api.AccessCheck;
import dev.switchboard.api.HttpSettings;
import dev.switchboard.api.JsonFields;
import dev.switchboard.api.RefusedException;
import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.OfferId;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Relation;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Services;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.AgentRow;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.ports.EntryLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * Carries out what a client asks once it has said who it is. Not thread-safe; lives in the connection's stage. Every
 * request with an id gets one answer. Who may do what is the conversation's decision; here only the shape of a request
 * is checked, and that what it names exists.
 */
final class Requests {
    private static final Duration IN_FLIGHT_HINT = Duration.ofMillis(100);
    private static final long TYPING_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final String DEFAULT_QUEUE = "default";
    private static final long MAX_SEQ = Long.MAX_VALUE - 1;

    private final TerminalPort port;
    private final SocketContext context;
    private final Services services;
    private final Attachments attachments;
    private final Attachments.Owner owner;
    private final Pace pace;
    private int inFlight;

    /** The ids of this client's changes that have no answer yet, each with how often it is under way. */
    private final Map<String, Integer> unanswered = new HashMap<>(4);

    /** Supervisors' watches that wait for the conversation's answer. */
    private final Map<String, String> watches = new HashMap<>(1);

    Requests(TerminalPort port, SocketContext context, Attachments attachments, Attachments.Owner owner) {
        this.port = port;
        this.context = context;
        this.services = context.services();
        this.attachments = attachments;
        this.owner = owner;
        this.pace = new Pace(
                context.settings().requestsPerSecond(), context.settings().requestBurst(), port.nanoTime());
    }

    /** True while the entry answers a change of this client that has no reply yet. */
    boolean awaitsReply(Entry entry) {
        return !unanswered.isEmpty()
                && entry.clientMsgId() != null
                && owner.principal().person().equals(entry.from())
                && unanswered.containsKey(entry.clientMsgId());
    }

    /** Carries out a frame of that type. A {@link RefusedException} is answered by the caller. */
    void handle(String type, String id, JsonFields frame) {
        switch (type) {
            case "ack" -> ack(id, frame, false);
            case "read" -> ack(id, frame, true);
            case "ping" -> port.send(owner.frames().pong(id));
            case "pong" -> {
                // Having come is all that a pong says.
            }
            case "typing" -> typing(id, frame);
            default -> limited(type, id, frame);
        }
    }

    private void limited(String type, String id, JsonFields frame) {
        long waitNanos = pace.take(port.nanoTime());
        if (waitNanos > 0) {
            throw new RefusedException(Refusal.of(ErrorCode.RATE_LIMITED, "more requests than this socket may make")
                    .retryAfter(Duration.ofMillis(waitNanos / 1_000_000 + 1)));
        }
        if (inFlight >= context.settings().maxInFlight()) {
            throw new RefusedException(Refusal.of(
                            ErrorCode.TOO_MANY_IN_FLIGHT, "this socket has " + inFlight + " requests without an answer")
                    .retryAfter(IN_FLIGHT_HINT));
        }
        switch (type) {
            case "post" -> post(id, frame);
            case "open" -> open(id, frame);
            case "history" -> history(id, frame);
            case "status" -> status(id, frame);
            case "accept" -> answerOffer(id, frame, true);
            case "decline" -> answerOffer(id, frame, false);
            case "assign" -> assign(id, frame);
            case "transfer" -> transfer(id, frame);
            case "close" -> close(id, frame);
            case "note" -> note(id, frame);
            case "label" -> label(id, frame);
            case "watch" -> watch(id, frame);
            case "unwatch" -> unwatch(id, frame);
            case "nack" -> throw refuse(ErrorCode.NOT_SUPPORTED, "this version has no dead letters");
            default -> throw refuse(ErrorCode.UNKNOWN_TYPE, "there is no frame of this type");
        }
    }

    // ---- writing ----

    private void post(String id, JsonFields frame) {
        Principal by = owner.principal();
        String clientMsgId = frame.requiredRequestId("clientMsgId");
        Body body = WireJson.readBody(
                frame.requiredObject("body"), context.settings().maxBodyBytes());
        String after = frame.requestId("after");
        boolean repeat = frame.flag("repeat", false);
        long epoch = epoch(frame);
        String queue = queueOf(frame);
        String conv = frame.has("conv") ? conv(frame) : ownThread(frame);
        Person sender =
                by.role() == Role.SERVICE ? new Person(Role.CUSTOMER, ConversationIds.customerOf(conv)) : by.person();
        begin(clientMsgId);
        CompletionStage<ConversationReply> answer = ask(
                conv,
                mayBeNew(conv, frame),
                ref -> new ConversationCommand.Post(
                        by, sender, queue, clientMsgId, body, after, repeat, epoch, true, ref));
        pipe(answer, (reply, failure) -> {
            answer(id, reply, failure, "accepted");
            settled(clientMsgId);
            attachWriter(reply);
        });
    }

    private void open(String id, JsonFields frame) {
        Principal by = owner.principal();
        if (by.role() != Role.CUSTOMER && by.role() != Role.SERVICE) {
            throw refuse(ErrorCode.FORBIDDEN, "only customers and services open conversations");
        }
        String conv = ownThread(frame);
        String queue = queueOf(frame);
        Map<String, String> attributes = frame.textMap("attributes", HttpSettings.MAX_ATTRIBUTES_BYTES);
        Principal opener = by.role() == Role.SERVICE ? withUrgency(by, frame) : by;
        begin(null);
        CompletionStage<ConversationReply> answer = ask(
                conv,
                true,
                ref -> new ConversationCommand.Open(opener, ConversationIds.customerOf(conv), queue, attributes, ref));
        pipe(answer, (reply, failure) -> {
            answer(id, reply, failure, null);
            settled(null);
            attachWriter(reply);
        });
    }

    /**
     * A service says how urgent its customers' conversations are and what they need; customers' tokens say it for them.
     */
    private static Principal withUrgency(Principal service, JsonFields frame) {
        List<String> skills = frame.texts("skills", 32, WireJson.SKILL);
        return new Principal(
                service.role(),
                service.id(),
                service.queues(),
                (int) frame.integer("priority", 0, 9, service.priority()),
                skills == null ? service.skills() : Set.copyOf(skills),
                service.customers(),
                service.expires());
    }

    /** Customers and services get what is written to the conversation they wrote to, from its reply on. */
    private void attachWriter(ConversationReply reply) {
        Role role = owner.principal().role();
        if (role != Role.CUSTOMER && role != Role.SERVICE) {
            return;
        }
        if (reply instanceof ConversationReply.Done done) {
            attachments.attach(done.conv(), -1, false, true);
        } else if (reply instanceof ConversationReply.Opened opened) {
            attachments.attach(opened.view().conv(), -1, false, true);
        }
    }

    private void assign(String id, JsonFields frame) {
        Principal by = owner.principal();
        String conv = conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        String named = frame.matching("agent", ConversationIds.PERSON_ID);
        String agent = named == null ? by.id() : named;
        CompletionStage<ConversationReply> answer = withRow(
                conv,
                row -> context.access()
                        .resolve(by)
                        .thenCompose(me -> requireAgent(me, row, agent)
                                .thenCompose(refusal -> refusal.isPresent()
                                        ? refused(refusal.get())
                                        : ask(
                                                conv,
                                                false,
                                                ref -> new ConversationCommand.Assign(
                                                        me, me.claimsQueue(row.queue()), agent, clientMsgId, ref)))));
        change(id, clientMsgId, answer);
    }

    private void transfer(String id, JsonFields frame) {
        Principal by = owner.principal();
        String conv = conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        JsonFields to = frame.requiredObject("to");
        String agent = to.matching("agent", ConversationIds.PERSON_ID);
        String queue = to.matching("queue", ConversationIds.QUEUE);
        if ((agent == null) == (queue == null)) {
            throw frame.invalid("to", "must name either an agent or a queue");
        }
        long epoch = epoch(frame);
        String text = frame.text("note", context.settings().maxBodyBytes());
        CompletionStage<ConversationReply> answer = withRow(
                conv,
                row -> context.access()
                        .resolve(by)
                        .thenCompose(me -> requireTarget(me, row, agent, queue)
                                .thenCompose(refusal -> refusal.isPresent()
                                        ? refused(refusal.get())
                                        : ask(
                                                conv,
                                                false,
                                                ref -> new ConversationCommand.Transfer(
                                                        me, agent, queue, epoch, text, clientMsgId, ref)))));
        change(id, clientMsgId, answer);
    }

    private void close(String id, JsonFields frame) {
        Principal by = owner.principal();
        String conv = frame.has("conv") ? conv(frame) : ownThread(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        long epoch = epoch(frame);
        String reason = frame.text("reason", WireJson.MAX_REASON_BYTES);
        change(
                id,
                clientMsgId,
                ask(conv, false, ref -> new ConversationCommand.Close(by, epoch, reason, clientMsgId, ref)));
    }

    private void note(String id, JsonFields frame) {
        Principal by = owner.principal();
        String conv = conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        long epoch = epoch(frame);
        String text = frame.requiredText("text", context.settings().maxBodyBytes());
        change(
                id,
                clientMsgId,
                ask(conv, false, ref -> new ConversationCommand.Note(by, text, epoch, clientMsgId, ref)));
    }

    private void label(String id, JsonFields frame) {
        Principal by = owner.principal();
        String conv = conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        long epoch = epoch(frame);
        List<String> add = orEmpty(frame.texts("add", WireJson.MAX_LIMIT, WireJson.LABEL));
        List<String> remove = orEmpty(frame.texts("remove", WireJson.MAX_LIMIT, WireJson.LABEL));
        if (add.isEmpty() && remove.isEmpty()) {
            throw frame.invalid("add", "or 'remove' must name a label");
        }
        change(
                id,
                clientMsgId,
                ask(conv, false, ref -> new ConversationCommand.Label(by, add, remove, epoch, clientMsgId, ref)));
    }

    private void answerOffer(String id, JsonFields frame, boolean accept) {
        Principal by = owner.principal();
        requireStaff(by);
        String offer = frame.requiredText("offer", 400);
        Optional<OfferId> parsed = OfferId.parse(offer)
                .filter(found -> ConversationIds.isWellFormed(found.conv()))
                .filter(found -> found.agent().equals(by.id()));
        if (parsed.isEmpty()) {
            throw refuse(ErrorCode.UNKNOWN_OFFER, "there is no such offer to you");
        }
        CompletionStage<ConversationReply> answer = ask(
                        parsed.get().conv(),
                        false,
                        ref -> accept
                                ? new ConversationCommand.Accept(by, offer, ref)
                                : new ConversationCommand.Decline(by, offer, ref))
                .thenApply(Requests::asUnknownOffer);
        change(id, null, answer);
    }

    /** To one who asks for an offer a conversation that doesn't exist is an offer that doesn't exist. */
    private static ConversationReply asUnknownOffer(ConversationReply reply) {
        return reply instanceof ConversationReply.Refused refused
                        && refused.refusal().code() == ErrorCode.NOT_FOUND
                ? ConversationReply.Refused.of(ErrorCode.UNKNOWN_OFFER, "there is no such offer to you")
                : reply;
    }

    // ---- receiving and reading ----

    private void ack(String id, JsonFields frame, boolean read) {
        String conv = conv(frame);
        long seq = frame.requiredInteger("seq", 0, MAX_SEQ);
        switch (attachments.ack(conv, seq, read)) {
            case TAKEN -> {
                if (id != null) {
                    port.send(owner.frames().reply(id));
                }
            }
            case BAD -> throw badAck(conv, seq);
            default -> explainNoAck(id, conv, seq);
        }
    }

    private static RefusedException badAck(String conv, long seq) {
        return new RefusedException(Refusal.of(ErrorCode.BAD_ACK, "seq " + seq + " was not sent to this terminal")
                .withFact("conv", conv));
    }

    /** An ack where nothing was sent: what the conversation is to this person decides which refusal it gets. */
    private void explainNoAck(String id, String conv, long seq) {
        Principal by = owner.principal();
        begin(null);
        CompletionStage<ConversationReply> answer = ask(conv, false, ref -> new ConversationCommand.Describe(by, ref))
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
        pipe(answer, (reply, failure) -> {
            answer(id, reply, failure, null);
            settled(null);
        });
    }

    private void typing(String id, JsonFields frame) {
        Attachment attachment = attachments.find(conv(frame));
        long now = port.nanoTime();
        boolean tell = attachment != null
                && !attachment.watcher
                && (attachment.typedAtNanos == 0 || now - attachment.typedAtNanos >= TYPING_INTERVAL_NANOS);
        if (tell) {
            attachment.typedAtNanos = now;
            services.peers().conversation(attachment.conv, new ConversationCommand.Typing(owner.principal()));
        }
        if (id != null) {
            if (attachment == null) {
                throw notFound();
            }
            port.send(owner.frames().reply(id));
        }
    }

    private void history(String id, JsonFields frame) {
        Principal by = owner.principal();
        String conv = frame.has("conv") ? conv(frame) : ownThread(frame);
        boolean upwards = frame.has("since");
        long since = frame.integer("since", 0, MAX_SEQ, 0);
        long before = frame.integer("before", 0, Long.MAX_VALUE, Long.MAX_VALUE);
        int limit = (int) frame.integer("limit", 1, WireJson.MAX_LIMIT, 50);
        Directory directory = services.storage().directory();
        EntryLog log = services.storage().entryLog();
        CompletionStage<EntryLog.Page> page = row(conv)
                .thenCompose(row -> context.access().resolve(by).thenCompose(me -> {
                    Entry.Visibility reader = visibility(AccessCheck.relation(me, row), row);
                    return upwards
                            ? log.readUpwards(conv, reader, since, before, limit)
                            : log.readNewest(conv, reader, before, limit);
                }));
        begin(null);
        pipe(page, (found, failure) -> {
            port.send(failure == null ? owner.frames().history(id, conv, found) : error(id, Failures.refusal(failure)));
            settled(null);
        });
    }

    private static Entry.Visibility visibility(Relation relation, ConversationRow row) {
        return switch (AccessCheck.sight(relation, row.status())) {
            case ALL -> Entry.Visibility.STAFF;
            case VISIBLE -> Entry.Visibility.ALL;
            case PREVIEW, FACTS -> throw refuse(ErrorCode.FORBIDDEN, "you may not read this conversation's entries");
            case NONE -> throw notFound();
        };
    }

    private void watch(String id, JsonFields frame) {
        requireSupervisor();
        String conv = conv(frame);
        long after = frame.integer("after", 0, MAX_SEQ, -1);
        Attachment known = attachments.find(conv);
        if ((known != null && known.state != Attachment.State.ENDING) || watches.containsKey(conv)) {
            describe(id, conv);
            return;
        }
        begin(null);
        pipe(known(conv), (exists, failure) -> {
            if (failure != null || !exists) {
                port.send(error(id, failure == null ? notFound().refusal() : Failures.refusal(failure)));
            } else if (attachments.find(conv) != null) {
                describe(id, conv);
            } else {
                // The reply goes before the entries: the attachment answers it.
                if (id != null) {
                    watches.put(conv, id);
                }
                if (!attachments.attach(conv, after, true, true)) {
                    watches.remove(conv);
                    port.send(error(id, Refusal.of(ErrorCode.OVERLOAD, "this terminal watches too many")));
                }
            }
            settled(null);
        });
    }

    private void unwatch(String id, JsonFields frame) {
        requireSupervisor();
        String conv = conv(frame);
        Attachment known = attachments.find(conv);
        if (known == null) {
            throw notFound();
        }
        if (known.watcher) {
            attachments.letGo(conv);
        }
        if (id != null) {
            port.send(owner.frames().reply(id));
        }
    }

    private void describe(String id, String conv) {
        Principal by = owner.principal();
        change(id, null, ask(conv, false, ref -> new ConversationCommand.Describe(by, ref)));
    }

    /** An attach was answered: the watch that asked for it gets its reply. */
    void onAttached(Attachment attachment, dev.switchboard.conversation.ConversationView view) {
        String id = watches.remove(attachment.conv);
        if (id != null) {
            port.send(owner.frames().conversation(id, view));
        }
    }

    void onAttachRefused(String conv, Refusal refusal) {
        String id = watches.remove(conv);
        if (id != null) {
            port.send(error(id, refusal));
        }
    }

    // ---- the desk ----

    private void status(String id, JsonFields frame) {
        Principal by = owner.principal();
        requireStaff(by);
        Availability availability = Availability.ofWireName(frame.requiredText("availability", 32))
                .orElseThrow(() -> frame.invalid("availability", "must be available, away or offline"));
        begin(null);
        pipe(
                services.gateway().desk(by.id(), ref -> new DeskCommand.ChooseAvailability(availability, ref)),
                (reply, failure) -> {
                    if (failure != null) {
                        port.send(error(id, Failures.refusal(failure)));
                    } else if (reply instanceof DeskReply.Shown shown) {
                        sendReply(id, () -> owner.frames().desk(id, shown.view()));
                    } else if (reply instanceof DeskReply.Refused refused) {
                        port.send(error(id, refused.refusal()));
                    }
                    settled(null);
                });
    }

    // ---- parts of the above ----

    private void change(String id, String clientMsgId, CompletionStage<ConversationReply> answer) {
        begin(clientMsgId);
        pipe(answer, (reply, failure) -> {
            answer(id, reply, failure, null);
            settled(clientMsgId);
        });
    }

    private void begin(String clientMsgId) {
        inFlight++;
        if (clientMsgId != null) {
            unanswered.merge(clientMsgId, 1, Integer::sum);
        }
    }

    /** The answer has been sent: what waited for it may follow. */
    private void settled(String clientMsgId) {
        inFlight--;
        if (clientMsgId != null) {
            unanswered.compute(clientMsgId, (key, count) -> count == null || count == 1 ? null : count - 1);
            attachments.pumpAll();
        }
    }

    private <T> void pipe(CompletionStage<T> stage, BiConsumer<T, Throwable> to) {
        port.pipe(stage, to);
    }

    private void answer(String id, ConversationReply reply, Throwable failure, String state) {
        if (failure != null) {
            port.send(error(id, Failures.refusal(failure)));
        } else if (reply instanceof ConversationReply.Refused refused) {
            port.send(error(id, refused.refusal()));
        } else if (reply instanceof ConversationReply.Done done) {
            sendReply(id, () -> owner.frames().done(id, done, state));
        } else if (reply instanceof ConversationReply.Opened opened) {
            sendReply(id, () -> owner.frames().opened(id, opened));
        } else if (reply instanceof ConversationReply.Described described) {
            sendReply(id, () -> owner.frames().conversation(id, described.view()));
        } else {
            port.send(error(id, Refusal.of(ErrorCode.INTERNAL, "the conversation has moved; try again")));
        }
    }

    /** Without an id nobody waits for the reply, and none is sent; errors are sent always. */
    private void sendReply(String id, java.util.function.Supplier<byte[]> frame) {
        if (id != null) {
            port.send(frame.get());
        }
    }

    private byte[] error(String id, Refusal refusal) {
        context.figures().error();
        return owner.frames().error(id, refusal);
    }

    private CompletionStage<ConversationReply> ask(
            String conv, boolean mayBeNew, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        Person person = owner.principal().person();
        if (mayBeNew || attachments.find(conv) != null) {
            return services.gateway().conversation(conv, person, request);
        }
        return known(conv)
                .thenCompose(exists -> exists
                        ? services.gateway().conversation(conv, person, request)
                        : refused(notFound().refusal()));
    }

    private CompletionStage<Boolean> known(String conv) {
        return services.gateway().known(conv);
    }

    private static CompletionStage<ConversationReply> refused(Refusal refusal) {
        return CompletableFuture.completedFuture(new ConversationReply.Refused(refusal));
    }

    private CompletionStage<ConversationRow> row(String conv) {
        return services.storage().directory().conversation(conv).thenApply(row -> row.orElseThrow(Requests::notFound));
    }

    private CompletionStage<ConversationReply> withRow(
            String conv, Function<ConversationRow, CompletionStage<ConversationReply>> then) {
        return row(conv).thenCompose(then);
    }

    /** Whether a stranger asks, then whether the agent is known: a stranger must not learn who is. */
    private CompletionStage<Optional<Refusal>> requireAgent(Principal me, ConversationRow row, String agent) {
        if (isStranger(me, row)) {
            return CompletableFuture.completedFuture(Optional.of(notFound().refusal()));
        }
        if (agent.equals(me.id())) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return services.storage().directory().agent(agent).thenApply(found -> unlessKnown(found, agent));
    }

    private CompletionStage<Optional<Refusal>> requireTarget(
            Principal me, ConversationRow row, String agent, String queue) {
        if (agent != null) {
            return requireAgent(me, row, agent);
        }
        if (isStranger(me, row)) {
            return CompletableFuture.completedFuture(Optional.of(notFound().refusal()));
        }
        return CompletableFuture.completedFuture(
                services.queues().find(queue).isPresent()
                        ? Optional.empty()
                        : Optional.of(unknownQueue(queue).refusal()));
    }

    private static boolean isStranger(Principal me, ConversationRow row) {
        return AccessCheck.relation(me, row) == Relation.STRANGER;
    }

    private static Optional<Refusal> unlessKnown(Optional<AgentRow> row, String agent) {
        return row.isPresent()
                ? Optional.empty()
                : Optional.of(Refusal.of(ErrorCode.UNKNOWN_AGENT, "there is no agent " + agent)
                        .withFact("agent", agent));
    }

    private String queueOf(JsonFields frame) {
        String queue = frame.matching("queue", ConversationIds.QUEUE);
        if (queue == null) {
            return DEFAULT_QUEUE;
        }
        if (services.queues().find(queue).isEmpty()) {
            throw unknownQueue(queue);
        }
        return queue;
    }

    private static RefusedException unknownQueue(String queue) {
        return new RefusedException(Refusal.of(ErrorCode.UNKNOWN_QUEUE, "there is no queue " + queue)
                .withFact("queue", queue));
    }

    private static long epoch(JsonFields frame) {
        return frame.integer("epoch", 0, Long.MAX_VALUE, 0);
    }

    private static String conv(JsonFields frame) {
        String conv = frame.requiredText("conv", 256);
        if (!ConversationIds.isWellFormed(conv)) {
            throw notFound();
        }
        return conv;
    }

    /** The conversation that a frame without {@code conv} means: a customer's own, or that of the customer it names. */
    private String ownThread(JsonFields frame) {
        Principal by = owner.principal();
        if (by.role() == Role.CUSTOMER) {
            return ConversationIds.ofCustomer(by.id());
        }
        if (by.role() == Role.SERVICE) {
            String customer = frame.requiredMatching("customer", ConversationIds.PERSON_ID);
            if (!by.actsFor(customer)) {
                throw refuse(ErrorCode.FORBIDDEN, "your token doesn't let you act for " + customer);
            }
            return ConversationIds.ofCustomer(customer);
        }
        throw frame.invalid("conv", "is missing");
    }

    /** True for a thread that its customer's first message opens; anything else has to exist. */
    private boolean mayBeNew(String conv, JsonFields frame) {
        Principal by = owner.principal();
        return switch (by.role()) {
            case CUSTOMER -> conv.equals(ConversationIds.ofCustomer(by.id()));
            case SERVICE ->
                !frame.has("conv") || (conv.indexOf('~') < 0 && by.actsFor(ConversationIds.customerOf(conv)));
            case AGENT, SUPERVISOR, OPERATOR -> false;
        };
    }

    private static void requireStaff(Principal by) {
        if (!by.role().isStaff()) {
            throw refuse(ErrorCode.FORBIDDEN, "this is for agents");
        }
    }

    private void requireSupervisor() {
        if (owner.principal().role() != Role.SUPERVISOR) {
            throw refuse(ErrorCode.FORBIDDEN, "this is for supervisors");
        }
    }

    private static List<String> orEmpty(List<String> texts) {
        return texts == null ? List.of() : texts;
    }

    private static RefusedException refuse(ErrorCode code, String message) {
        return new RefusedException(Refusal.of(code, message));
    }

    private static RefusedException notFound() {
        return refuse(ErrorCode.NOT_FOUND, "there is no such conversation");
    }
}
