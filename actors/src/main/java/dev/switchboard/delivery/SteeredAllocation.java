package dev.switchboard.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ActorSystemDependentAllocationStrategy;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Set;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;

/**
 * Puts shards where operators want them, and leaves the others to a strategy that evens them out by itself. Asked by the
 * coordinator of one type of shards, one question at a time; thread-safe as far as the strategy within is.
 *
 * <p>A shard that is wanted elsewhere is handed over at the next look, which is soon; how many at once is up to whoever
 * wants it. What nobody wants is evened out more rarely, never while a wanted hand-over is under way, and never so that a
 * wanted shard loses its place. A closed node gets nothing, unless no other is left.
 */
final class SteeredAllocation implements ActorSystemDependentAllocationStrategy {
    /** No more hand-overs of one look, whatever is wanted: each one is a worker of the coordinator. */
    private static final int MOST_AT_ONCE = 100;

    private final ShardAllocationStrategy within;
    private final String type;
    private final Supplier<? extends CompletionStage<ShardWishes>> wishes;
    private final long evenOutNanos;
    private volatile String self = "";
    private volatile long evenedOut;

    /**
     * @param within decides where nobody wants anything
     * @param type the type of the shards
     * @param wishes what operators want
     * @param evenOutEvery how often the strategy within may even out
     */
    SteeredAllocation(
            ShardAllocationStrategy within,
            String type,
            Supplier<? extends CompletionStage<ShardWishes>> wishes,
            Duration evenOutEvery) {
        this.within = within;
        this.type = type;
        this.wishes = wishes;
        this.evenOutNanos = evenOutEvery.toNanos();
        this.evenedOut = System.nanoTime();
    }

    @Override
    public void start(ActorSystem system) {
        self = nodeOf(Cluster.get(system).selfAddress());
        if (within instanceof ActorSystemDependentAllocationStrategy dependent) {
            dependent.start(system);
        }
    }

    @Override
    public Future<ActorRef> allocateShard(
            ActorRef requester, String shard, Map<ActorRef, IndexedSeq<String>> allocations) {
        return FutureConverters.asScala(known().thenCompose(wanted -> {
            Optional<ActorRef> home = wanted.home(type, shard).flatMap(node -> regionOf(node, allocations));
            return home.<CompletionStage<ActorRef>>map(CompletableFuture::completedFuture)
                    .orElseGet(() ->
                            FutureConverters.asJava(within.allocateShard(requester, shard, open(allocations, wanted))));
        }));
    }

    @Override
    public Future<Set<String>> rebalance(Map<ActorRef, IndexedSeq<String>> allocations, Set<String> underWay) {
        return FutureConverters.asScala(known().thenCompose(wanted -> {
            List<String> misplaced = misplaced(allocations, underWay, wanted);
            if (!misplaced.isEmpty()) {
                return CompletableFuture.completedFuture(setOf(misplaced));
            }
            if (!underWay.isEmpty() || System.nanoTime() - evenedOut < evenOutNanos) {
                return CompletableFuture.completedFuture(setOf(List.of()));
            }
            evenedOut = System.nanoTime();
            return FutureConverters.asJava(within.rebalance(open(allocations, wanted), underWay))
                    .thenApply(chosen -> setOf(CollectionConverters.asJava(chosen).stream()
                            .filter(shard -> wanted.home(type, shard).isEmpty())
                            .toList()));
        }));
    }

    /** Shards that are elsewhere than they are wanted, and not on their way yet. */
    private List<String> misplaced(
            Map<ActorRef, IndexedSeq<String>> allocations, Set<String> underWay, ShardWishes wanted) {
        List<String> found = new ArrayList<>();
        if (wanted.homes().isEmpty()) {
            return found;
        }
        CollectionConverters.asJava(allocations).forEach((region, shards) -> {
            String here = nodeOf(region);
            for (String shard : CollectionConverters.asJava(shards)) {
                Optional<String> home = wanted.home(type, shard).filter(node -> !node.equals(here));
                if (home.isPresent()
                        && found.size() < MOST_AT_ONCE
                        && !underWay.contains(shard)
                        && regionOf(home.get(), allocations).isPresent()) {
                    found.add(shard);
                }
            }
        });
        return found;
    }

    /** What isn't known in time is not wanted: an allocation must not wait for ever. */
    private CompletionStage<ShardWishes> known() {
        return wishes.get().exceptionally(failure -> ShardWishes.NONE);
    }

    /** The regions of nodes that may have shards; all of them when no other is left. */
    private Map<ActorRef, IndexedSeq<String>> open(Map<ActorRef, IndexedSeq<String>> allocations, ShardWishes wanted) {
        if (wanted.closed().isEmpty()) {
            return allocations;
        }
        Map<ActorRef, IndexedSeq<String>> open = allocations;
        for (ActorRef region : CollectionConverters.asJava(allocations).keySet()) {
            if (wanted.closed().contains(nodeOf(region))) {
                open = open.removed(region);
            }
        }
        return open.isEmpty() ? allocations : open;
    }

    private Optional<ActorRef> regionOf(String node, Map<ActorRef, IndexedSeq<String>> allocations) {
        return CollectionConverters.asJava(allocations).keySet().stream()
                .filter(region -> nodeOf(region).equals(node))
                .findFirst();
    }

    private String nodeOf(ActorRef region) {
        Address address = region.path().address();
        return address.hasLocalScope() ? self : nodeOf(address);
    }

    private static String nodeOf(Address address) {
        return address.getHost().orElse("") + ":" + address.getPort().orElse(0);
    }

    private static Set<String> setOf(List<String> shards) {
        return CollectionConverters.asScala(java.util.Set.copyOf(shards)).toSet();
    }
}
