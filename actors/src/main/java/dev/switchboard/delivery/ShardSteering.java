package dev.switchboard.delivery;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.cluster.ddata.DistributedData;
import org.apache.pekko.cluster.ddata.Key;
import org.apache.pekko.cluster.ddata.LWWMap;
import org.apache.pekko.cluster.ddata.LWWMapKey;
import org.apache.pekko.cluster.ddata.Replicator;
import org.apache.pekko.cluster.ddata.SelfUniqueAddress;
import org.apache.pekko.pattern.Patterns;

/**
 * What operators want of the shards, the same on every node: it is replicated, because whoever allocates shards runs on
 * one node, whoever asks may be on another, and either may go. It lasts as long as the cluster does. Thread-safe; never
 * blocks.
 */
public final class ShardSteering {
    private static final Key<LWWMap<String, String>> KEY = LWWMapKey.create("switchboard-shards");
    private static final String HOME = "home/";
    private static final String CLOSED = "closed/";
    private static final Duration SPREAD = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final ActorRef replicator;
    private final SelfUniqueAddress self;

    private ShardSteering(ActorRef replicator, SelfUniqueAddress self) {
        this.replicator = replicator;
        this.self = self;
    }

    /** The steering of the cluster that this node is, or will be, a member of. */
    public static ShardSteering of(ActorSystem<?> system) {
        DistributedData data = DistributedData.get(Adapter.toClassic(system));
        return new ShardSteering(data.replicator(), data.selfUniqueAddress());
    }

    /** What is wanted, as far as this node knows. */
    public CompletionStage<ShardWishes> wishes() {
        return Patterns.ask(replicator, new Replicator.Get<>(KEY, Replicator.readLocal()), ANSWER)
                .thenApply(answer -> answer instanceof Replicator.GetSuccess<?> found
                        ? read(found.get(KEY).getEntries())
                        : ShardWishes.NONE);
    }

    private static ShardWishes read(Map<String, String> entries) {
        Map<String, String> homes = new HashMap<>();
        Set<String> closed = new HashSet<>();
        entries.forEach((name, value) -> {
            if (name.startsWith(HOME)) {
                homes.put(name.substring(HOME.length()), value);
            } else if (name.startsWith(CLOSED)) {
                closed.add(name.substring(CLOSED.length()));
            }
        });
        return new ShardWishes(homes, closed);
    }

    /** Wants these shards, by {@link ShardWishes#key}, on these nodes. */
    public CompletionStage<Done> want(Map<String, String> homes) {
        return update(map -> {
            LWWMap<String, String> changed = map;
            for (Map.Entry<String, String> home : homes.entrySet()) {
                changed = changed.put(self, HOME + home.getKey(), home.getValue());
            }
            return changed;
        });
    }

    /** Leaves these shards to the cluster again. */
    public CompletionStage<Done> leave(Collection<String> shards) {
        return update(map -> {
            LWWMap<String, String> changed = map;
            for (String shard : shards) {
                changed = changed.remove(self, HOME + shard);
            }
            return changed;
        });
    }

    /** The node is to have no shards. */
    public CompletionStage<Done> close(String node) {
        return update(map -> map.put(self, CLOSED + node, ""));
    }

    /** The node may have shards again. */
    public CompletionStage<Done> open(String node) {
        return update(map -> map.remove(self, CLOSED + node));
    }

    /** Completes when every node knows it, or after a while when one doesn't answer: then it hears of it later. */
    private CompletionStage<Done> update(Function<LWWMap<String, String>, LWWMap<String, String>> change) {
        Replicator.Update<LWWMap<String, String>> update = new Replicator.Update<>(
                KEY, LWWMap.create(), new Replicator.WriteAll(SPREAD), Optional.empty(), change);
        return Patterns.ask(replicator, update, ANSWER).thenApply(answer -> {
            if (answer instanceof Replicator.UpdateSuccess<?> || answer instanceof Replicator.UpdateTimeout<?>) {
                return Done.getInstance();
            }
            throw new IllegalStateException("what is wanted of the shards could not be changed: " + answer);
        });
    }
}
