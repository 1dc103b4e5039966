package dev.switchboard.routing;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.desk.DeskCommand;
import java.util.Objects;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.cluster.sharding.typed.ShardingEnvelope;

/**
 * Reaches entities through their shard regions. Thread-safe. What is sent before {@link #bind} or after {@link #unbind} is
 * dropped, as anything sent through regions may be.
 */
public final class ShardedPeers implements Peers {
    private record Regions(
            ActorRef<ShardingEnvelope<ConversationCommand>> conversations,
            ActorRef<ShardingEnvelope<DeskCommand>> desks,
            ActorRef<ShardingEnvelope<LineCommand>> lines) {}

    private volatile Regions regions;

    /** Gives the regions. They need the peers to be made, so they come second. */
    public void bind(
            ActorRef<ShardingEnvelope<ConversationCommand>> conversations,
            ActorRef<ShardingEnvelope<DeskCommand>> desks,
            ActorRef<ShardingEnvelope<LineCommand>> lines) {
        this.regions = new Regions(
                Objects.requireNonNull(conversations, "conversations"),
                Objects.requireNonNull(desks, "desks"),
                Objects.requireNonNull(lines, "lines"));
    }

    /**
     * From now on nothing is sent. For a node that ends: what its entities still wanted to tell would only be buffered by
     * regions that stop, and hold them up; wherever the entities are started next, they repeat it.
     */
    public void unbind() {
        regions = null;
    }

    @Override
    public void conversation(String conv, ConversationCommand command) {
        Regions bound = regions;
        if (bound != null) {
            bound.conversations().tell(new ShardingEnvelope<>(conv, command));
        }
    }

    @Override
    public void desk(String agent, DeskCommand command) {
        Regions bound = regions;
        if (bound != null) {
            bound.desks().tell(new ShardingEnvelope<>(agent, command));
        }
    }

    @Override
    public void line(String queue, LineCommand command) {
        Regions bound = regions;
        if (bound != null) {
            bound.lines().tell(new ShardingEnvelope<>(queue, command));
        }
    }
}
