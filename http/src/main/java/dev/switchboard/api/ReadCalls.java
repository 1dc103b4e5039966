package dev.switchboard.api;

import dev.switchboard.api.AccessCheck.Sight;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.Status;
import dev.switchboard.delivery.TerminalPush.Preview;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/** The calls that read one conversation. Thread-safe. Who may see what is decided by {@link AccessCheck}. */
final class ReadCalls {
    private final Edge edge;
    private final History history;

    ReadCalls(Edge edge) {
        this.edge = edge;
        this.history = new History(edge.services().storage().entryLog());
    }

    RouteTable addTo(RouteTable table) {
        return table.add("GET", "/conversations/{conv}", this::show)
                .add("GET", "/conversations/{conv}/entries", this::entries)
                .add("GET", "/conversations/{conv}/messages/{clientMsgId}/status", new MessageStatus(edge)::show)
                .add("GET", "/conversations/{conv}/routing", this::routing);
    }

    // ---- the conversation ----

    private CompletionStage<HttpResponse> show(Call call) {
        String conv = call.conv();
        return edge.row(conv).thenCompose(row -> {
            Principal by = call.principal();
            return switch (AccessCheck.sight(AccessCheck.relation(by, row), row.status())) {
                case ALL, VISIBLE ->
                    edge.askKnown(conv, by.person(), replyTo -> new Describe(by, replyTo), ReadCalls::described);
                case PREVIEW -> history.lastWords(conv).thenApplyAsync(words -> preview(row, words), edge.executor());
                case FACTS -> Edge.done(Answers.object(200, out -> ConversationList.writeRowFields(out, row)));
                case NONE -> throw new RefusedException(ConversationCalls.notFound());
            };
        });
    }

    private static HttpResponse described(ConversationReply reply) {
        ConversationView view = ConversationCalls.expect(ConversationReply.Described.class, reply)
                .view();
        return Answers.object(200, out -> WireJson.writeConversationFields(out, view));
    }

    private static HttpResponse preview(ConversationRow row, Optional<Entry> words) {
        String text = words.map(entry -> History.cut(entry).body().text()).orElse(null);
        Preview preview = new Preview(row.customer(), row.queue(), text, row.openedAt(), Map.of());
        return Answers.object(200, out -> {
            ConversationList.writeRowFields(out, row);
            out.writeFieldName("preview");
            WireJson.writePreview(out, preview);
        });
    }

    // ---- its history ----

    private CompletionStage<HttpResponse> entries(Call call) {
        String conv = call.conv();
        long since = call.queryNumber("since", 0, Long.MAX_VALUE, -1);
        long before = call.queryNumber("before", 0, Long.MAX_VALUE, Long.MAX_VALUE);
        int limit = call.limit();
        return edge.row(conv)
                .thenCompose(row -> history.read(call.principal(), row, since, before, limit))
                .thenApplyAsync(ReadCalls::entries, edge.executor());
    }

    private static HttpResponse entries(History.Read read) {
        return Answers.object(200, out -> {
            out.writeArrayFieldStart("entries");
            for (Entry entry : read.entries()) {
                WireJson.writeEntry(out, entry);
            }
            out.writeEndArray();
            out.writeBooleanField("hasMore", read.hasMore());
            if (read.preview()) {
                out.writeBooleanField("preview", true);
            }
        });
    }

    // ---- why it went where it is ----

    private CompletionStage<HttpResponse> routing(Call call) {
        String conv = call.conv();
        Principal by = call.principal();
        return edge.row(conv).thenCompose(row -> {
            Sight sight = AccessCheck.sight(AccessCheck.relation(by, row), row.status());
            if (sight == Sight.NONE) {
                throw new RefusedException(ConversationCalls.notFound());
            }
            call.requireRole(Role.AGENT, Role.SUPERVISOR, Role.OPERATOR);
            CompletionStage<ConversationReply> described =
                    edge.services().gateway().conversation(conv, by.person(), replyTo -> new Describe(by, replyTo));
            return described.thenCombineAsync(
                    explained(row), (reply, line) -> routing(row, reply, line), edge.executor());
        });
    }

    private CompletionStage<Optional<LineReply>> explained(ConversationRow row) {
        return row.status() == Status.WAITING || row.status() == Status.OFFERED
                ? edge.services().gateway().line(row.queue(), replyTo -> new LineCommand.Explain(row.conv(), replyTo))
                : CompletableFuture.completedFuture(Optional.empty());
    }

    private static HttpResponse routing(ConversationRow row, ConversationReply reply, Optional<LineReply> line) {
        List<RoutingDecision> decisions = reply instanceof ConversationReply.Described described
                ? described.view().decisions()
                : List.of();
        return Answers.object(200, out -> {
            ConversationList.writeRowFields(out, row);
            out.writeArrayFieldStart("decisions");
            for (RoutingDecision decision : decisions) {
                WireJson.writeDecision(out, decision);
            }
            out.writeEndArray();
            if (line.isPresent() && line.get() instanceof LineReply.Explained explained) {
                out.writeObjectFieldStart("waiting");
                out.writeNumberField("position", explained.position());
                WireJson.writeText(out, "reason", explained.reason());
                WireJson.writeTexts(out, "considered", explained.considered());
                out.writeEndObject();
            }
        });
    }
}
