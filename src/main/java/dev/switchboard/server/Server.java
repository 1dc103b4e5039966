package dev.switchboard.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValueFactory;
import dev.switchboard.api.HttpHouse;
import dev.switchboard.auth.Authentication;
import dev.switchboard.conversation.WriteAdmission;
import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.RepeatingGateway;
import dev.switchboard.delivery.Services;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.directory.StorageStartException;
import dev.switchboard.dispatcher.AffinityDispatcher;
import dev.switchboard.journal.StorageSetup;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.Storage;
import dev.switchboard.server.cluster.ClusterSettings;
import dev.switchboard.server.cluster.Membership;
import dev.switchboard.server.cluster.StandstillWatch;
import dev.switchboard.server.doctor.OwnDoctor;
import dev.switchboard.server.shards.OperationsOfNode;
import dev.switchboard.server.shards.ShardOperations;
import dev.switchboard.spool.MvSpool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node: storage, actors, edge and management port, started and ended in an order in which nothing that was accepted
 * is lost. Thread-safe; {@link #start} blocks, the rest doesn't.
 *
 * <p>The start: settings, data folder, ports, storage, management port, cluster, actors, edge; {@code /ready} says how
 * far it has come. The end, as phases of Pekko's coordinated shutdown:
 *
 * <pre>
 * before-service-unbind     /ready answers 503, so that a load balancer turns away
 * service-unbind            no new connections
 * service-requests-done     sockets get `bye restart`, calls in flight are answered
 * cluster-sharding-…        entities finish their write and stop
 * actor-system-terminate    then the storage is closed and the data folder let go
 * </pre>
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final Duration LISTEN_DEADLINE = Duration.ofSeconds(10);
    private static final long ABANDON_DEADLINE_SECONDS = 20;

    /** What was opened, the last first; closed in that order when the node ends or its start fails. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private final Readiness readiness = new Readiness();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Config settings;
    private ActorSystem<Void> system;
    private ServerBinding management;
    private HttpHouse edge;
    private volatile Authentication authentication;
    private volatile ShardOperations operations;
    private volatile Function<HttpRequest, CompletionStage<HttpResponse>> calls;

    private Server(Config settings) {
        this.settings = settings;
    }

    /**
     * Starts a node with these settings, which were checked by {@code SettingsLoader}, and returns when it serves.
     * Throws StartFailure with one line when an operator can mend what stopped it; nothing is left open then.
     */
    public static Server start(Config settings) {
        Server server = new Server(settings);
        try {
            server.start();
            return server;
        } catch (RuntimeException e) {
            server.abandon();
            throw e;
        }
    }

    private void start() {
        StartChecks.settingsFitTogether(settings);
        keep(DataFolder.hold(Path.of(settings.getString("switchboard.data-dir"))));
        StartChecks.portsAreFree(settings);
        SqlStorage storage = openStorage();
        keep(storage);
        Spool spool = openSpool();
        keep(spool);
        system =
                ActorSystem.create(Behaviors.empty(), "switchboard", StorageSetup.of(storage, pekkoSettings(settings)));
        system.getWhenTerminated().whenComplete((done, failure) -> closeOpened());
        // Its many small beans take a while to be found: not on the way of the start.
        CompletableFuture<Metrics> metrics = CompletableFuture.supplyAsync(Metrics::new, system.executionContext());
        keep(() -> metrics.join().close());
        OwnDoctor doctor = doctor();
        keep(doctor);
        management = await(
                "to listen on the management port",
                LISTEN_DEADLINE,
                () -> ManagementPort.bind(
                        system,
                        readiness,
                        () -> Optional.ofNullable(authentication),
                        () -> metrics.join().scrape(),
                        doctor,
                        () -> Optional.ofNullable(operations),
                        new ConsoleRoutes(
                                settings.getString("switchboard.auth.mode").equals("none"),
                                () -> Optional.ofNullable(calls)),
                        settings),
                failure -> StartChecks.portTaken("switchboard.management", settings, failure));
        readiness.starting("joining the cluster");
        Membership membership = new Membership(system, storage.fence());
        await(
                "to become a member of the cluster",
                settings.getDuration("switchboard.cluster.join-deadline"),
                () -> membership.join(ClusterSettings.of(settings)),
                Server::unexpected);
        storage.fence()
                .whenBarred()
                .thenRun(() -> CoordinatedShutdown.get(system).runAll(Barred.INSTANCE));
        StandstillWatch standing = new StandstillWatch(
                storage.fence()::stillOpen, settings.getDuration("switchboard.cluster.standstill-limit"));
        keep(standing);
        readiness.starting("starting the actors");
        Services services = startActors(storage.storage().with(spool), membership);
        edge = await(
                "to listen on the HTTP port",
                LISTEN_DEADLINE,
                () -> HttpHouse.start(system, services, standing),
                failure -> StartChecks.portTaken("switchboard.http", settings, failure));
        await(
                "to find the shards",
                settings.getDuration("switchboard.cluster.join-deadline"),
                () -> ActorHouse.whenReachable(system, settings.getDuration("switchboard.cluster.join-deadline")),
                Server::unexpected);
        operations = operations(services, storage);
        calls = edge.calls();
        authentication = edge.authentication();
        CompletionStage<Metrics> found = metrics;
        found.whenComplete((figures, failure) -> {
            if (failure == null) {
                figures.watch(edge.figures(), edge.socketFigures());
                figures.watch(edge.webhookFigures());
                figures.watch(storage);
                figures.watch(services.deliveries(), system);
                figures.watch(services.storage().directory());
                if (services.gateway() instanceof RepeatingGateway gateway) {
                    figures.watch(WriteAdmission.of(system), gateway);
                }
                services.gateway().spooling().ifPresent(figures::watch);
                figures.watch((AffinityDispatcher)
                        system.dispatchers().lookup(DispatcherSelector.fromConfig(ActorHouse.DISPATCHER)));
            } else {
                LOG.warn("there are no figures", failure);
            }
        });
        registerPhases();
        readiness.serving(Cluster.get(system), storage);
    }

    private OwnDoctor doctor() {
        return new OwnDoctor(
                Path.of(settings.getString("switchboard.data-dir")).resolve("doctor"),
                settings.getDuration("switchboard.doctor.window"),
                settings.getDuration("switchboard.doctor.interval"),
                settings.getDuration("switchboard.doctor.patience"));
    }

    private ShardOperations operations(Services services, SqlStorage storage) {
        return OperationsOfNode.start(
                system,
                services,
                storage.operations(),
                edge::openSockets,
                new Doors(),
                httpAddress(),
                managementAddress());
    }

    private SqlStorage openStorage() {
        try {
            return SqlStorage.open(settings);
        } catch (StorageStartException e) {
            throw new StartFailure(e.getMessage(), e);
        }
    }

    /** The spool, if posts may be spooled or an earlier life of this node has left some. */
    private Spool openSpool() {
        boolean enabled = settings.getBoolean("switchboard.spool.enabled");
        if (!enabled && !MvSpool.isThere(settings)) {
            return Spool.NONE;
        }
        try {
            return MvSpool.open(settings);
        } catch (StorageStartException e) {
            throw new StartFailure(e.getMessage(), e);
        }
    }

    private Services startActors(Storage storage, Membership membership) {
        try {
            return ActorHouse.start(system, storage, membership::barLost);
        } catch (ConfigException e) {
            throw new StartFailure(e.getMessage(), e);
        }
    }

    /** The settings of the actor system: what Pekko needs to know of Switchboard's own settings, over all. */
    private static Config pekkoSettings(Config settings) {
        return ClusterSettings.of(settings)
                .pekko()
                .withValue(
                        "pekko.coordinated-shutdown.phases.service-requests-done.timeout",
                        ConfigValueFactory.fromAnyRef(settings.getDuration("switchboard.http.drain-timeout")
                                .plus(settings.getDuration("switchboard.socket.close-timeout"))
                                .plus(MARGIN)))
                .withFallback(settings);
    }

    private void registerPhases() {
        CoordinatedShutdown phases = CoordinatedShutdown.get(system);
        phases.addTask(CoordinatedShutdown.PhaseBeforeServiceUnbind(), "not-ready", () -> {
            readiness.draining();
            return CompletableFuture.completedFuture(Done.getInstance());
        });
        phases.addTask(CoordinatedShutdown.PhaseServiceUnbind(), "no-new-connections", edge::unbind);
        phases.addTask(CoordinatedShutdown.PhaseServiceRequestsDone(), "end-connections", edge::drain);
    }

    /** Ends the node in order. The stage completes when all is closed; calling it again changes nothing. */
    public CompletionStage<Void> stop() {
        CoordinatedShutdown.get(system).runAll(Stopped.INSTANCE);
        return ended;
    }

    /** Completes when the node has ended, by {@link #stop} or by itself. */
    public CompletionStage<Void> whenEnded() {
        return ended;
    }

    public int managementPort() {
        return management.localAddress().getPort();
    }

    public int httpPort() {
        return edge.localPort();
    }

    /** Where the API listens, as {@code host:port}. */
    String httpAddress() {
        return settings.getString("switchboard.http.host") + ":" + httpPort();
    }

    /** Where the management port listens, as {@code host:port}. */
    String managementAddress() {
        return settings.getString("switchboard.management.host") + ":" + managementPort();
    }

    @Override
    public void close() {
        stop().toCompletableFuture().join();
    }

    private static RuntimeException unexpected(Throwable failure) {
        return new CompletionException(failure);
    }

    /** Undoes a start that failed half-way. */
    private void abandon() {
        if (system == null) {
            closeOpened();
        } else {
            system.terminate();
            try {
                ended.get(ABANDON_DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                LOG.warn("what a failed start had opened could not be closed in order", e);
            }
        }
    }

    private void keep(AutoCloseable part) {
        synchronized (opened) {
            opened.push(part);
        }
    }

    private void closeOpened() {
        synchronized (opened) {
            while (!opened.isEmpty()) {
                try {
                    opened.pop().close();
                } catch (Exception e) {
                    LOG.warn("a part of the node could not be closed in order", e);
                }
            }
        }
        ended.complete(null);
    }

    /** Waits for a step of the start; its failure is told by {@code explain}. */
    private static <T> T await(
            String what,
            Duration deadline,
            Supplier<CompletionStage<T>> step,
            Function<Throwable, RuntimeException> explain) {
        try {
            return step.get().toCompletableFuture().get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ConfigException | IllegalArgumentException e) {
            // The step has named the setting at fault.
            throw new StartFailure(e.getMessage(), e);
        } catch (ExecutionException e) {
            throw explain.apply(e.getCause());
        } catch (TimeoutException e) {
            throw new StartFailure("it takes longer than " + deadline.toSeconds() + " s " + what, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartFailure("the start was interrupted", e);
        }
    }

    /** What a drain by an operator does to this node's doors. */
    private final class Doors implements OperationsOfNode.Doors {
        @Override
        public void close() {
            readiness.away();
            CompletionStage<Done> unused = edge.sendSocketsAway(settings.getDuration("switchboard.http.return-within"));
        }

        @Override
        public void open() {
            edge.takeSocketsBack();
            readiness.back();
        }

        @Override
        public void end() {
            CompletionStage<Void> unused = stop();
        }
    }

    /** The others took this node for lost and have taken over what it had. */
    private enum Barred implements CoordinatedShutdown.Reason {
        INSTANCE
    }

    private enum Stopped implements CoordinatedShutdown.Reason {
        INSTANCE
    }
}
