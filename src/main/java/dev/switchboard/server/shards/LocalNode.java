package dev.switchboard.server.shards;

import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.RepeatingGateway;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.ShardLoad;
import dev.switchboard.delivery.StallLog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.cluster.sharding.ClusterSharding;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.pattern.Patterns;

/** What this node knows of itself. Thread-safe; never blocks. */
final class LocalNode {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
    private static final Duration REGION_ANSWER = Duration.ofSeconds(5);
    private static final int HOTTEST = 10;

    private final ActorSystem<?> system;
    private final Services services;
    private final IntSupplier sockets;
    private final String name;
    private final String http;
    private final String management;

    LocalNode(
            ActorSystem<?> system,
            Services services,
            IntSupplier sockets,
            String name,
            String http,
            String management) {
        this.system = system;
        this.services = services;
        this.sockets = sockets;
        this.name = name;
        this.http = http;
        this.management = management;
        ShardLoad load = services.deliveries().load();
        system.scheduler().scheduleWithFixedDelay(LOOK_EVERY, LOOK_EVERY, load::look, system.executionContext());
    }

    int sockets() {
        return sockets.getAsInt();
    }

    /** How many posts wait on this node's disk. */
    long spooled() {
        return services.gateway()
                .spooling()
                .map(spooling -> spooling.figures().posts())
                .orElse(0L);
    }

    Optional<StallLog.Stall> longestStall(long seconds) {
        return services.gateway() instanceof RepeatingGateway gateway
                ? gateway.stalls().longestIn(seconds)
                : Optional.empty();
    }

    /** The shards here, by type, each with the number of its actors that are awake. */
    CompletionStage<Map<String, Map<String, Integer>>> shards() {
        Map<String, Map<String, Integer>> all = new TreeMap<>();
        CompletionStage<Map<String, Map<String, Integer>>> known = CompletableFuture.completedFuture(all);
        for (String type : ActorHouse.TYPES) {
            known = known.thenCombine(shardsOf(type), (found, shards) -> {
                found.put(type, shards);
                return found;
            });
        }
        return known;
    }

    CompletionStage<Map<String, Integer>> shardsOf(String type) {
        ActorRef region = ClusterSharding.get(Adapter.toClassic(system)).shardRegion(type);
        return Patterns.ask(region, ShardRegion.getRegionStatsInstance(), REGION_ANSWER)
                .thenApply(answer -> {
                    ShardRegion.ShardRegionStats stats = (ShardRegion.ShardRegionStats) answer;
                    Map<String, Integer> shards = new TreeMap<>();
                    stats.getStats().forEach((shard, awake) -> shards.put(shard, ((Number) awake).intValue()));
                    // A shard that doesn't answer in time is here nevertheless.
                    stats.getFailed().forEach(shard -> shards.put(shard, 0));
                    return shards;
                });
    }

    /** @param seconds for how long back the longest stall is wanted */
    CompletionStage<NodeReport> report(String state, long seconds) {
        ShardLoad load = services.deliveries().load();
        return shards().thenApply(shards -> new NodeReport(
                name,
                http,
                management,
                state,
                sockets(),
                spooled(),
                shards,
                load.perSecond(),
                load.hottest(HOTTEST),
                longestStall(seconds).orElse(null)));
    }
}
