package dev.switchboard.server;

import dev.switchboard.api.HttpFigures;
import dev.switchboard.conversation.WriteAdmission;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.RepeatingGateway;
import dev.switchboard.delivery.Spooling;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.directory.WriteFigures;
import dev.switchboard.dispatcher.AffinityDispatcher;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.DeadLetterFigures;
import dev.switchboard.socket.Bye;
import dev.switchboard.socket.SocketFigures;
import dev.switchboard.webhook.HookOutcome;
import dev.switchboard.webhook.WebhookFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.pekko.actor.typed.ActorSystem;

/** The figures of a node, for Prometheus. Thread-safe. */
final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Kept only because the registry's hold on it is weak. */
    @SuppressWarnings({"unused", "FieldCanBeLocal"})
    private LaneMeters lanes;

    /** As above. */
    private final List<Object> kept = new ArrayList<>();

    Metrics() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        collections.bindTo(registry);
    }

    private void watch(HttpFigures http) {
        for (int statusClass = 1; statusClass <= 5; statusClass++) {
            int answers = statusClass;
            FunctionCounter.builder("switchboard.http.answers", http, f -> f.answers(answers))
                    .description("Calls answered, by the class of their status")
                    .tag("status", statusClass + "xx")
                    .register(registry);
        }
        counter("switchboard.http.rate.limited", "Calls refused with 429", http, HttpFigures::rateLimited);
        counter("switchboard.http.overloaded", "Calls refused with 503", http, HttpFigures::overloaded);
        gauge("switchboard.http.in.flight", "Calls being worked on", http, HttpFigures::inFlight);
    }

    /** Adds what the edge counts. Called once. */
    void watch(HttpFigures http, SocketFigures sockets) {
        TrafficMeters.bind(registry, registry.getPrometheusRegistry(), sockets.flow());
        watch(http);
        gauge(
                "switchboard.sockets.open",
                "Sockets that are open",
                sockets,
                f -> f.snapshot().open());
        gauge(
                "switchboard.sockets.without.hello",
                "Open sockets that have not said hello",
                sockets,
                f -> f.snapshot().withoutHello());
        counter(
                "switchboard.sockets.opened",
                "Sockets opened",
                sockets,
                f -> f.snapshot().opened());
        counter(
                "switchboard.sockets.refused",
                "Sockets refused",
                sockets,
                f -> f.snapshot().refused());
        counter(
                "switchboard.sockets.frames.in",
                "Frames received",
                sockets,
                f -> f.snapshot().framesIn());
        counter(
                "switchboard.sockets.frames.out",
                "Frames sent",
                sockets,
                f -> f.snapshot().framesOut());
        counter(
                "switchboard.sockets.errors",
                "Error frames sent",
                sockets,
                f -> f.snapshot().errors());
        counter(
                "switchboard.sockets.catch.up.reads",
                "Pages read from the journal for terminals that fell behind",
                sockets,
                f -> f.snapshot().catchUpReads());
        counter(
                "switchboard.sockets.connects.limited",
                "Sockets refused because too many were being opened",
                sockets,
                f -> f.snapshot().connectLimited());
        counter(
                "switchboard.sockets.ephemerals.dropped",
                "Typing and presence that were replaced by later ones or dropped for slow receivers",
                sockets,
                f -> f.snapshot().ephemeralsDropped());
        counter(
                "switchboard.sockets.held",
                "Times that a socket was read no further because its requests waited for answers",
                sockets,
                f -> f.snapshot().held());
        counter(
                "switchboard.sockets.unconvertible",
                "Pushes and replies left out because they could not be put into a terminal's form",
                sockets,
                f -> f.snapshot().unconvertible());
        for (Bye bye : Bye.values()) {
            FunctionCounter.builder(
                            "switchboard.sockets.closes",
                            sockets,
                            f -> f.snapshot().byes().get(bye))
                    .description(
                            "Sockets ended, by the reason that this side gave, or `client` and `lost` by the other side")
                    .tag("code", bye.wireName())
                    .register(registry);
        }
    }

    /** Adds what the webhooks count. Called once. */
    void watch(WebhookFigures webhooks) {
        counter(
                "switchboard.webhooks.delivered",
                "Requests that webhooks' receivers took",
                webhooks,
                WebhookFigures::delivered);
        gauge("switchboard.webhooks.under.way", "Webhooks' connections in use", webhooks, WebhookFigures::underWay);
        for (HookOutcome.Code code : HookOutcome.Code.values()) {
            FunctionCounter.builder("switchboard.webhooks.failed", webhooks, f -> f.failed(code))
                    .description("Attempts of webhooks that failed, by reason")
                    .tag("code", code.wireName())
                    .register(registry);
        }
    }

    /** Adds what the conversations of this node, and its shards, count. Called once. */
    void watch(DeliveryFigures deliveries, ActorSystem<?> system) {
        TrafficMeters.bind(registry, registry.getPrometheusRegistry(), deliveries);
        ShardMeters shards = new ShardMeters();
        shards.bindTo(registry, system, deliveries);
        kept.add(shards);
    }

    /** Adds what the directory knows of the whole cluster: dead letters and how old the oldest is, lines, desks. */
    void watch(Directory directory) {
        new HallMeters(directory).bindTo(registry.getPrometheusRegistry());
        Asked<DeadLetterFigures> letters = new Asked<>(directory::deadLetterFigures, new DeadLetterFigures(0, null));
        kept.add(letters);
        gauge(
                "switchboard.dead.letters",
                "Dead letters that are not settled",
                letters,
                f -> f.get().open());
        gauge(
                "switchboard.dead.letters.oldest.seconds",
                "How long ago the oldest dead letter that is not settled died",
                letters,
                f -> f.get().oldest() == null
                        ? 0
                        : Duration.between(f.get().oldest(), Instant.now()).toMillis() / 1000.0);
    }

    /** Adds what the storage counts. Called once. */
    void watch(SqlStorage storage) {
        WriteFigures writes = storage.writeFigures();
        counter(
                "switchboard.journal.writes",
                "Writes answered with success",
                writes,
                f -> f.view().writes());
        counter(
                "switchboard.journal.rows",
                "Events written",
                writes,
                f -> f.view().rows());
        counter(
                "switchboard.journal.batches",
                "Transactions committed",
                writes,
                f -> f.view().batches());
        counter(
                "switchboard.journal.failures",
                "Writes answered with a failure",
                writes,
                f -> f.view().failedWrites() + f.view().rejectedWrites());
        counter(
                "switchboard.journal.halvings",
                "Batches halved for bad rows",
                writes,
                f -> f.view().halvings());
        gauge(
                "switchboard.journal.waiting",
                "Writes that no batch has taken yet",
                writes,
                f -> f.view().waiting());
        gauge(
                "switchboard.journal.under.way",
                "Writes of open batches",
                writes,
                f -> f.view().underWay());
        Histograms.times(
                registry.getPrometheusRegistry(),
                "switchboard_journal_write_seconds",
                "How long writes take, from the event's arrival at the journal to the end of its transaction",
                Histograms.of(writes::latency));
        Histograms.counts(
                registry.getPrometheusRegistry(),
                "switchboard_journal_batch_rows",
                "How many events a committed transaction had",
                Histograms.of(writes::batchRows));
        gauge("switchboard.reads.waiting", "Reads that wait for a connection", storage, SqlStorage::waitingReads);
        counter("switchboard.reads.failures", "Reads that failed", storage, SqlStorage::failedReads);
        counter("switchboard.erasures", "Conversations erased", storage, SqlStorage::erasedConversations);
        counter("switchboard.erasures.rows", "Rows rewritten by erasures", storage, SqlStorage::erasedRows);
        counter(
                "switchboard.erasures.failures",
                "Erasures that failed; tried again",
                storage,
                SqlStorage::failedErasures);
        gauge("switchboard.erasures.open", "Erasures under way or waiting", storage, SqlStorage::openErasures);
    }

    /** Adds what the admission of writes and the gateway count. Called once. */
    void watch(WriteAdmission writes, RepeatingGateway gateway) {
        gauge("switchboard.writes.permits.used", "Conversations and desks that write", writes, WriteAdmission::held);
        gauge("switchboard.writes.permits.most", "How many wrote at once at most", writes, WriteAdmission::mostHeld);
        gauge("switchboard.writes.permits.limit", "How many may write at once", writes, WriteAdmission::limit);
        counter(
                "switchboard.writes.steps.put.off",
                "Steps that found no room and tried again",
                writes,
                WriteAdmission::stepsPutOff);
        for (WriteAdmission.Reason reason : WriteAdmission.Reason.values()) {
            refusals(reason.wireName(), writes, w -> w.refused(reason));
        }
        refusals("pending-total", gateway, RepeatingGateway::refusedForAll);
        refusals("pending-per-sender", gateway, RepeatingGateway::refusedForSender);
        gauge("switchboard.gateway.pending", "Requests that are open", gateway, RepeatingGateway::pending);
    }

    private <T> void refusals(String reason, T source, ToDoubleFunction<T> read) {
        FunctionCounter.builder("switchboard.requests.refused", source, read)
                .description("Requests of people refused for want of room or of the journal, by reason")
                .tag("reason", reason)
                .register(registry);
    }

    /** Adds what the spool counts. Called once. */
    void watch(Spooling spool) {
        gauge(
                "switchboard.spool.posts",
                "Posts in the spool",
                spool,
                s -> s.figures().posts());
        gauge(
                "switchboard.spool.bytes",
                "Bytes of the posts in the spool",
                spool,
                s -> s.figures().bytes());
        gauge("switchboard.spool.senders", "Senders with posts in the spool", spool, Spooling::senders);
        gauge(
                "switchboard.spool.oldest.seconds",
                "How long the oldest post has been in the spool",
                spool,
                Spooling::oldestSeconds);
        counter("switchboard.spool.kept", "Posts answered with `spooled`", spool, Spooling::keptPosts);
        counter("switchboard.spool.full", "Posts refused because the spool was full", spool, Spooling::refusedFull);
        settled("accepted", spool, Spooling::sentAccepted);
        settled("refused", spool, Spooling::sentRefused);
    }

    private void settled(String outcome, Spooling spool, ToDoubleFunction<Spooling> read) {
        FunctionCounter.builder("switchboard.spool.settled", spool, read)
                .description("Posts that left the spool, by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Adds what the lanes of a dispatcher count. Called once. */
    void watch(AffinityDispatcher dispatcher) {
        lanes = new LaneMeters(dispatcher);
        lanes.bindTo(registry, registry.getPrometheusRegistry());
    }

    private <T> void counter(String name, String description, T source, ToDoubleFunction<T> read) {
        FunctionCounter.builder(name, source, read).description(description).register(registry);
    }

    private <T> void gauge(String name, String description, T source, ToDoubleFunction<T> read) {
        Gauge.builder(name, source, read).description(description).register(registry);
    }

    /** All figures now, in the text format of Prometheus. */
    String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
