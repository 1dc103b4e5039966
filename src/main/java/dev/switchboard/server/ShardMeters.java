package dev.switchboard.server;

import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.DeliveryFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.cluster.sharding.ClusterSharding;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.cluster.sharding.ShardRegion.ShardRegionStats;
import org.apache.pekko.pattern.Patterns;

/** The meters of this node's shards. Thread-safe; never blocks. */
final class ShardMeters {
    private static final Duration ANSWER = Duration.ofSeconds(5);

    /** Kept only because the registry's hold on them is weak. */
    private final List<Asked<Held>> kept = new ArrayList<>();

    private record Held(int shards, long entities) {}

    void bindTo(MeterRegistry registry, ActorSystem<?> system, DeliveryFigures deliveries) {
        for (String type : ActorHouse.TYPES) {
            ActorRef region = ClusterSharding.get(Adapter.toClassic(system)).shardRegion(type);
            Asked<Held> held = new Asked<>(
                    () -> Patterns.ask(region, ShardRegion.getRegionStatsInstance(), ANSWER)
                            .thenApply(ShardMeters::held),
                    new Held(0, 0));
            kept.add(held);
            Gauge.builder("switchboard.shards", held, h -> h.get().shards())
                    .description("Shards on this node, by what they hold")
                    .tag("type", type)
                    .register(registry);
            Gauge.builder("switchboard.entities", held, h -> h.get().entities())
                    .description("Conversations, desks and lines in this node's memory")
                    .tag("type", type)
                    .register(registry);
            FunctionCounter.builder(
                            "switchboard.shards.allocated",
                            deliveries,
                            d -> d.shards(type).allocated())
                    .description("Shards that the coordinator on this node gave to a node")
                    .tag("type", type)
                    .register(registry);
            FunctionCounter.builder(
                            "switchboard.shards.hand.offs",
                            deliveries,
                            d -> d.shards(type).handOffs())
                    .description("Shards that the coordinator on this node began to move from one node to another")
                    .tag("type", type)
                    .register(registry);
        }
    }

    private static Held held(Object answer) {
        ShardRegionStats stats = (ShardRegionStats) answer;
        long entities = stats.getStats().values().stream()
                .mapToLong(count -> ((Number) count).longValue())
                .sum();
        return new Held(stats.getStats().size(), entities);
    }
}
