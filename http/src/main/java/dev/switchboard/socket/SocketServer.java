package dev.switchboard.socket;

import dev.switchboard.api.AccessCheck;
import dev.switchboard.api.Answers;
import dev.switchboard.api.History;
import dev.switchboard.auth.Authentication;
import dev.switchboard.auth.OriginPolicy;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.Standing;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.AttributeKeys;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.ws.WebSocketUpgrade;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.PathMatchers;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.util.ByteString;

/**
 * The sockets of a node: the route that opens them, and what concerns all of them. Thread-safe.
 *
 * <p>Pekko HTTP neither counts nor ends upgraded connections, so both are done here: {@link #closeAll} before the HTTP
 * server ends.
 */
public final class SocketServer {
    private final SocketContext context;
    private final OriginPolicy origins;
    private final Flow<ByteString, ByteString, NotUsed> json;
    private final Flow<ByteString, ByteString, NotUsed> cbor;

    private SocketServer(SocketContext context, OriginPolicy origins) {
        this.context = context;
        this.origins = origins;
        this.json = Flow.fromGraph(new TerminalStage(context, Subprotocol.JSON));
        this.cbor = Flow.fromGraph(new TerminalStage(context, Subprotocol.CBOR));
    }

    /** The sockets of a node, by the settings in the actor system's configuration. */
    public static SocketServer create(
            ActorSystem<?> system, Services services, Authentication authentication, Standing standing) {
        return create(
                system,
                services,
                authentication,
                SocketSettings.of(system.settings().config()),
                standing,
                Subprotocol::codec);
    }

    /** The sockets of a node, each subprotocol with that codec. */
    static SocketServer create(
            ActorSystem<?> system,
            Services services,
            Authentication authentication,
            SocketSettings settings,
            Standing standing,
            Function<Subprotocol, TerminalCodec> codecs) {
        SocketRegistry registry = new SocketRegistry();
        authentication.revocations().onChange(registry::revoked);
        services.gateway().spooling().ifPresent(spooling -> spooling.onSettled(registry::settled));
        SocketFigures figures = new SocketFigures();
        SocketContext context = new SocketContext(
                settings,
                services,
                new AccessCheck(services.storage().directory()),
                new History(services.storage().entryLog()),
                authentication,
                registry,
                figures,
                new Admission(settings, figures, System::nanoTime),
                new ServerFrames(new FrameCodec(Subprotocol.JSON, codecs.apply(Subprotocol.JSON))),
                new ServerFrames(new FrameCodec(Subprotocol.CBOR, codecs.apply(Subprotocol.CBOR))),
                system.ignoreRef(),
                kept(() -> services.storage().directory().logId()),
                standing);
        return new SocketServer(context, authentication.origins());
    }

    /** Asks once and keeps the answer; a failure is not kept. */
    private static Supplier<CompletionStage<String>> kept(Supplier<CompletionStage<String>> question) {
        AtomicReference<CompletionStage<String>> known = new AtomicReference<>();
        return () -> {
            CompletionStage<String> before = known.get();
            if (before != null) {
                return before;
            }
            CompletionStage<String> asked = question.get();
            asked.whenComplete((answer, failure) -> {
                if (failure == null) {
                    known.set(asked);
                }
            });
            return asked;
        };
    }

    /** {@code GET /api/v1/socket}. */
    public Route route() {
        return new Routes().socket(this::open);
    }

    private HttpResponse open(HttpRequest request) {
        HttpResponse answer = answer(request);
        if (answer.status().intValue() != 101) {
            context.figures().refused();
        }
        return answer;
    }

    private HttpResponse answer(HttpRequest request) {
        String origin = header(request, "Origin");
        if (!origins.allows(origin, header(request, "Host"))) {
            return problem(ErrorCode.ORIGIN_REFUSED, "pages of " + origin + " may not use this server");
        }
        Optional<WebSocketUpgrade> upgrade = request.getAttribute(AttributeKeys.webSocketUpgrade);
        if (upgrade.isEmpty()) {
            return problem(ErrorCode.INVALID, "this address takes WebSocket handshakes only");
        }
        Optional<Subprotocol> subprotocol = Subprotocol.choose(upgrade.get().getRequestedProtocols());
        if (subprotocol.isEmpty()) {
            return problem(ErrorCode.UNSUPPORTED_SUBPROTOCOL, "offer switchboard.v1.json or switchboard.v1.cbor");
        }
        if (context.registry().isClosing()) {
            return Answers.problem(Refusal.of(ErrorCode.SHUTTING_DOWN, "this node stops serving")
                    .retryAfter(context.admission().hint()));
        }
        Refusal full = context.admission().refusal();
        if (full != null) {
            return Answers.problem(full);
        }
        return RawUpgrade.accept(
                upgrade.get(), subprotocol.get().wireName(), subprotocol.get() == Subprotocol.JSON ? json : cbor);
    }

    private static String header(HttpRequest request, String name) {
        return request.getHeader(name).map(HttpHeader::value).orElse(null);
    }

    private static HttpResponse problem(ErrorCode code, String message) {
        return Answers.problem(Refusal.of(code, message));
    }

    /**
     * Ends every socket with that code and refuses new ones from now on; the clients are told to come back at moments
     * spread over {@code spread}. The stage is complete when the last one has ended, at the latest after
     * {@code switchboard.socket.close-timeout}.
     */
    public CompletionStage<Done> closeAll(Bye code, Duration spread) {
        return context.registry().closeAll(code, spread);
    }

    /** Takes new sockets again after {@link #closeAll}. */
    public void reopen() {
        context.registry().reopen();
    }

    /** How many sockets are open. */
    public int open() {
        return context.registry().size();
    }

    /** What the sockets have done so far. */
    public SocketFigures figures() {
        return context.figures();
    }

    private static final class Routes extends AllDirectives {
        Route socket(Function<HttpRequest, HttpResponse> open) {
            return path(
                    PathMatchers.segment("api").slash("v1").slash("socket"),
                    () -> get(() -> extractRequest(request -> complete(open.apply(request)))));
        }
    }
}
