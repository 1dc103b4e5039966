package dev.switchboard.api;

import dev.switchboard.auth.Authentication;
import dev.switchboard.auth.Authenticator;
import dev.switchboard.auth.OriginPolicy;
import dev.switchboard.auth.Verdict;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.Services;
import dev.switchboard.ports.StorageUnavailableException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.scaladsl.model.IllegalUriException;
import org.apache.pekko.stream.StreamLimitReachedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP API. Thread-safe; never blocks.
 *
 * <p>A call passes these gates in order, and the first that refuses it answers: the number of calls at once, the
 * browser's
 * {@code Origin}, the address and method, the token, the caller's rate, the size and type of the body, the fields, the
 * relation to the conversation. Everything that goes wrong, inside or outside, is answered as a problem document.
 */
public final class ApiRoutes extends AllDirectives {
    /** The path that all calls begin with. */
    public static final String BASE = "/api/v1";

    private static final Logger LOG = LoggerFactory.getLogger(ApiRoutes.class);
    private static final String BEARER = "bearer ";
    private static final RouteTable.Found PREFLIGHT =
            new RouteTable.Found(call -> CompletableFuture.completedFuture(CrossOrigin.preflight()), Map.of());
    private static final Duration DATABASE_RETRY = Duration.ofSeconds(2);

    private final HttpSettings settings;
    private final RequestBodies bodies;
    private final Authenticator authenticator;
    private final OriginPolicy origins;
    private final AccessCheck access;
    private final RateLimit people;
    private final RateLimit services;
    private final RouteTable table;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final HttpFigures figures = new HttpFigures(inFlight::get);

    public ApiRoutes(ActorSystem<?> system, Services services, Authentication authentication, HttpSettings settings) {
        this(system, services, authentication, settings, System::nanoTime);
    }

    /** The same with another clock for the callers' rates, in nanoseconds. */
    ApiRoutes(
            ActorSystem<?> system,
            Services services,
            Authentication authentication,
            HttpSettings settings,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.bodies = new RequestBodies(system, settings);
        this.authenticator = authentication;
        this.origins = authentication.origins();
        this.access = new AccessCheck(services.storage().directory());
        this.people = limit(settings.rate(), nanoClock);
        this.services = limit(settings.serviceRate(), nanoClock);
        Edge edge = new Edge(services, access, settings, system.executionContext());
        this.table = new RouteTable();
        new ConversationCalls(edge).addTo(table);
        new ConversationList(edge).addTo(table);
        new ReadCalls(edge).addTo(table);
        new AgentCalls(edge).addTo(table);
        new QueueCalls(edge).addTo(table);
        new DeadLetterCalls(edge).addTo(table);
        new BulkRetryCalls(edge).addTo(table);
        new RevocationCalls(edge, authentication.revocations(), InstantSource.system()).addTo(table);
    }

    private static RateLimit limit(HttpSettings.Rate rate, LongSupplier nanoClock) {
        return new RateLimit(rate.perSecond(), rate.burst(), nanoClock);
    }

    /**
     * Everything below {@link #BASE}: the documents and the calls. It answers every request there, also with a
     * refusal.
     */
    public Route route() {
        return pathPrefix("api", () -> pathPrefix("v1", () -> concat(Documents.route(), handle(this::handle))));
    }

    /** What is counted. */
    public HttpFigures figures() {
        return figures;
    }

    RouteTable table() {
        return table;
    }

    CompletionStage<HttpResponse> handle(HttpRequest request) {
        if (inFlight.incrementAndGet() > settings.maxInFlight()) {
            inFlight.decrementAndGet();
            bodies.drain(request);
            HttpResponse answer =
                    Answers.problem(Refusal.of(ErrorCode.OVERLOAD, "this node has too many calls to work on"));
            figures.answered(answer.status().intValue());
            return CompletableFuture.completedFuture(answer);
        }
        return admit(request)
                .whenComplete((admitted, failure) -> {
                    if (failure != null) {
                        bodies.drain(request);
                    }
                })
                .thenCompose(admitted -> work(request, admitted))
                .exceptionally(failure -> refused(request, failure))
                .thenApply(answer -> {
                    inFlight.decrementAndGet();
                    figures.answered(answer.status().intValue());
                    String origin = header(request, "Origin");
                    return origin != null && allows(request, origin) ? CrossOrigin.allow(answer, origin) : answer;
                });
    }

    /** A call that has passed every gate before its body. */
    private record Admitted(RouteTable.Found call, Principal principal) {}

    private CompletionStage<Admitted> admit(HttpRequest request) {
        try {
            checkOrigin(request);
            if (CrossOrigin.isPreflight(request)) {
                return CompletableFuture.completedFuture(new Admitted(PREFLIGHT, null));
            }
            RouteTable.Found call = table.find(request.method().value(), segments(request));
            return authenticator.verify(token(request)).thenApply(verdict -> new Admitted(call, admitted(verdict)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<HttpResponse> work(HttpRequest request, Admitted admitted) {
        RouteTable.Found found = admitted.call();
        if (admitted.principal() == null) {
            return found.handler().handle(null);
        }
        CompletionStage<byte[]> read = bodies.read(request);
        return access.resolve(admitted.principal())
                .thenCombine(read, (who, body) -> new Call(who, request, found.variables(), body))
                .thenCompose(call -> found.handler().handle(call));
    }

    private void checkOrigin(HttpRequest request) {
        String origin = header(request, "Origin");
        if (!allows(request, origin)) {
            throw new RefusedException(
                    Refusal.of(ErrorCode.ORIGIN_REFUSED, "pages from " + Answers.oneLine(origin) + " may not call"));
        }
    }

    private boolean allows(HttpRequest request, String origin) {
        return origins.allows(origin, header(request, "Host"));
    }

    private static String header(HttpRequest request, String name) {
        return request.getHeader(name).map(HttpHeader::value).orElse(null);
    }

    /** The path's segments behind {@link #BASE}, decoded. */
    private static List<String> segments(HttpRequest request) {
        List<String> segments = new ArrayList<>(8);
        request.getUri().pathSegments().forEach(segments::add);
        return segments.subList(Math.min(2, segments.size()), segments.size());
    }

    private static String token(HttpRequest request) {
        String value = header(request, "Authorization");
        if (value == null || !value.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw new RefusedException(
                    Refusal.of(ErrorCode.UNAUTHORIZED, "the call needs the header 'Authorization: Bearer TOKEN'"));
        }
        return value.substring(BEARER.length()).strip();
    }

    private Principal admitted(Verdict verdict) {
        if (verdict instanceof Verdict.Verified verified) {
            takeRate(verified.principal());
            return verified.principal();
        }
        throw new RefusedException(((Verdict.Denied) verdict).refusal());
    }

    private void takeRate(Principal who) {
        boolean actsForMany = who.role() == Role.SERVICE || who.role() == Role.OPERATOR;
        Duration wait = (actsForMany ? services : people).take(who.person().key());
        if (!wait.isZero()) {
            throw new RefusedException(Refusal.of(ErrorCode.RATE_LIMITED, "this caller calls too often")
                    .retryAfter(wait));
        }
    }

    // ---- what goes wrong ----

    private HttpResponse refused(HttpRequest request, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof RefusedException refused) {
            return Answers.problem(refused.refusal());
        }
        if (cause instanceof StreamLimitReachedException) {
            return Answers.problem(bodies.tooLarge().refusal());
        }
        if (cause instanceof TimeoutException) {
            return Answers.problem(Refusal.of(
                    ErrorCode.TIMEOUT,
                    "the body did not arrive within " + settings.bodyTimeout().toSeconds() + " s"));
        }
        if (cause instanceof IllegalUriException) {
            return Answers.problem(Refusal.of(ErrorCode.MALFORMED, "the address can't be read"));
        }
        if (cause instanceof StorageUnavailableException) {
            return Answers.problem(Refusal.of(ErrorCode.JOURNAL_UNAVAILABLE, "the database can't answer now")
                    .retryAfter(DATABASE_RETRY));
        }
        LOG.error("{} {} failed", request.method().value(), request.getUri().path(), cause);
        return Answers.problem(Refusal.of(ErrorCode.INTERNAL, "the server made a mistake; it is in the log"));
    }
}
