package dev.switchboard.server;

import com.typesafe.config.Config;
import dev.switchboard.api.WireJson;
import dev.switchboard.auth.Authentication;
import dev.switchboard.auth.OriginPolicy;
import dev.switchboard.auth.Verdict;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Role;
import dev.switchboard.server.doctor.OwnDoctor;
import dev.switchboard.server.shards.ShardOperations;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.japi.function.Function;

/**
 * The port for operators and for what watches the process. {@code /alive} and {@code /ready} are open to all, the rest
 * needs an operator's token. Thread-safe.
 */
final class ManagementPort {
    private static final ContentType JSON = ContentTypes.APPLICATION_JSON;
    private static final ContentType PROBLEM = ContentTypes.parse("application/problem+json");
    private static final ContentType PROMETHEUS = ContentTypes.parse("text/plain; version=0.0.4; charset=utf-8");
    private static final String BEARER = "bearer ";

    private final Readiness readiness;
    private final Supplier<Optional<Authentication>> people;
    private final Supplier<String> metrics;
    private final OwnDoctor doctor;
    private final OriginPolicy origins;
    private final OpsRoutes operations;
    private final ConsoleRoutes console;

    private ManagementPort(
            Readiness readiness,
            Supplier<Optional<Authentication>> people,
            Supplier<String> metrics,
            OwnDoctor doctor,
            OpsRoutes operations,
            ConsoleRoutes console,
            Config settings) {
        this.console = console;
        this.doctor = doctor;
        this.operations = operations;
        this.readiness = readiness;
        this.people = people;
        this.metrics = metrics;
        this.origins = new OriginPolicy(settings.getStringList("switchboard.management.allowed-origins"));
    }

    /**
     * Starts to listen. The stage fails when the port is taken.
     *
     * @param people empty as long as the start has not come so far; then only the open paths answer
     * @param metrics the figures in the text format of Prometheus
     * @param operations what operators do with shards and nodes; empty as long as the start has not come so far
     * @param console the operators' page, and the API for it
     * @param doctor who says what this process's context switches mean
     */
    static CompletionStage<ServerBinding> bind(
            ActorSystem<?> system,
            Readiness readiness,
            Supplier<Optional<Authentication>> people,
            Supplier<String> metrics,
            OwnDoctor doctor,
            Supplier<Optional<ShardOperations>> operations,
            ConsoleRoutes console,
            Config settings) {
        ManagementPort port = new ManagementPort(
                readiness,
                people,
                metrics,
                doctor,
                new OpsRoutes(system, operations, ManagementPort::problem),
                console,
                settings);
        Function<HttpRequest, CompletionStage<HttpResponse>> handler = request -> {
            String path = request.getUri().path();
            if (!OpsRoutes.isFor(path) && !console.isCall(path)) {
                request.discardEntityBytes(system);
            }
            return port.answer(request);
        };
        return Http.get(system)
                .newServerAt(
                        settings.getString("switchboard.management.host"),
                        settings.getInt("switchboard.management.port"))
                .bind(handler);
    }

    private CompletionStage<HttpResponse> answer(HttpRequest request) {
        return switch (request.getUri().path()) {
            case "/alive" -> done(get(request, () -> json(200, Map.of("alive", true))));
            case "/ready" -> readiness.ask().thenApply(a -> get(request, () -> ready(a)));
            case "/metrics" ->
                guarded(
                        request,
                        () -> get(
                                request,
                                () -> HttpResponse.create()
                                        .withEntity(PROMETHEUS, metrics.get().getBytes(StandardCharsets.UTF_8))));
            case "/ops/switches" -> guardedLater(request, () -> switches(request));
            default ->
                OpsRoutes.isFor(request.getUri().path())
                        ? guardedFor(request, who -> operations.answer(request, who))
                        : forConsole(request);
        };
    }

    private CompletionStage<HttpResponse> forConsole(HttpRequest request) {
        String path = request.getUri().path();
        if (console.isPage(path)) {
            return done(console.page(request));
        }
        return guardedLater(
                request,
                () -> console.isCall(path)
                        ? console.call(request)
                                .orElseGet(() -> done(problem(ErrorCode.OVERLOAD, "The node is still starting.")))
                        : done(problem(ErrorCode.NOT_FOUND, "There is nothing at this path.")));
    }

    private static HttpResponse ready(Readiness.Answer answer) {
        return answer.ready()
                ? json(200, Map.of("ready", true))
                : json(503, Map.of("ready", false, "reason", answer.reason()));
    }

    /** What the process's context switches mean; the first answer comes when a window is over, the next ones at once. */
    private CompletionStage<HttpResponse> switches(HttpRequest request) {
        if (!request.method().equals(HttpMethods.GET)) {
            return done(problem(ErrorCode.METHOD_NOT_ALLOWED, "This path is only for GET."));
        }
        String accept = Optional.ofNullable(header(request, "Accept")).orElse("");
        boolean words = accept.contains("text/") && !accept.contains("application/json");
        return doctor.ask().handle((report, failure) -> {
            if (failure != null) {
                return problem(ErrorCode.NOT_SUPPORTED, "The doctor can't see this process: " + failure.getMessage());
            }
            return words
                    ? HttpResponse.create().withEntity(ContentTypes.TEXT_PLAIN_UTF8, report.text())
                    : HttpResponse.create().withEntity(JSON, report.json().getBytes(StandardCharsets.UTF_8));
        });
    }

    private CompletionStage<HttpResponse> guarded(HttpRequest request, Supplier<HttpResponse> page) {
        return guardedLater(request, () -> done(page.get()));
    }

    private CompletionStage<HttpResponse> guardedLater(
            HttpRequest request, Supplier<CompletionStage<HttpResponse>> page) {
        return guardedFor(request, who -> page.get());
    }

    /** The page is told who asks. */
    private CompletionStage<HttpResponse> guardedFor(
            HttpRequest request, java.util.function.Function<String, CompletionStage<HttpResponse>> page) {
        String origin = header(request, "Origin");
        if (!origins.allows(origin, header(request, "Host"))) {
            return done(problem(ErrorCode.ORIGIN_REFUSED, "Pages of this origin may not call the management port."));
        }
        Optional<Authentication> known = people.get();
        if (known.isEmpty()) {
            return done(problem(ErrorCode.OVERLOAD, "The node is still starting."));
        }
        return known.get().verify(bearer(request)).thenCompose(verdict -> answer(verdict, page));
    }

    private static CompletionStage<HttpResponse> answer(
            Verdict verdict, java.util.function.Function<String, CompletionStage<HttpResponse>> page) {
        if (verdict instanceof Verdict.Denied denied) {
            return done(problem(denied.refusal().code(), denied.refusal().message())
                    .addHeader(HttpHeader.parse("WWW-Authenticate", "Bearer")));
        }
        return verdict instanceof Verdict.Verified verified
                        && verified.principal().role() == Role.OPERATOR
                ? page.apply(verified.principal().person().key())
                : done(problem(ErrorCode.FORBIDDEN, "This needs the token of an operator."));
    }

    private static String bearer(HttpRequest request) {
        String authorization = header(request, "Authorization");
        boolean fits = authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
        return fits ? authorization.substring(BEARER.length()).strip() : null;
    }

    private static String header(HttpRequest request, String name) {
        return request.getHeader(name).map(HttpHeader::value).orElse(null);
    }

    private static HttpResponse get(HttpRequest request, Supplier<HttpResponse> page) {
        boolean reads =
                request.method().equals(HttpMethods.GET) || request.method().equals(HttpMethods.HEAD);
        return reads ? page.get() : problem(ErrorCode.METHOD_NOT_ALLOWED, "This path is only for GET.");
    }

    private static HttpResponse problem(ErrorCode code, String detail) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "about:blank");
        fields.put("title", code.wireName());
        fields.put("status", code.httpStatus());
        fields.put("detail", detail);
        fields.put("code", code.wireName());
        fields.put("retryable", code.retryable());
        return json(code.httpStatus(), PROBLEM, fields);
    }

    private static HttpResponse json(int status, Map<String, Object> fields) {
        return json(status, JSON, fields);
    }

    private static HttpResponse json(int status, ContentType type, Map<String, Object> fields) {
        byte[] bytes = WireJson.json().valueToTree(fields).toString().getBytes(StandardCharsets.UTF_8);
        return HttpResponse.create().withStatus(status).withEntity(type, bytes);
    }

    private static CompletionStage<HttpResponse> done(HttpResponse response) {
        return CompletableFuture.completedFuture(response);
    }
}
