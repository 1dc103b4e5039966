package dev.switchboard.webhook;

import dev.switchboard.webhook.HookOutcome.Code;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.event.Logging;
import org.apache.pekko.event.LoggingAdapter;
import org.apache.pekko.http.javadsl.ClientTransport;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.settings.ConnectionPoolSettings;
import org.apache.pekko.stream.javadsl.Sink;

/**
 * Sends signed requests to one receiver, over a pool of connections that is this receiver's alone. Thread-safe; never blocks.
 *
 * <p>The pool has as many connections as its caller may have requests at once, so none ever waits in it: a request that was
 * given up can't be sent later, behind others.
 */
final class HookClient {
    /** How often a request is sent again at once when its connection breaks: one that was idle may have been closed. */
    private static final int RESENDS = 2;

    private static final long MAX_ANSWER_BYTES = 64 * 1024;

    private final ActorSystem<?> system;
    private final WebhookSettings.Receiver receiver;
    private final Duration timeout;
    private final InstantSource clock;
    private final ConnectionPoolSettings pool;
    private final LoggingAdapter log;

    /**
     * One attempt.
     *
     * @param outcome ends at the latest when the time is over; never fails
     * @param ended when the connection is free again, which may be later; never fails
     */
    record Exchange(CompletionStage<HookOutcome> outcome, CompletionStage<Done> ended) {}

    HookClient(
            ActorSystem<?> system,
            WebhookSettings settings,
            WebhookSettings.Receiver receiver,
            CheckedResolver.Lookup lookup,
            InstantSource clock) {
        this.system = system;
        this.receiver = receiver;
        this.timeout = receiver.timeout();
        this.clock = clock;
        this.log = Logging.getLogger(system.classicSystem(), HookClient.class);
        Executor blocking = system.dispatchers().lookup(DispatcherSelector.blocking());
        ClientTransport checked = ClientTransport.withCustomResolver(
                new CheckedResolver(new AddressPolicy(settings.allowed()), receiver.isEncrypted(), lookup, blocking));
        ConnectionPoolSettings defaults = ConnectionPoolSettings.create(system.classicSystem());
        this.pool = defaults.withMaxConnections(settings.connections())
                .withMinConnections(0)
                .withMaxOpenRequests(Integer.highestOneBit(settings.connections()) * 2)
                .withMaxRetries(0)
                .withPipeliningLimit(1)
                .withBaseConnectionBackoff(Duration.ZERO)
                .withMaxConnectionBackoff(Duration.ZERO)
                .withKeepAliveTimeout(settings.keepAlive())
                .withConnectionSettings(defaults.getConnectionSettings()
                        .withConnectingTimeout(receiver.timeout())
                        .withIdleTimeout(receiver.timeout())
                        .withTransport(checked));
    }

    /** The look-up of the machine. */
    static CheckedResolver.Lookup systemLookup() {
        return InetAddress::getAllByName;
    }

    /** Makes one attempt. {@code id} is the same for each attempt at the same entry. */
    Exchange post(String id, int attempt, byte[] body) {
        CompletableFuture<HookOutcome> outcome = new CompletableFuture<>();
        CompletionStage<HookOutcome> whole = send(id, attempt, body, RESENDS, outcome);
        CompletionStage<Done> ended = whole.handle((result, failure) -> {
            outcome.complete(failure == null ? result : failed(failure));
            return Done.getInstance();
        });
        outcome.completeOnTimeout(tooLate(), timeout.toMillis(), TimeUnit.MILLISECONDS);
        return new Exchange(outcome, ended);
    }

    private HookOutcome tooLate() {
        return new HookOutcome.Failed(Code.TIMEOUT, "no answer within " + timeout.toMillis() + " ms");
    }

    private CompletionStage<HookOutcome> send(
            String id, int attempt, byte[] body, int resends, CompletableFuture<HookOutcome> outcome) {
        CompletionStage<HookOutcome> sent = Http.get(system)
                .singleRequest(request(id, attempt, body), Http.get(system).defaultClientHttpsContext(), pool, log)
                .thenCompose(this::taken);
        return sent.handle((result, failure) -> {
                    boolean again = failure != null && !outcome.isDone() && resends > 0 && isBroken(failure);
                    return again ? send(id, attempt, body, resends - 1, outcome) : sent;
                })
                .thenCompose(next -> next);
    }

    private HttpRequest request(String id, int attempt, byte[] body) {
        long timestamp = clock.instant().getEpochSecond();
        return HttpRequest.POST(receiver.url().toASCIIString())
                .withEntity(HttpEntities.create(ContentTypes.APPLICATION_JSON, body))
                .addHeader(RawHeader.create("webhook-id", id))
                .addHeader(RawHeader.create("webhook-timestamp", Long.toString(timestamp)))
                .addHeader(RawHeader.create(
                        "webhook-signature", receiver.signature().header(id, timestamp, body)))
                .addHeader(RawHeader.create("webhook-attempt", Integer.toString(attempt)));
    }

    /** The status decides; the body is of no interest, but has to come before the connection is free. */
    private CompletionStage<HookOutcome> taken(HttpResponse answer) {
        int status = answer.status().intValue();
        HookOutcome outcome;
        if (status >= 200 && status < 300) {
            outcome = new HookOutcome.Delivered();
        } else if (status >= 300 && status < 400) {
            outcome = new HookOutcome.Failed(Code.REDIRECT, "HTTP " + status + ": redirects are not followed");
        } else {
            outcome = new HookOutcome.Failed(Code.STATUS, "HTTP " + status);
        }
        return answer.entity()
                .withSizeLimit(MAX_ANSWER_BYTES)
                .getDataBytes()
                .completionTimeout(timeout)
                .runWith(Sink.ignore(), system)
                .handle((done, failure) -> outcome);
    }

    private static boolean isBroken(Throwable failure) {
        return failed(failure).code() == Code.CONNECTION;
    }

    private static HookOutcome.Failed failed(Throwable failure) {
        Throwable cause = failure;
        while (true) {
            if (cause instanceof AddressRefusedException refused) {
                return new HookOutcome.Failed(Code.ADDRESS, refused.getMessage());
            }
            if (cause instanceof TimeoutException) {
                return new HookOutcome.Failed(Code.TIMEOUT, "nothing came in time");
            }
            if (cause.getCause() == null) {
                break;
            }
            cause = cause.getCause();
        }
        String what = cause instanceof CompletionException || cause.getMessage() == null
                ? cause.getClass().getSimpleName()
                : cause.getMessage();
        return new HookOutcome.Failed(Code.CONNECTION, what);
    }
}
