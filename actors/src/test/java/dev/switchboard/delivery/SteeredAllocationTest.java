package dev.switchboard.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import scala.collection.immutable.IndexedSeq;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;

/** Shards are where operators want them; what nobody wants is left to the strategy within. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SteeredAllocationTest {
    private final ActorTestKit kit =
            ActorTestKit.create(ConfigFactory.parseString("""
                    pekko.actor.provider = cluster
                    pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
                    pekko.coordinated-shutdown.run-by-actor-system-terminate = off
                    pekko.cluster.jmx.multi-mbeans-in-same-jvm = on
                    """).withFallback(ConfigFactory.load()));
    private final ActorRef one = region("127.0.0.1:1");
    private final ActorRef two = region("127.0.0.1:2");
    private final ActorRef three = region("127.0.0.1:3");
    private ShardWishes wanted;

    /** Chooses the last region it is shown, and would rebalance every shard of the first. */
    private static final class Simple implements ShardAllocationStrategy {
        @Override
        public Future<ActorRef> allocateShard(
                ActorRef requester,
                String shard,
                scala.collection.immutable.Map<ActorRef, IndexedSeq<String>> regions) {
            return FutureConverters.asScala(CompletableFuture.completedFuture(
                    sorted(regions).get(sorted(regions).size() - 1)));
        }

        @Override
        public Future<scala.collection.immutable.Set<String>> rebalance(
                scala.collection.immutable.Map<ActorRef, IndexedSeq<String>> regions,
                scala.collection.immutable.Set<String> underWay) {
            List<String> chosen = List.copyOf(
                    CollectionConverters.asJava(regions.apply(sorted(regions).get(0))));
            return FutureConverters.asScala(CompletableFuture.completedFuture(
                    CollectionConverters.asScala(Set.copyOf(chosen)).toSet()));
        }

        private static List<ActorRef> sorted(scala.collection.immutable.Map<ActorRef, IndexedSeq<String>> regions) {
            return CollectionConverters.asJava(regions).keySet().stream()
                    .sorted()
                    .toList();
        }
    }

    @BeforeEach
    void wantNothing() {
        wanted = ShardWishes.NONE;
    }

    @AfterAll
    void stop() {
        kit.shutdownTestKit();
    }

    @Test
    void shouldPutAShardWhereItIsWanted() throws Exception {
        wanted = new ShardWishes(Map.of("conversation:7", "127.0.0.1:1"), Set.of());
        assertEquals(one, allocate("7"));
        assertEquals(three, allocate("8"));
    }

    @Test
    void shouldGiveAClosedNodeNothing() throws Exception {
        wanted = new ShardWishes(Map.of("conversation:7", "127.0.0.1:3"), Set.of("127.0.0.1:3"));
        assertEquals(two, allocate("7"));
        assertEquals(two, allocate("8"));
    }

    @Test
    void shouldUseClosedNodesWhenNoOtherIsLeft() throws Exception {
        wanted = new ShardWishes(Map.of(), Set.of("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"));
        assertEquals(three, allocate("7"));
    }

    @Test
    void shouldNotWaitForANodeThatIsGone() throws Exception {
        wanted = new ShardWishes(Map.of("conversation:7", "127.0.0.1:9"), Set.of());
        assertEquals(three, allocate("7"));
        assertEquals(Set.of(), rebalance(strategy(Duration.ofHours(1)), Set.of()));
    }

    @Test
    void shouldHandOverWhatIsWantedElsewhereAndIsNotOnItsWay() throws Exception {
        wanted = new ShardWishes(
                Map.of(
                        "conversation:a",
                        "127.0.0.1:2",
                        "conversation:b",
                        "127.0.0.1:2",
                        "conversation:c",
                        "127.0.0.1:2"),
                Set.of());
        // a and b are on node 1, c is on node 2 already.
        assertEquals(Set.of("a"), rebalance(strategy(Duration.ofHours(1)), Set.of("b")));
    }

    @Test
    void shouldEvenOutWhatNobodyWantsOnlyNowAndThenAndNeverBesideAHandOver() throws Exception {
        assertEquals(Set.of(), rebalance(strategy(Duration.ofHours(1)), Set.of()));
        SteeredAllocation always = strategy(Duration.ZERO);
        assertEquals(Set.of("a", "b"), rebalance(always, Set.of()));
        assertEquals(Set.of(), rebalance(always, Set.of("c")));
        wanted = new ShardWishes(Map.of("conversation:a", "127.0.0.1:1"), Set.of());
        assertEquals(Set.of("b"), rebalance(always, Set.of()));
    }

    /** What one node wants, every node knows; here a cluster of one. */
    @Test
    void shouldRememberWhatIsWanted() throws Exception {
        Cluster cluster = Cluster.get(kit.system());
        cluster.manager().tell(Join.create(cluster.selfMember().address()));
        ShardSteering steering = ShardSteering.of(kit.system());
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            steering.want(Map.of("conversation:7", "127.0.0.1:1", "desk:3", "127.0.0.1:2"))
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            return !known(steering).homes().isEmpty();
        });
        steering.leave(List.of("desk:3")).toCompletableFuture().get(10, TimeUnit.SECONDS);
        steering.close("127.0.0.1:5").toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertEquals(new ShardWishes(Map.of("conversation:7", "127.0.0.1:1"), Set.of("127.0.0.1:5")), known(steering));
        steering.open("127.0.0.1:5").toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertEquals(Set.of(), known(steering).closed());
    }

    private static ShardWishes known(ShardSteering steering) throws Exception {
        return steering.wishes().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private SteeredAllocation strategy(Duration evenOutEvery) {
        return new SteeredAllocation(
                new Simple(), "conversation", () -> CompletableFuture.completedFuture(wanted), evenOutEvery);
    }

    private ActorRef allocate(String shard) throws Exception {
        return FutureConverters.asJava(strategy(Duration.ofHours(1)).allocateShard(one, shard, regions()))
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    private Set<String> rebalance(SteeredAllocation strategy, Set<String> underWay) throws Exception {
        return CollectionConverters.asJava(FutureConverters.asJava(strategy.rebalance(
                        regions(), CollectionConverters.asScala(underWay).toSet()))
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS));
    }

    private scala.collection.immutable.Map<ActorRef, IndexedSeq<String>> regions() {
        return scala.collection.immutable.Map.from(CollectionConverters.asScala(Map.of(
                one, shards("a", "b"),
                two, shards("c"),
                three, shards())));
    }

    private static IndexedSeq<String> shards(String... names) {
        return CollectionConverters.asScala(List.of(names)).toIndexedSeq();
    }

    private ActorRef region(String node) {
        ExtendedActorSystem system = (ExtendedActorSystem) Adapter.toClassic(kit.system());
        return system.provider().resolveActorRef("pekko://" + system.name() + "@" + node + "/system/region");
    }
}
