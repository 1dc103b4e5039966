package dev.switchboard.api;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand.Ack;
import dev.switchboard.conversation.ConversationCommand.Assign;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Erase;
import dev.switchboard.conversation.ConversationCommand.Label;
import dev.switchboard.conversation.ConversationCommand.Note;
import dev.switchboard.conversation.ConversationCommand.Open;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.Transfer;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Relation;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.Directory.ConversationRow;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/** The calls that change a conversation. Thread-safe. Who may do what is decided by the conversation itself. */
final class ConversationCalls {
    private static final int MAX_LABELS = 32;
    private static final int MAX_SKILLS = 32;

    private final Edge edge;

    ConversationCalls(Edge edge) {
        this.edge = edge;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("POST", "/conversations", this::open)
                .add("DELETE", "/conversations/{conv}", this::erase)
                .add("POST", "/conversations/{conv}/messages", this::post)
                .add("POST", "/conversations/{conv}/ack", call -> ack(call, false))
                .add("POST", "/conversations/{conv}/read", call -> ack(call, true))
                .add("POST", "/conversations/{conv}/transfer", this::transfer)
                .add("POST", "/conversations/{conv}/close", this::close)
                .add("POST", "/conversations/{conv}/assign", this::assign)
                .add("POST", "/conversations/{conv}/notes", this::note)
                .add("POST", "/conversations/{conv}/labels", this::label);
    }

    /** What a stranger is told about a conversation, whether it exists or not. */
    static Refusal notFound() {
        return Refusal.of(ErrorCode.NOT_FOUND, "There is no such conversation.");
    }

    private CompletionStage<HttpResponse> open(Call call) {
        call.requireRole(Role.CUSTOMER, Role.SERVICE);
        JsonFields fields = call.fields();
        String customer = customer(call, fields);
        String named = fields.matching("queue", ConversationIds.QUEUE);
        String queue = named == null ? "default" : named;
        Map<String, String> attributes = fields.textMap("attributes", HttpSettings.MAX_ATTRIBUTES_BYTES);
        if (edge.services().queues().find(queue).isEmpty()) {
            throw new RefusedException(Edge.unknownQueue(queue));
        }
        Principal by = urgency(call.principal(), fields);
        String conv = ConversationIds.ofCustomer(customer);
        return edge.askKnown(
                conv,
                by.person(),
                replyTo -> new Open(by, customer, queue, attributes, replyTo),
                ConversationCalls::opened);
    }

    private static String customer(Call call, JsonFields fields) {
        Principal who = call.principal();
        if (who.role() == Role.SERVICE) {
            String customer = fields.requiredMatching("customer", ConversationIds.PERSON_ID);
            if (!who.actsFor(customer)) {
                throw new RefusedException(Refusal.of(ErrorCode.FORBIDDEN, "this service may not act for " + customer));
            }
            return customer;
        }
        String customer = fields.matching("customer", ConversationIds.PERSON_ID);
        if (customer != null && !customer.equals(who.id())) {
            throw new RefusedException(Refusal.of(ErrorCode.FORBIDDEN, "a customer opens its own conversation only"));
        }
        return who.id();
    }

    /** Priority and skills come from a customer's token, but a service may say them itself. */
    private static Principal urgency(Principal who, JsonFields fields) {
        if (who.role() != Role.SERVICE) {
            return who;
        }
        List<String> skills = fields.texts("skills", MAX_SKILLS, WireJson.SKILL);
        return new Principal(
                who.role(),
                who.id(),
                who.queues(),
                (int) fields.integer("priority", 0, 9, who.priority()),
                skills == null ? who.skills() : new HashSet<>(skills),
                who.customers(),
                who.expires());
    }

    private static HttpResponse opened(ConversationReply reply) {
        ConversationReply.Opened opened = expect(ConversationReply.Opened.class, reply);
        HttpResponse answer = Answers.object(
                opened.created() ? 201 : 200, out -> WireJson.writeConversationFields(out, opened.view()));
        String path = ApiRoutes.BASE + "/conversations/"
                + URLEncoder.encode(opened.view().conv(), StandardCharsets.UTF_8);
        return opened.created() ? answer.addHeader(RawHeader.create("Location", path)) : answer;
    }

    private CompletionStage<HttpResponse> post(Call call) {
        String conv = call.conv();
        String key = call.requiredIdempotencyKey();
        JsonFields fields = call.fields();
        Body body =
                WireJson.readBody(fields.requiredObject("body"), edge.settings().maxTextBytes());
        String after = fields.requestId("after");
        boolean repeat = fields.flag("repeat", false);
        long epoch = call.epoch(fields);
        Principal by = call.principal();
        Person sender = actsAs(by, conv);
        return edge.post(
                by,
                conv,
                sender,
                replyTo -> new Post(by, sender, "default", key, body, after, repeat, epoch, false, replyTo),
                ConversationCalls::posted);
    }

    /** Whose message it is: a service posts as the conversation's customer. */
    static Person actsAs(Principal by, String conv) {
        return by.role() == Role.SERVICE ? new Person(Role.CUSTOMER, ConversationIds.customerOf(conv)) : by.person();
    }

    private static HttpResponse posted(ConversationReply reply) {
        if (reply instanceof ConversationReply.Spooled spooled) {
            return Answers.object(202, out -> {
                out.writeStringField("conv", spooled.conv());
                out.writeStringField("state", "spooled");
                out.writeBooleanField("duplicate", spooled.duplicate());
            });
        }
        ConversationReply.Done done = expect(ConversationReply.Done.class, reply);
        return Answers.object(done.duplicate() ? 200 : 201, out -> {
            out.writeStringField("conv", done.conv());
            out.writeNumberField("seq", done.seq());
            out.writeStringField("state", "accepted");
            out.writeBooleanField("duplicate", done.duplicate());
        });
    }

    private CompletionStage<HttpResponse> ack(Call call, boolean read) {
        String conv = call.conv();
        long seq = call.fields().requiredInteger("seq", 1, Long.MAX_VALUE);
        Principal by = call.principal();
        return edge.ask(
                by,
                conv,
                by.person(),
                replyTo -> new Ack(by, seq, read, replyTo),
                reply -> Answers.object(200, out -> {
                    out.writeStringField("conv", conv);
                    out.writeNumberField("seq", seq);
                }));
    }

    private CompletionStage<HttpResponse> transfer(Call call) {
        String conv = call.conv();
        String key = call.idempotencyKeyOrNew();
        JsonFields fields = call.fields();
        JsonFields to = fields.requiredObject("to");
        String agent = to.matching("agent", ConversationIds.PERSON_ID);
        String queue = to.matching("queue", ConversationIds.QUEUE);
        if ((agent == null) == (queue == null)) {
            throw RefusedException.invalid("to", "must name either an agent or a queue");
        }
        String note = fields.text("note", edge.settings().maxTextBytes());
        long epoch = call.epoch(fields);
        Principal by = call.principal();
        return directed(by, conv, agent)
                .thenCompose(row -> edge.askKnown(
                        conv,
                        by.person(),
                        replyTo -> new Transfer(by, agent, queue, epoch, note, key, replyTo),
                        ConversationCalls::changed));
    }

    private CompletionStage<HttpResponse> assign(Call call) {
        String conv = call.conv();
        String key = call.idempotencyKeyOrNew();
        Principal by = call.principal();
        String named = call.fields().matching("agent", ConversationIds.PERSON_ID);
        String agent = named == null ? by.id() : named;
        boolean itself = by.role().isStaff() && agent.equals(by.id());
        return directed(by, conv, itself ? null : agent)
                .thenCompose(row -> edge.askKnown(
                        conv,
                        by.person(),
                        replyTo -> new Assign(by, by.claimsQueue(row.queue()), agent, key, replyTo),
                        ConversationCalls::changed));
    }

    /**
     * The row of a conversation that the caller wants to give to an agent (null: to none). Only staff may direct
     * conversations; the agent must be known; but for a stranger it is the conversation that doesn't exist.
     */
    private CompletionStage<ConversationRow> directed(Principal by, String conv, String agent) {
        return edge.row(conv).thenCompose(row -> {
            boolean stranger = AccessCheck.relation(by, row) == Relation.STRANGER;
            if (!by.role().isStaff()) {
                throw new RefusedException(
                        stranger ? notFound() : Refusal.of(ErrorCode.FORBIDDEN, "only staff may do that"));
            }
            if (agent == null) {
                return CompletableFuture.completedFuture(row);
            }
            return edge.agent(agent).thenApply(target -> {
                if (target.isEmpty()) {
                    throw new RefusedException(stranger ? notFound() : Edge.unknownAgent(agent));
                }
                return row;
            });
        });
    }

    private CompletionStage<HttpResponse> close(Call call) {
        String conv = call.conv();
        String key = call.idempotencyKeyOrNew();
        JsonFields fields = call.fields();
        String reason = fields.text("reason", WireJson.MAX_REASON_BYTES);
        long epoch = call.epoch(fields);
        Principal by = call.principal();
        return edge.ask(
                by,
                conv,
                by.person(),
                replyTo -> new Close(by, epoch, reason, key, replyTo),
                ConversationCalls::changed);
    }

    private CompletionStage<HttpResponse> note(Call call) {
        String conv = call.conv();
        String key = call.idempotencyKeyOrNew();
        JsonFields fields = call.fields();
        String text = fields.requiredText("text", edge.settings().maxTextBytes());
        long epoch = call.epoch(fields);
        Principal by = call.principal();
        return edge.ask(
                by, conv, by.person(), replyTo -> new Note(by, text, epoch, key, replyTo), ConversationCalls::changed);
    }

    private CompletionStage<HttpResponse> label(Call call) {
        String conv = call.conv();
        String key = call.idempotencyKeyOrNew();
        JsonFields fields = call.fields();
        List<String> add = labels(fields, "add");
        List<String> remove = labels(fields, "remove");
        if (add.isEmpty() && remove.isEmpty()) {
            throw RefusedException.invalid("add", "and 'remove' are both empty");
        }
        long epoch = call.epoch(fields);
        Principal by = call.principal();
        return edge.ask(
                by,
                conv,
                by.person(),
                replyTo -> new Label(by, add, remove, epoch, key, replyTo),
                ConversationCalls::changed);
    }

    private static List<String> labels(JsonFields fields, String name) {
        List<String> labels = fields.texts(name, MAX_LABELS, WireJson.LABEL);
        return labels == null ? List.of() : List.copyOf(Set.copyOf(labels));
    }

    private static HttpResponse changed(ConversationReply reply) {
        ConversationReply.Done done = expect(ConversationReply.Done.class, reply);
        return Answers.object(200, out -> {
            out.writeStringField("conv", done.conv());
            out.writeNumberField("seq", done.seq());
            out.writeNumberField("epoch", done.epoch());
            out.writeNumberField("lastSeq", done.lastSeq());
            out.writeBooleanField("duplicate", done.duplicate());
        });
    }

    /** 200 when the database has forgotten it, 202 when that takes longer than an answer may. */
    private CompletionStage<HttpResponse> erase(Call call) {
        call.requireRole(Role.OPERATOR);
        String conv = call.conv();
        String key = call.idempotencyKeyOrNew();
        Principal by = call.principal();
        return edge.row(conv)
                .thenCompose(row -> edge.askKnown(
                        conv, by.person(), replyTo -> new Erase(by, key, replyTo), ConversationCalls::erased));
    }

    private static HttpResponse erased(ConversationReply reply) {
        ConversationReply.Erased erased = expect(ConversationReply.Erased.class, reply);
        return Answers.object(erased.complete() ? 200 : 202, out -> {
            out.writeStringField("conv", erased.conv());
            out.writeNumberField("seq", erased.seq());
            out.writeStringField("state", erased.complete() ? "erased" : "erasing");
            out.writeBooleanField("duplicate", erased.duplicate());
        });
    }

    /** The reply as the one kind that answers the request. */
    static <R extends ConversationReply> R expect(Class<R> kind, ConversationReply reply) {
        if (!kind.isInstance(reply)) {
            throw new IllegalStateException("not an answer to this request: " + reply);
        }
        return kind.cast(reply);
    }
}
