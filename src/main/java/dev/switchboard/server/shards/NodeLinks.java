package dev.switchboard.server.shards;

import dev.switchboard.delivery.NodeMessage.Answer;
import dev.switchboard.delivery.NodeMessage.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.ActorSelection;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.pattern.Patterns;

/**
 * How the operations of one node ask those of the others. Thread-safe; never blocks. Nodes are named {@code host:port}, as
 * they reach each other.
 */
final class NodeLinks {
    private static final String NAME = "switchboard-operations";

    private final ActorSystem<?> system;
    private final Cluster cluster;

    NodeLinks(ActorSystem<?> system) {
        this.system = system;
        this.cluster = Cluster.get(system);
    }

    /** From now on this node answers. The handler is called by one thread at a time and mustn't block. */
    void listen(Function<Ask, CompletionStage<Answer>> handler) {
        var unused = system.systemActorOf(
                Behaviors.receiveMessage((Ask ask) -> {
                    var unusedToo = handler.apply(ask)
                            .exceptionally(failure -> Answers.failed(failure))
                            .thenAccept(answer -> ask.replyTo().tell(answer));
                    return Behaviors.same();
                }),
                NAME,
                Props.empty());
    }

    /** This node. */
    String self() {
        return nameOf(cluster.selfMember().address());
    }

    /** The nodes that are up, in the order of their names. */
    List<String> nodes() {
        List<String> up = new ArrayList<>();
        for (Member member : cluster.state().getMembers()) {
            if (member.status().equals(MemberStatus.up())) {
                up.add(nameOf(member.address()));
            }
        }
        up.sort(Comparator.naturalOrder());
        return up;
    }

    /** Asks a node; an answer that doesn't come in time is a 504. */
    CompletionStage<Answer> ask(String node, String what, String by, String content, Duration patience) {
        for (Member member : cluster.state().getMembers()) {
            if (nameOf(member.address()).equals(node)) {
                ActorSelection there = Adapter.toClassic(system).actorSelection(member.address() + "/system/" + NAME);
                return Patterns.askWithReplyTo(there, ref -> new Ask(what, by, content, Adapter.toTyped(ref)), patience)
                        .thenApply(Answer.class::cast)
                        .exceptionally(failure -> Answers.problem(504, node + " does not answer"));
            }
        }
        return CompletableFuture.completedFuture(Answers.problem(404, "no node is called " + node));
    }

    static String nameOf(Address address) {
        return address.getHost().orElse("") + ":" + address.getPort().orElse(0);
    }
}
