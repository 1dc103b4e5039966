package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.DiscardLetter;
import dev.switchboard.conversation.ConversationCommand.RetryLetter;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.DeadLetterFilter;
import dev.switchboard.ports.Directory.DeadLetterRow;
import dev.switchboard.ports.Directory.Rows;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The calls about dead letters. Thread-safe. Operators see all, supervisors those of their queues; nobody else any. The list
 * and the details come from the directory, whose rows commit with the conversation's events; what is done to a letter is
 * done by its conversation.
 */
final class DeadLetterCalls {
    private static final List<String> STATES = Arrays.stream(Letter.State.values())
            .filter(state -> state != Letter.State.RETRYING)
            .map(Letter.State::wireName)
            .toList();

    private static final Set<Letter.State> OPEN = Set.of(Letter.State.DEAD, Letter.State.RETRIED);

    private final Edge edge;

    DeadLetterCalls(Edge edge) {
        this.edge = edge;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("GET", "/dead-letters", this::list)
                .add("GET", "/dead-letters/{id}", this::show)
                .add("POST", "/dead-letters/{id}/retry", this::retry)
                .add("POST", "/dead-letters/{id}/discard", this::discard);
    }

    // ---- looking ----

    private CompletionStage<HttpResponse> list(Call call) {
        call.requireRole(Role.SUPERVISOR, Role.OPERATOR);
        Optional<Letter.State> state = call.queryOneOf("state", STATES).flatMap(Letter.State::ofWireName);
        String queue = call.query("queue", ConversationIds.QUEUE).orElse(null);
        String conv = call.query("conv").orElse(null);
        DeadLetterFilter filter =
                new DeadLetterFilter(state.map(Set::of).orElse(OPEN), queue, queuesOf(call.principal()), conv);
        return page(filter, call.query("cursor"), call.limit())
                .thenApplyAsync(
                        rows -> Answers.object(200, out -> {
                            out.writeArrayFieldStart("items");
                            for (DeadLetterRow row : rows.items()) {
                                out.writeStartObject();
                                writeRowFields(out, row);
                                out.writeEndObject();
                            }
                            out.writeEndArray();
                            WireJson.writeText(out, "cursor", rows.cursor().orElse(null));
                        }),
                        edge.executor());
    }

    /** The queues whose letters this person may see; null for all. */
    static Set<String> queuesOf(Principal who) {
        return who.directsAllQueues() ? null : who.queues();
    }

    private CompletionStage<Rows<DeadLetterRow>> page(DeadLetterFilter filter, Optional<String> cursor, int limit) {
        Directory directory = edge.services().storage().directory();
        try {
            return directory.deadLetters(filter, cursor, limit);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid("cursor", "was not given by this list");
        }
    }

    private CompletionStage<HttpResponse> show(Call call) {
        return row(call).thenApplyAsync(row -> Answers.object(200, out -> writeFields(out, row)), edge.executor());
    }

    /** The row that the path names, if the caller may see it. */
    private CompletionStage<DeadLetterRow> row(Call call) {
        call.requireRole(Role.SUPERVISOR, Role.OPERATOR);
        Principal who = call.principal();
        return edge.services()
                .storage()
                .directory()
                .deadLetter(call.pathText("id"))
                .thenApply(row -> row.filter(found -> who.role() == Role.OPERATOR
                                || who.claimsQueue(found.letter().queue()))
                        .orElseThrow(() -> new RefusedException(notFound())));
    }

    private static Refusal notFound() {
        return Refusal.of(ErrorCode.NOT_FOUND, "There is no such dead letter.");
    }

    // ---- doing ----

    private CompletionStage<HttpResponse> retry(Call call) {
        String key = call.idempotencyKeyOrNew();
        Principal by = call.principal();
        String id = call.pathText("id");
        return change(call, Letter.State.DELIVERED, replyTo -> new RetryLetter(by, id, key, replyTo));
    }

    private CompletionStage<HttpResponse> discard(Call call) {
        String key = call.idempotencyKeyOrNew();
        Principal by = call.principal();
        String id = call.pathText("id");
        return change(call, Letter.State.DISCARDED, replyTo -> new DiscardLetter(by, id, key, replyTo));
    }

    /** {@code done}: the final state in which a repeat finds the letter when the request has been carried out. */
    private CompletionStage<HttpResponse> change(
            Call call, Letter.State done, Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        return row(call).thenCompose(row -> {
            if (row.letter().state().isFinal()) {
                return Edge.done(settled(row, done));
            }
            return edge.services()
                    .gateway()
                    .conversation(row.conv(), call.principal().person(), request)
                    .thenCompose(reply -> answer(call, row, done, reply));
        });
    }

    private CompletionStage<HttpResponse> answer(
            Call call, DeadLetterRow row, Letter.State done, ConversationReply reply) {
        if (reply instanceof ConversationReply.OfLetter now) {
            return Edge.done(changed(new DeadLetterRow(row.conv(), now.letter()), now.duplicate()));
        }
        if (reply instanceof ConversationReply.Refused refused) {
            // Between the look at the row and the request somebody else may have settled it.
            return refused.refusal().code() == ErrorCode.NOT_FOUND
                    ? row(call).thenApply(after -> settled(after, done))
                    : Edge.done(Answers.problem(refused.refusal()));
        }
        throw new IllegalStateException("not an answer to this request: " + reply);
    }

    private static HttpResponse settled(DeadLetterRow row, Letter.State done) {
        Letter letter = row.letter();
        return letter.state() == done
                ? changed(row, true)
                : Answers.problem(Refusal.of(
                                ErrorCode.LETTER_SETTLED,
                                "The dead letter is " + letter.state().wireName() + ".")
                        .withFact("state", letter.state().wireName()));
    }

    /** 202 while the receiver's terminal has yet to acknowledge it. */
    private static HttpResponse changed(DeadLetterRow row, boolean duplicate) {
        return Answers.object(row.letter().state() == Letter.State.RETRIED ? 202 : 200, out -> {
            writeFields(out, row);
            out.writeBooleanField("duplicate", duplicate);
        });
    }

    // ---- writing ----

    private static void writeRowFields(JsonGenerator out, DeadLetterRow row) throws IOException {
        Letter letter = row.letter();
        out.writeStringField("id", letter.id());
        out.writeStringField("conv", row.conv());
        out.writeStringField("queue", letter.queue());
        out.writeNumberField("seq", letter.seq());
        out.writeFieldName("receiver");
        WireJson.writePerson(out, letter.receiver());
        if (letter.sender() != null) {
            out.writeFieldName("sender");
            WireJson.writePerson(out, letter.sender());
        }
        WireJson.writeText(out, "clientMsgId", letter.clientMsgId());
        out.writeStringField("state", letter.state().wireName());
        out.writeStringField("policy", letter.policy().name().toLowerCase(Locale.ROOT));
        out.writeNumberField("attempt", letter.count());
        if (!letter.attempts().isEmpty()) {
            Letter.Attempt last = letter.attempts().get(letter.attempts().size() - 1);
            out.writeStringField("code", last.code());
            WireJson.writeText(out, "reason", last.reason());
        }
        time(out, "diedAt", letter.diedAt());
        time(out, "updatedAt", letter.at());
    }

    private static void writeFields(JsonGenerator out, DeadLetterRow row) throws IOException {
        Letter letter = row.letter();
        writeRowFields(out, row);
        time(out, "firstAt", letter.firstAt());
        time(out, "dueAt", letter.dueAt());
        out.writeArrayFieldStart("attempts");
        for (Letter.Attempt attempt : letter.attempts()) {
            out.writeStartObject();
            out.writeNumberField("attempt", attempt.number());
            time(out, "at", attempt.at());
            WireJson.writeText(out, "terminal", attempt.terminal());
            out.writeStringField("code", attempt.code());
            WireJson.writeText(out, "reason", attempt.reason());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeArrayFieldStart("actions");
        for (Letter.Action action : letter.actions()) {
            out.writeStartObject();
            out.writeStringField("action", action.what());
            out.writeFieldName("by");
            WireJson.writePerson(out, action.by());
            time(out, "at", action.at());
            out.writeStringField("key", action.key());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void time(JsonGenerator out, String name, Instant at) throws IOException {
        if (at != null) {
            out.writeStringField(name, WireJson.time(at));
        }
    }
}
