package dev.switchboard.server.cluster;

import dev.switchboard.directory.NodeFence;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.AddressFromURIString;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.UniqueAddress;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.cluster.typed.JoinSeedNodes;

/**
 * This node's place in the cluster: how it comes in, and how it sees to it that lost nodes write no more. Used by the
 * server's main. Thread-safe; never blocks.
 */
public final class Membership {
    private final ActorSystem<?> system;
    private final Cluster cluster;
    private final NodeFence fence;

    public Membership(ActorSystem<?> system, NodeFence fence) {
        this.system = system;
        this.cluster = Cluster.get(system);
        this.fence = fence;
    }

    /** Asks to be let in; completes when this node is a member that is up and may write. */
    public CompletionStage<Void> join(ClusterSettings settings) {
        CompletableFuture<Void> up = new CompletableFuture<>();
        org.apache.pekko.cluster.Cluster.get(system).registerOnMemberUp(() -> up.complete(null));
        Address self = cluster.selfMember().address();
        List<Address> seeds = settings.seedNodes().stream()
                .map(seed -> AddressFromURIString.parse(self.protocol() + "://" + self.system() + "@" + seed))
                .toList();
        if (seeds.isEmpty()) {
            cluster.manager().tell(Join.create(self));
        } else {
            cluster.manager().tell(new JoinSeedNodes(seeds));
        }
        // Not before it is up: until then the others may not know it, and would bar it.
        return up.thenCompose(member -> fence.enter(nameOf(cluster.selfMember().uniqueAddress())));
    }

    /**
     * Bars every node that isn't a member, or is one that was given up. Completes when none of them can write any more.
     */
    public CompletionStage<List<String>> barLost() {
        Set<String> present = new TreeSet<>();
        present.add(nameOf(cluster.selfMember().uniqueAddress()));
        for (Member member : cluster.state().getMembers()) {
            if (!member.status().equals(MemberStatus.down())) {
                present.add(nameOf(member.uniqueAddress()));
            }
        }
        return fence.barAllBut(present);
    }

    private static String nameOf(UniqueAddress node) {
        return node.address().hostPort() + "#" + node.longUid();
    }
}
