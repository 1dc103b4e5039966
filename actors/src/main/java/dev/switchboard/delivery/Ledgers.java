package dev.switchboard.delivery;

import dev.switchboard.conversation.Person;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.apache.pekko.actor.typed.receptionist.ServiceKey;

/**
 * The ledgers of all nodes, asked together: a message's conversation, its receiver's connection and the person who asks may be
 * on three nodes. Thread-safe; never blocks.
 */
public final class Ledgers {
    /** What the nodes' ledgers say to one another. */
    public sealed interface Message {
        /** Which steps has that node seen? */
        record Find(String conv, long seq, Person sender, ActorRef<Found> replyTo) implements Message {}

        /** Those. {@code since}: since when it can have missed none. */
        record Found(String node, Instant since, List<Ledger.Seen> steps) implements Message {}
    }

    /**
     * What all nodes together have seen.
     *
     * @param complete true when every node that is known has answered
     */
    public record Traced(List<Message.Found> nodes, boolean complete) {
        public Traced {
            nodes = List.copyOf(nodes);
        }

        /** True when nothing since then can have been missed. */
        public boolean covers(Instant at) {
            return complete && nodes.stream().noneMatch(node -> node.since().isAfter(at));
        }
    }

    /** Where nothing is remembered. */
    public static final Ledgers NONE = new Ledgers(Ledger.NONE, null);

    private static final ServiceKey<Message> KEY = ServiceKey.create(Message.class, "switchboard-ledger");
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final Ledger own;
    private final ActorSystem<?> system;
    private volatile Set<ActorRef<Message>> nodes = Set.of();

    private Ledgers(Ledger own, ActorSystem<?> system) {
        this.own = own;
        this.system = system;
    }

    /** Starts answering for this node, and listening for the others. */
    public static Ledgers start(ActorSystem<?> system, Ledger own) {
        Ledgers ledgers = new Ledgers(own, system);
        if (own.isOn()) {
            String node = system.address().hostPort();
            ActorRef<Message> answers = system.systemActorOf(answering(own, node), "ledger", Props.empty());
            system.receptionist().tell(Receptionist.register(KEY, answers));
            var unused = system.systemActorOf(ledgers.listening(), "ledgers", Props.empty());
        }
        return ledgers;
    }

    /** This node's own. */
    public Ledger own() {
        return own;
    }

    private static Behavior<Message> answering(Ledger ledger, String node) {
        return Behaviors.receive(Message.class)
                .onMessage(Message.Find.class, find -> {
                    Ledger.Trace trace = ledger.find(find.conv(), find.seq(), find.sender());
                    find.replyTo().tell(new Message.Found(node, trace.since(), trace.steps()));
                    return Behaviors.same();
                })
                .build();
    }

    private Behavior<Receptionist.Listing> listening() {
        return Behaviors.setup(context -> {
            context.getSystem().receptionist().tell(Receptionist.subscribe(KEY, context.getSelf()));
            return Behaviors.receive(Receptionist.Listing.class)
                    .onAnyMessage(listing -> {
                        nodes = Set.copyOf(listing.getServiceInstances(KEY));
                        return Behaviors.same();
                    })
                    .build();
        });
    }

    /** Asks all nodes for the steps of a message. The stage never fails; who doesn't answer in time is left out. */
    public CompletionStage<Traced> find(String conv, long seq, Person sender) {
        CompletableFuture<Traced> all =
                CompletableFuture.completedFuture(new Traced(List.of(), own.isOn() && !nodes.isEmpty()));
        for (ActorRef<Message> node : nodes) {
            CompletableFuture<Message.Found> one = AskPattern.<Message, Message.Found>ask(
                            node, replyTo -> new Message.Find(conv, seq, sender, replyTo), ANSWER, system.scheduler())
                    .toCompletableFuture()
                    .exceptionally(failure -> null);
            all = all.thenCombine(one, Ledgers::with);
        }
        return all;
    }

    private static Traced with(Traced before, Message.Found one) {
        if (one == null) {
            return new Traced(before.nodes(), false);
        }
        List<Message.Found> nodes = new ArrayList<>(before.nodes());
        nodes.add(one);
        return new Traced(nodes, before.complete());
    }
}
