package dev.switchboard.api;

import com.typesafe.config.Config;
import dev.switchboard.auth.AuthSettings;
import dev.switchboard.auth.Authentication;
import dev.switchboard.console.Pages;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.Standing;
import dev.switchboard.socket.Bye;
import dev.switchboard.socket.SocketFigures;
import dev.switchboard.socket.SocketServer;
import dev.switchboard.webhook.WebhookFigures;
import dev.switchboard.webhook.WebhookSettings;
import dev.switchboard.webhook.Webhooks;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.javadsl.settings.ParserSettings;
import org.apache.pekko.http.javadsl.settings.ServerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The edge of a node: one port with the API, the socket and the pages. Thread-safe. {@link #start} listens; {@link
 * #unbind}
 * and then {@link #drain} end it in order.
 */
public final class HttpHouse {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHouse.class);

    private final ServerBinding binding;
    private final ApiRoutes api;
    private final SocketServer sockets;
    private final Authentication authentication;
    private final Webhooks webhooks;
    private final HttpSettings settings;

    private HttpHouse(
            ServerBinding binding,
            ApiRoutes api,
            SocketServer sockets,
            Authentication authentication,
            Webhooks webhooks,
            HttpSettings settings) {
        this.binding = binding;
        this.api = api;
        this.sockets = sockets;
        this.authentication = authentication;
        this.webhooks = webhooks;
        this.settings = settings;
    }

    /**
     * Listens on {@code switchboard.http.host} and {@code port}. The stage fails with a {@link BindException} of one
     * clear
     * line when that can't be; an IllegalArgumentException names a key that can't be read.
     */
    public static CompletionStage<HttpHouse> start(ActorSystem<?> system, Services services, Standing standing) {
        Config config = system.settings().config();
        HttpSettings settings = HttpSettings.of(config);
        AuthSettings auth = AuthSettings.of(config);
        WebhookSettings webhookSettings = WebhookSettings.of(config);
        Authentication authentication =
                Authentication.start(system, auth, services.storage().directory());
        SocketServer sockets = SocketServer.create(system, services, authentication, standing);
        ApiRoutes api = new ApiRoutes(system, services, authentication, settings);
        Pages pages =
                new Pages(auth.mode() == AuthSettings.Mode.NONE, config.getStringList("switchboard.pages.media-hosts"));
        Route route = WholeRoute.of(
                settings, sockets.route(), WholeRoute.whileStanding(standing, api.route()), pages.route());
        return Http.get(system)
                .newServerAt(settings.host(), settings.port())
                .withSettings(serverSettings(system, settings))
                .bind(route)
                .thenApply(binding -> {
                    LOG.info("HTTP listens on {}", binding.localAddress());
                    Webhooks webhooks = Webhooks.start(system, services, webhookSettings, standing);
                    return new HttpHouse(binding, api, sockets, authentication, webhooks, settings);
                })
                .exceptionally(failure -> {
                    authentication.close();
                    throw new CompletionException(bindFailure(settings, failure));
                });
    }

    private static BindException bindFailure(HttpSettings settings, Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        BindException clear = new BindException("cannot listen on " + settings.host() + ":" + settings.port() + ": "
                + Answers.oneLine(cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        clear.initCause(failure);
        return clear;
    }

    static ServerSettings serverSettings(ActorSystem<?> system, HttpSettings settings) {
        ServerSettings defaults = ServerSettings.create(system.classicSystem());
        // A stranger's headers neither fill the log, nor does each connection keep those it has seen.
        ParserSettings parser = defaults.getParserSettings()
                .withIllegalHeaderWarnings(false)
                .withHeaderValueCacheLimits(Map.of("default", 0))
                .withMaxContentLength(settings.maxRequestBytes());
        return defaults.withParserSettings(parser)
                .withParsingErrorHandler(UnreadableRequests.class.getName())
                .withMaxConnections(settings.maxConnections())
                .withServerHeader(Optional.empty())
                .withBacklog(Math.min(settings.maxConnections(), 1024))
                .withTimeouts(defaults.getTimeouts()
                        .withIdleTimeout(scala(settings.idleTimeout()))
                        .withRequestTimeout(scala(settings.requestTimeout())));
    }

    private static scala.concurrent.duration.FiniteDuration scala(Duration duration) {
        return scala.concurrent.duration.FiniteDuration.apply(
                duration.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
    }

    /** The address that it listens on. */
    public InetSocketAddress localAddress() {
        return binding.localAddress();
    }

    /** The port that it listens on. */
    public int localPort() {
        return binding.localAddress().getPort();
    }

    /** The API's calls, for another port that has let a caller in; each still checks who calls. */
    public Function<HttpRequest, CompletionStage<HttpResponse>> calls() {
        return api::handle;
    }

    /** What the API counts. */
    public HttpFigures figures() {
        return api.figures();
    }

    /** What the sockets count. */
    public SocketFigures socketFigures() {
        return sockets.figures();
    }

    /** What the webhooks count. */
    public WebhookFigures webhookFigures() {
        return webhooks.figures();
    }

    /** Who calls. */
    public Authentication authentication() {
        return authentication;
    }

    /** How many sockets are open. */
    public int openSockets() {
        return sockets.open();
    }

    /**
     * Sends the sockets to other nodes and takes no new ones; calls over HTTP are answered as before. Completes when the
     * last one has ended.
     *
     * @param spread over how much time the clients are told to come back
     */
    public CompletionStage<Done> sendSocketsAway(Duration spread) {
        return sockets.closeAll(Bye.DRAINING, spread);
    }

    /** Takes sockets again after {@link #sendSocketsAway}. */
    public void takeSocketsBack() {
        sockets.reopen();
    }

    /** Takes no further connections; those that are open go on. */
    public CompletionStage<Done> unbind() {
        return binding.unbind();
    }

    /**
     * Ends what is open, after {@link #unbind}: sockets are told to come back within {@code
     * switchboard.http.return-within}
     * and closed, and calls in progress end within {@code switchboard.http.drain-timeout}.
     */
    public CompletionStage<Done> drain() {
        return sockets.closeAll(Bye.RESTART, settings.returnWithin())
                .thenCompose(closed -> binding.terminate(settings.drainTimeout()))
                .thenApply(terminated -> {
                    authentication.close();
                    return Done.getInstance();
                });
    }
}
