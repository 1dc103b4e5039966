package dev.switchboard.delivery;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.switchboard.conversation.Conversation;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationSettings;
import dev.switchboard.desk.Desk;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskSettings;
import dev.switchboard.ports.BulkRetries;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.Storage;
import dev.switchboard.routing.ConfiguredQueues;
import dev.switchboard.routing.DeadlineSweeper;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineSettings;
import dev.switchboard.routing.ShardedPeers;
import dev.switchboard.routing.SweeperSettings;
import dev.switchboard.routing.WaitingLine;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.ConfigurationException;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.cluster.sharding.typed.ClusterShardingSettings;
import org.apache.pekko.cluster.sharding.typed.ShardingEnvelope;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityContext;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.apache.pekko.japi.function.Function;
import org.apache.pekko.pattern.Patterns;

/** Starts the sharded actors of a node and what stands around them. Called once a node, at its start. */
public final class ActorHouse {
    /** The shard type of conversations; entity ids are conversation ids. */
    public static final EntityTypeKey<ConversationCommand> CONVERSATION =
            EntityTypeKey.create(ConversationCommand.class, "conversation");

    /** The shard type of desks; entity ids are agent ids. */
    public static final EntityTypeKey<DeskCommand> DESK = EntityTypeKey.create(DeskCommand.class, "desk");

    /** The shard type of waiting lines; entity ids are queue names. */
    public static final EntityTypeKey<LineCommand> LINE = EntityTypeKey.create(LineCommand.class, "line");

    /** The names of the shard types. */
    public static final List<String> TYPES = List.of(CONVERSATION.name(), DESK.name(), LINE.name());

    /** The id of the dispatcher on which all of them run. */
    public static final String DISPATCHER = "switchboard.session-dispatcher";

    private static final String MAILBOX = "switchboard.session-mailbox";

    private static final Duration REGION_RETRY = Duration.ofMillis(50);
    private static final Duration REGION_ANSWER = Duration.ofSeconds(1);

    private ActorHouse() {}

    /**
     * Starts everything on a system that is, or will be, a member of a cluster. Throws ConfigException for a setting
     * that can't be, before anything is started.
     */
    public static Services start(ActorSystem<?> system, Storage storage) {
        return start(system, storage, () -> CompletableFuture.completedFuture(Done.getInstance()));
    }

    /**
     * The same on a node that may lose others.
     *
     * @param fence completes when no lost node can write any more; awaited before a shard is given to a node
     */
    public static Services start(ActorSystem<?> system, Storage storage, Supplier<? extends CompletionStage<?>> fence) {
        Config config = system.settings().config().getConfig("switchboard");
        DeskSettings deskSettings = DeskSettings.of(config.getConfig("desk"));
        LineSettings lineSettings = LineSettings.of(config.getConfig("line"));
        SweeperSettings sweeperSettings = SweeperSettings.of(config.getConfig("sweeper"));
        SpoolSettings spoolSettings = SpoolSettings.of(config.getConfig("spool"));
        GatewaySettings gatewaySettings = GatewaySettings.of(config.getConfig("gateway"));
        BulkRetrySettings bulkRetrySettings = BulkRetrySettings.of(config.getConfig("dead-letters.bulk"));
        ConversationSettings conversationSettings = ConversationSettings.of(config);
        Ledger ledger = new Ledger(config.getInt("delivery.ledger-steps"));
        DeliveryFigures deliveries = new DeliveryFigures(
                new ShardLoad(ClusterShardingSettings.create(system).numberOfShards()), ledger);
        findDispatcher(system);
        ShardedPeers peers = new ShardedPeers();
        ConfiguredQueues queues = ConfiguredQueues.start(peers, storage.directory(), system);
        peers.bind(
                region(
                        system,
                        fence,
                        deliveries,
                        CONVERSATION,
                        new ConversationCommand.Stop(),
                        context -> Conversation.create(
                                context.getEntityId(),
                                context.getShard(),
                                peers,
                                queues,
                                storage.entryLog(),
                                storage.eraser(),
                                conversationSettings,
                                deliveries)),
                region(
                        system,
                        fence,
                        deliveries,
                        DESK,
                        new DeskCommand.Stop(),
                        context -> Desk.create(context.getEntityId(), peers, queues, deskSettings, context.getShard())),
                region(
                        system,
                        fence,
                        deliveries,
                        LINE,
                        new LineCommand.Stop(),
                        context -> WaitingLine.create(
                                context.getEntityId(), peers, queues, storage.directory(), lineSettings)));
        ClusterSingleton.get(system)
                .init(SingletonActor.of(
                                DeadlineSweeper.create(
                                        peers, storage.directory(), storage.deadlines(), sweeperSettings),
                                "deadline-sweeper")
                        .withStopMessage(new DeadlineSweeper.Stop()));
        RepeatingGateway gateway = RepeatingGateway.start(system, peers, storage.directory(), gatewaySettings);
        if (storage.spool() != Spool.NONE) {
            gateway.useSpool(spoolSettings, storage, Clock.systemUTC());
        }
        if (storage.bulkRetries() != BulkRetries.NONE) {
            ClusterSingleton.get(system)
                    .init(SingletonActor.of(
                                    BulkRetrier.create(storage.bulkRetries(), gateway, bulkRetrySettings),
                                    "bulk-retrier")
                            .withStopMessage(new BulkRetrier.Stop()));
        }
        CoordinatedShutdown.get(system).addTask(CoordinatedShutdown.PhaseServiceStop(), "no-more-steps", () -> {
            peers.unbind();
            return CompletableFuture.completedFuture(Done.getInstance());
        });
        return new Services(
                peers, gateway, queues, storage, deliveries, bulkRetrySettings, Ledgers.start(system, ledger));
    }

    /**
     * Completes when the regions of this node have found their coordinators, so that the first message needn't wait for
     * that; fails when that takes longer than {@code deadline}.
     */
    public static CompletionStage<Done> whenReachable(ActorSystem<?> system, Duration deadline) {
        org.apache.pekko.actor.ActorSystem classic = Adapter.toClassic(system);
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        int attempts = (int) (deadline.toMillis() / REGION_RETRY.toMillis());
        for (EntityTypeKey<?> type : List.of(CONVERSATION, DESK, LINE)) {
            org.apache.pekko.actor.ActorRef region = org.apache.pekko.cluster.sharding.ClusterSharding.get(classic)
                    .shardRegion(type.name());
            CompletionStage<Done> found = Patterns.retry(
                    () -> Patterns.ask(region, ShardRegion.getCurrentRegionsInstance(), REGION_ANSWER)
                            .thenApply(ActorHouse::requireCoordinator),
                    attempts,
                    REGION_RETRY,
                    classic.scheduler(),
                    system.executionContext());
            all = all.thenCombine(found, (one, other) -> other);
        }
        return all;
    }

    /** A region without a coordinator knows of no region at all. */
    private static Done requireCoordinator(Object answer) {
        if (answer instanceof ShardRegion.CurrentRegions known
                && known.getRegions().isEmpty()) {
            throw new IllegalStateException("no coordinator yet");
        }
        return Done.getInstance();
    }

    /** Makes the dispatcher and the mailbox's type now: what is wrong with them would show only with the first entity. */
    private static void findDispatcher(ActorSystem<?> system) {
        try {
            system.dispatchers().lookup(DispatcherSelector.fromConfig(DISPATCHER));
            Adapter.toClassic(system).mailboxes().lookup(MAILBOX);
        } catch (ConfigurationException e) {
            if (e.getCause() instanceof ConfigException setting) {
                throw setting;
            }
            throw e;
        }
    }

    private static <C> ActorRef<ShardingEnvelope<C>> region(
            ActorSystem<?> system,
            Supplier<? extends CompletionStage<?>> fence,
            DeliveryFigures figures,
            EntityTypeKey<C> type,
            C stop,
            Function<EntityContext<C>, Behavior<C>> create) {
        // Typed actors take their mailbox from here alone, never from the dispatcher's block.
        Props props = DispatcherSelector.fromConfig(DISPATCHER).withMailboxFromConfig(MAILBOX);
        // Idle entities leave by themselves: only they know whether somebody still needs them.
        ClusterShardingSettings settings =
                ClusterShardingSettings.create(system).withNoPassivationStrategy();
        ClusterSharding sharding = ClusterSharding.get(system);
        return sharding.init(Entity.of(type, create)
                .withStopMessage(stop)
                .withEntityProps(props)
                .withSettings(settings)
                .withAllocationStrategy(new CountedAllocation(
                        new FencedAllocation(
                                new SteeredAllocation(
                                        sharding.defaultShardAllocationStrategy(settings),
                                        type.name(),
                                        ShardSteering.of(system)::wishes,
                                        system.settings().config().getDuration("switchboard.shards.even-out-every")),
                                fence),
                        figures.shards(type.name()))));
    }
}
