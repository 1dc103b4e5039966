package dev.switchboard.delivery;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ActorSystemDependentAllocationStrategy;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Set;
import scala.concurrent.Future;
import scala.jdk.javaapi.FutureConverters;

/**
 * Gives a shard to a node only after the nodes that are lost can no longer write. Every shard that changes its node goes
 * through here, on the node of the coordinator, so no entity is recovered while its former node could still add to what
 * is read. Asked by the coordinator; thread-safe as far as the strategy within is.
 */
final class FencedAllocation implements ActorSystemDependentAllocationStrategy {
    private final ShardAllocationStrategy within;
    private final Supplier<? extends CompletionStage<?>> fence;

    /**
     * A strategy that waits.
     *
     * @param within decides where
     * @param fence completes when no lost node can write any more; a failure makes the coordinator ask again
     */
    FencedAllocation(ShardAllocationStrategy within, Supplier<? extends CompletionStage<?>> fence) {
        this.within = within;
        this.fence = fence;
    }

    @Override
    public void start(ActorSystem system) {
        if (within instanceof ActorSystemDependentAllocationStrategy dependent) {
            dependent.start(system);
        }
    }

    @Override
    public Future<ActorRef> allocateShard(
            ActorRef requester, String shard, Map<ActorRef, IndexedSeq<String>> allocations) {
        return FutureConverters.asScala(fence.get()
                .thenCompose(fenced -> FutureConverters.asJava(within.allocateShard(requester, shard, allocations))));
    }

    @Override
    public Future<Set<String>> rebalance(Map<ActorRef, IndexedSeq<String>> allocations, Set<String> underWay) {
        return within.rebalance(allocations, underWay);
    }
}
