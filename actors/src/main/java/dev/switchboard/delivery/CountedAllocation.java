package dev.switchboard.delivery;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ActorSystemDependentAllocationStrategy;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Set;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;

/** Counts what the strategy within decides. Asked by the coordinator; thread-safe as far as the strategy within is. */
final class CountedAllocation implements ActorSystemDependentAllocationStrategy {
    private final ShardAllocationStrategy within;
    private final ShardFigures figures;

    CountedAllocation(ShardAllocationStrategy within, ShardFigures figures) {
        this.within = within;
        this.figures = figures;
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
        return within.allocateShard(requester, shard, allocations)
                .map(
                        node -> {
                            figures.given();
                            return node;
                        },
                        ExecutionContext.parasitic$.MODULE$);
    }

    @Override
    public Future<Set<String>> rebalance(Map<ActorRef, IndexedSeq<String>> allocations, Set<String> underWay) {
        return within.rebalance(allocations, underWay)
                .map(
                        shards -> {
                            figures.handedOff(shards.size());
                            return shards;
                        },
                        ExecutionContext.parasitic$.MODULE$);
    }
}
