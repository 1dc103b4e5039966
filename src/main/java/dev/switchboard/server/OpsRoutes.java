package dev.switchboard.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.api.WireJson;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.delivery.NodeMessage.Answer;
import dev.switchboard.server.shards.ShardOperations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpMethod;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * What operators do with shards and nodes, over the management port. Whoever calls has been let in already. Thread-safe.
 *
 * <pre>
 * GET    /ops/shards                 nodes, shards, load; ?places=true: where each shard is
 * POST   /ops/shards/plans           {by, type?, atMost?}: a plan, to be looked at
 * POST   /ops/shards/moves           {plan} or {type?, shard, to}, perSecond?, atOnce?: begins
 * GET    /ops/shards/moves[/{id}]    the one under way, else the last; or that one
 * DELETE /ops/shards/moves           stops what is under way, a drain too
 * GET    /ops/nodes
 * POST   /ops/nodes/{node}/drain     {perSecond?, atOnce?, thenEnd?}
 * POST   /ops/nodes/{node}/resume
 * GET    /ops/operations             ?limit=: who did what, the newest first
 * </pre>
 */
final class OpsRoutes {
    /** Makes a problem of a code and a sentence. */
    interface Problems extends BiFunction<ErrorCode, String, HttpResponse> {}

    private static final String ROOT = "/ops/";
    private static final long MOST_BYTES = 64 * 1024;
    private static final long BODY_MILLIS = 5_000;
    private static final int USUAL_LIMIT = 20;
    private static final int MOST_LIMIT = 1_000;

    private final ActorSystem<?> system;
    private final Supplier<Optional<ShardOperations>> operations;
    private final Problems problems;

    /** @param operations empty as long as the node is starting */
    OpsRoutes(ActorSystem<?> system, Supplier<Optional<ShardOperations>> operations, Problems problems) {
        this.system = system;
        this.operations = operations;
        this.problems = problems;
    }

    /** Whether this path is one of these. */
    static boolean isFor(String path) {
        List<String> parts = partsOf(path);
        return path.startsWith(ROOT) && List.of("shards", "nodes", "operations").contains(parts.get(0));
    }

    private static List<String> partsOf(String path) {
        return path.startsWith(ROOT) ? List.of(path.substring(ROOT.length()).split("/", -1)) : List.of("");
    }

    /** Answers; {@code who} is role and id of the operator. */
    CompletionStage<HttpResponse> answer(HttpRequest request, String who) {
        Optional<ShardOperations> known = operations.get();
        if (known.isEmpty()) {
            return done(problems.apply(ErrorCode.OVERLOAD, "The node is still starting."));
        }
        return body(request)
                .thenCompose(body -> answer(known.get(), request, who, body))
                .exceptionally(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    return cause instanceof IllegalArgumentException
                            ? problems.apply(ErrorCode.INVALID, cause.getMessage())
                            : problems.apply(ErrorCode.INTERNAL, "This could not be done: " + cause.getMessage());
                });
    }

    private CompletionStage<HttpResponse> answer(ShardOperations ops, HttpRequest request, String who, JsonNode body) {
        List<String> parts = partsOf(request.getUri().path());
        Optional<String> second = parts.size() > 1 ? Optional.of(parts.get(1)) : Optional.empty();
        Optional<String> third = parts.size() > 2 ? Optional.of(parts.get(2)) : Optional.empty();
        HttpMethod method = request.method();
        return switch (parts.get(0) + second.map(word -> "/" + word).orElse("")) {
            case "shards" -> on(method, HttpMethods.GET, () -> ops.shards(isTrue(request, "places")));
            case "shards/plans" -> on(method, HttpMethods.POST, () -> ops.plan(who, body));
            case "shards/moves" -> moves(ops, method, who, third, body);
            case "nodes" -> on(method, HttpMethods.GET, ops::nodes);
            case "operations" -> on(method, HttpMethods.GET, () -> ops.log(limit(request)));
            default ->
                parts.get(0).equals("nodes") && third.isPresent()
                        ? node(ops, method, who, second.orElseThrow(), third.get(), body)
                        : nothing();
        };
    }

    private CompletionStage<HttpResponse> moves(
            ShardOperations ops, HttpMethod method, String who, Optional<String> id, JsonNode body) {
        if (method.equals(HttpMethods.GET)) {
            return shown(ops.operation(id));
        }
        if (method.equals(HttpMethods.DELETE)) {
            return shown(ops.stop(who));
        }
        return on(method, HttpMethods.POST, () -> ops.move(who, body));
    }

    private CompletionStage<HttpResponse> node(
            ShardOperations ops, HttpMethod method, String who, String node, String what, JsonNode body) {
        return switch (what) {
            case "drain" -> on(method, HttpMethods.POST, () -> ops.drain(who, node, body));
            case "resume" -> on(method, HttpMethods.POST, () -> ops.resume(who, node));
            default -> nothing();
        };
    }

    private CompletionStage<HttpResponse> on(
            HttpMethod method, HttpMethod wanted, Supplier<CompletionStage<Answer>> page) {
        return method.equals(wanted)
                ? shown(page.get())
                : done(problems.apply(ErrorCode.METHOD_NOT_ALLOWED, "This path is only for " + wanted.value() + "."));
    }

    private CompletionStage<HttpResponse> shown(CompletionStage<Answer> stage) {
        return stage.thenApply(answer -> {
            if (answer.status() < 300) {
                return HttpResponse.create()
                        .withStatus(answer.status())
                        .withEntity(
                                ContentTypes.APPLICATION_JSON, answer.content().getBytes(StandardCharsets.UTF_8));
            }
            return problems.apply(
                    codeOf(answer.status()),
                    read(answer.content()).path("detail").asText());
        });
    }

    private static ErrorCode codeOf(int status) {
        return switch (status) {
            case 400 -> ErrorCode.INVALID;
            case 404 -> ErrorCode.NOT_FOUND;
            case 409 -> ErrorCode.NOT_NOW;
            case 504 -> ErrorCode.TIMEOUT;
            default -> ErrorCode.JOURNAL_UNAVAILABLE;
        };
    }

    private CompletionStage<HttpResponse> nothing() {
        return done(problems.apply(ErrorCode.NOT_FOUND, "There is nothing at this path."));
    }

    private CompletionStage<JsonNode> body(HttpRequest request) {
        return request.entity()
                .withSizeLimit(MOST_BYTES)
                .toStrict(BODY_MILLIS, system)
                .thenApply(whole -> {
                    String text = whole.getData().utf8String();
                    JsonNode content = read(text.isBlank() ? "{}" : text);
                    if (!content.isObject()) {
                        throw new IllegalArgumentException("The body must be a JSON object.");
                    }
                    return content;
                });
    }

    private static JsonNode read(String text) {
        try {
            return WireJson.json().readTree(text);
        } catch (IOException e) {
            throw new IllegalArgumentException("The body is not JSON.", e);
        }
    }

    private static boolean isTrue(HttpRequest request, String name) {
        return request.getUri().query().get(name).map("true"::equals).orElse(false);
    }

    private static int limit(HttpRequest request) {
        String text = request.getUri().query().get("limit").orElse(String.valueOf(USUAL_LIMIT));
        if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MOST_LIMIT) {
            throw new IllegalArgumentException("limit must be from 1 to " + MOST_LIMIT + ".");
        }
        return Integer.parseInt(text);
    }

    private static CompletionStage<HttpResponse> done(HttpResponse response) {
        return CompletableFuture.completedFuture(response);
    }
}
