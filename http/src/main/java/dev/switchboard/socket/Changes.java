package dev.switchboard.socket;

import dev.switchboard.api.AccessCheck;
import dev.switchboard.api.HttpSettings;
import dev.switchboard.api.JsonFields;
import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
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
import dev.switchboard.ports.Directory.AgentRow;
import dev.switchboard.ports.Directory.ConversationRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The requests that change something. Not thread-safe; lives in the connection's stage. Who may do what is decided by
 * the conversation or desk; here only the shape of a request is checked, and that what it names exists.
 */
final class Changes {
    private final TerminalPort port;
    private final SocketContext context;
    private final Services services;
    private final Attachments attachments;
    private final Terminal terminal;
    private final Requests requests;
    private final RequestFields fields;

    Changes(
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

    void post(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String clientMsgId = frame.requiredRequestId("clientMsgId");
        Body body = WireJson.readBody(
                frame.requiredObject("body"), context.settings().maxBodyBytes());
        String after = frame.requestId("after");
        boolean repeat = frame.flag("repeat", false);
        long epoch = RequestFields.epoch(frame);
        String queue = fields.queueOf(frame);
        String conv = frame.has("conv") ? RequestFields.conv(frame) : fields.ownThread(frame);
        Person sender =
                by.role() == Role.SERVICE ? new Person(Role.CUSTOMER, ConversationIds.customerOf(conv)) : by.person();
        requests.begin(clientMsgId);
        CompletionStage<ConversationReply> answer = requests.ask(
                conv,
                fields.mayBeNew(conv, frame),
                ref -> new ConversationCommand.Post(
                        by, sender, queue, clientMsgId, body, after, repeat, epoch, true, ref));
        port.pipe(answer, (reply, failure) -> {
            requests.answer(id, reply, failure, "accepted");
            requests.settled(clientMsgId);
            attachWriter(reply);
        });
    }

    void open(String id, JsonFields frame) {
        Principal by = terminal.principal();
        if (by.role() != Role.CUSTOMER && by.role() != Role.SERVICE) {
            throw RequestFields.refuse(ErrorCode.FORBIDDEN, "only customers and services open conversations");
        }
        String conv = fields.ownThread(frame);
        String queue = fields.queueOf(frame);
        Map<String, String> attributes = frame.textMap("attributes", HttpSettings.MAX_ATTRIBUTES_BYTES);
        Principal opener = by.role() == Role.SERVICE ? withUrgency(by, frame) : by;
        requests.begin(null);
        CompletionStage<ConversationReply> answer = requests.ask(
                conv,
                true,
                ref -> new ConversationCommand.Open(opener, ConversationIds.customerOf(conv), queue, attributes, ref));
        port.pipe(answer, (reply, failure) -> {
            requests.answer(id, reply, failure, null);
            requests.settled(null);
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
        Role role = terminal.principal().role();
        if (role != Role.CUSTOMER && role != Role.SERVICE) {
            return;
        }
        if (reply instanceof ConversationReply.Done done) {
            attachments.attach(done.conv(), -1, false, true);
        } else if (reply instanceof ConversationReply.Spooled spooled) {
            attachments.attach(spooled.conv(), -1, false, true);
        } else if (reply instanceof ConversationReply.Opened opened) {
            attachments.attach(opened.view().conv(), -1, false, true);
        }
    }

    void assign(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String conv = RequestFields.conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        String named = frame.matching("agent", ConversationIds.PERSON_ID);
        String agent = named == null ? by.id() : named;
        CompletionStage<ConversationReply> answer = withRow(
                conv,
                row -> context.access()
                        .resolve(by)
                        .thenCompose(me -> requireAgent(me, row, agent)
                                .thenCompose(refusal -> refusal.isPresent()
                                        ? Requests.refused(refusal.get())
                                        : requests.ask(
                                                conv,
                                                false,
                                                ref -> new ConversationCommand.Assign(
                                                        me, me.claimsQueue(row.queue()), agent, clientMsgId, ref)))));
        requests.change(id, clientMsgId, answer);
    }

    void transfer(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String conv = RequestFields.conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        JsonFields to = frame.requiredObject("to");
        String agent = to.matching("agent", ConversationIds.PERSON_ID);
        String queue = to.matching("queue", ConversationIds.QUEUE);
        if ((agent == null) == (queue == null)) {
            throw frame.invalid("to", "must name either an agent or a queue");
        }
        long epoch = RequestFields.epoch(frame);
        String text = frame.text("note", context.settings().maxBodyBytes());
        CompletionStage<ConversationReply> answer = withRow(
                conv,
                row -> context.access()
                        .resolve(by)
                        .thenCompose(me -> requireTarget(me, row, agent, queue)
                                .thenCompose(refusal -> refusal.isPresent()
                                        ? Requests.refused(refusal.get())
                                        : requests.ask(
                                                conv,
                                                false,
                                                ref -> new ConversationCommand.Transfer(
                                                        me, agent, queue, epoch, text, clientMsgId, ref)))));
        requests.change(id, clientMsgId, answer);
    }

    void close(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String conv = frame.has("conv") ? RequestFields.conv(frame) : fields.ownThread(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        long epoch = RequestFields.epoch(frame);
        String reason = frame.text("reason", WireJson.MAX_REASON_BYTES);
        requests.change(
                id,
                clientMsgId,
                requests.ask(conv, false, ref -> new ConversationCommand.Close(by, epoch, reason, clientMsgId, ref)));
    }

    void note(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String conv = RequestFields.conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        long epoch = RequestFields.epoch(frame);
        String text = frame.requiredText("text", context.settings().maxBodyBytes());
        requests.change(
                id,
                clientMsgId,
                requests.ask(conv, false, ref -> new ConversationCommand.Note(by, text, epoch, clientMsgId, ref)));
    }

    void label(String id, JsonFields frame) {
        Principal by = terminal.principal();
        String conv = RequestFields.conv(frame);
        String clientMsgId = frame.requestId("clientMsgId");
        long epoch = RequestFields.epoch(frame);
        List<String> add = orEmpty(frame.texts("add", WireJson.MAX_LIMIT, WireJson.LABEL));
        List<String> remove = orEmpty(frame.texts("remove", WireJson.MAX_LIMIT, WireJson.LABEL));
        if (add.isEmpty() && remove.isEmpty()) {
            throw frame.invalid("add", "or 'remove' must name a label");
        }
        requests.change(
                id,
                clientMsgId,
                requests.ask(
                        conv, false, ref -> new ConversationCommand.Label(by, add, remove, epoch, clientMsgId, ref)));
    }

    void answerOffer(String id, JsonFields frame, boolean accept) {
        Principal by = terminal.principal();
        RequestFields.requireStaff(by);
        String offer = frame.requiredText("offer", 400);
        Optional<OfferId> parsed = OfferId.parse(offer)
                .filter(found -> ConversationIds.isWellFormed(found.conv()))
                .filter(found -> found.agent().equals(by.id()));
        if (parsed.isEmpty()) {
            throw RequestFields.refuse(ErrorCode.UNKNOWN_OFFER, "there is no such offer to you");
        }
        CompletionStage<ConversationReply> answer = requests.ask(
                        parsed.get().conv(),
                        false,
                        ref -> accept
                                ? new ConversationCommand.Accept(by, offer, ref)
                                : new ConversationCommand.Decline(by, offer, ref))
                .thenApply(Changes::asUnknownOffer);
        requests.change(id, null, answer);
    }

    /** To one who asks for an offer a conversation that doesn't exist is an offer that doesn't exist. */
    private static ConversationReply asUnknownOffer(ConversationReply reply) {
        return reply instanceof ConversationReply.Refused refused
                        && refused.refusal().code() == ErrorCode.NOT_FOUND
                ? ConversationReply.Refused.of(ErrorCode.UNKNOWN_OFFER, "there is no such offer to you")
                : reply;
    }

    void status(String id, JsonFields frame) {
        Principal by = terminal.principal();
        RequestFields.requireStaff(by);
        Availability availability = Availability.ofWireName(frame.requiredText("availability", 32))
                .orElseThrow(() -> frame.invalid("availability", "must be available, away or offline"));
        requests.begin(null);
        port.pipe(
                services.gateway().desk(by.id(), ref -> new DeskCommand.ChooseAvailability(availability, ref)),
                (reply, failure) -> {
                    if (failure != null) {
                        port.send(requests.error(id, Failures.refusal(failure)));
                    } else if (reply instanceof DeskReply.Shown shown) {
                        requests.sendReply(id, () -> terminal.frames().desk(id, shown.view()));
                    } else if (reply instanceof DeskReply.Refused refused) {
                        port.send(requests.error(id, refused.refusal()));
                    }
                    requests.settled(null);
                });
    }

    /** Whether a stranger asks, then whether the agent is known: a stranger must not learn who is. */
    private CompletionStage<Optional<Refusal>> requireAgent(Principal me, ConversationRow row, String agent) {
        if (isStranger(me, row)) {
            return CompletableFuture.completedFuture(
                    Optional.of(RequestFields.notFound().refusal()));
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
            return CompletableFuture.completedFuture(
                    Optional.of(RequestFields.notFound().refusal()));
        }
        return CompletableFuture.completedFuture(
                services.queues().find(queue).isPresent()
                        ? Optional.empty()
                        : Optional.of(RequestFields.unknownQueue(queue).refusal()));
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

    private CompletionStage<ConversationReply> withRow(
            String conv, Function<ConversationRow, CompletionStage<ConversationReply>> then) {
        return requests.row(conv).thenCompose(then);
    }

    private static List<String> orEmpty(List<String> texts) {
        return texts == null ? List.of() : texts;
    }
}
