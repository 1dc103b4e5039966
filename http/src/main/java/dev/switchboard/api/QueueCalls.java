package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Role;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import dev.switchboard.routing.QueueSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The calls about queues. Thread-safe. Staff, services and operators see them; operators set them. A line that doesn't
 * answer in time is shown without its length, never as an empty one.
 */
final class QueueCalls {
    private final Edge edge;

    QueueCalls(Edge edge) {
        this.edge = edge;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("GET", "/queues", this::list)
                .add("GET", "/queues/{queue}", this::show)
                .add("PUT", "/queues/{queue}", this::put);
    }

    private record Shown(QueueSettings settings, Optional<LineReply> line) {}

    private CompletionStage<HttpResponse> list(Call call) {
        call.requireRole(Role.AGENT, Role.SUPERVISOR, Role.SERVICE, Role.OPERATOR);
        int limit = call.limit();
        String after = call.query("cursor", ConversationIds.QUEUE).orElse("");
        List<QueueSettings> rest = edge.services().queues().all().stream()
                .filter(settings -> settings.queue().compareTo(after) > 0)
                .sorted(Comparator.comparing(QueueSettings::queue))
                .toList();
        List<QueueSettings> page = rest.subList(0, Math.min(limit, rest.size()));
        String cursor = rest.size() > page.size() ? page.get(page.size() - 1).queue() : null;
        CompletionStage<List<Shown>> shown = CompletableFuture.completedFuture(new ArrayList<>());
        for (QueueSettings settings : page) {
            shown = shown.thenCombine(look(settings), (all, one) -> {
                all.add(one);
                return all;
            });
        }
        return shown.thenApplyAsync(
                all -> Answers.object(200, out -> {
                    out.writeArrayFieldStart("items");
                    for (Shown one : all) {
                        out.writeStartObject();
                        writeFields(out, one);
                        out.writeEndObject();
                    }
                    out.writeEndArray();
                    WireJson.writeText(out, "cursor", cursor);
                }),
                edge.executor());
    }

    private CompletionStage<HttpResponse> show(Call call) {
        call.requireRole(Role.AGENT, Role.SUPERVISOR, Role.SERVICE, Role.OPERATOR);
        String queue = call.queueName(ErrorCode.UNKNOWN_QUEUE);
        QueueSettings settings =
                edge.services().queues().find(queue).orElseThrow(() -> new RefusedException(Edge.unknownQueue(queue)));
        return answer(settings);
    }

    private CompletionStage<HttpResponse> put(Call call) {
        call.requireRole(Role.OPERATOR);
        String queue = call.queueName(ErrorCode.INVALID);
        JsonFields fields = call.fields();
        QueueSettings before = edge.services()
                .queues()
                .find(queue)
                .or(() -> edge.services().queues().find("default"))
                .orElseThrow(() -> new RefusedException(Edge.unknownQueue("default")));
        QueueSettings settings = WireJson.readQueue(queue, fields, before);
        return edge.services().queues().put(settings).thenCompose(stored -> answer(settings));
    }

    private CompletionStage<HttpResponse> answer(QueueSettings settings) {
        return look(settings)
                .thenApplyAsync(shown -> Answers.object(200, out -> writeFields(out, shown)), edge.executor());
    }

    private CompletionStage<Shown> look(QueueSettings settings) {
        return edge.services()
                .gateway()
                .line(settings.queue(), LineCommand.Show::new)
                .thenApply(reply -> new Shown(settings, reply));
    }

    private static void writeFields(JsonGenerator out, Shown shown) throws IOException {
        WireJson.writeQueueFields(out, shown.settings());
        if (shown.line().isPresent() && shown.line().get() instanceof LineReply.Shown line) {
            out.writeNumberField("length", line.length());
            if (line.oldest() != null) {
                out.writeStringField("oldest", WireJson.time(line.oldest()));
            }
            out.writeNumberField("desks", line.desks());
            out.writeNumberField("free", line.free());
        }
    }
}
