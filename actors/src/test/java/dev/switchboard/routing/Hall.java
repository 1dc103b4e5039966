package dev.switchboard.routing;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Conversation;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationSettings;
import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.LetterSettings;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.Desk;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskEvent;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.DeskSettings;
import dev.switchboard.desk.DeskState;
import dev.switchboard.desk.Profile;
import dev.switchboard.ports.EntityKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.PersistenceTestKitSnapshotPlugin;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;

/**
 * A service hall in one process: the real conversations, desks and lines over a journal in memory, at most once
 * between them, in quick time. A test can lose any message, end any actor, and read from the journal what is true.
 */
final class Hall implements Peers, QueueCatalog, AutoCloseable {
    static final String QUEUE = "default";

    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.parseString(
                    "pekko.persistence.testkit { events.serialize = off, snapshots.serialize = off }\n"
                            + "pekko.log-dead-letters = off\npekko.actor.testkit.typed.single-expect-default = 10s")
            .withFallback(PersistenceTestKitPlugin.getInstance().config())
            .withFallback(PersistenceTestKitSnapshotPlugin.config())
            .withFallback(ConfigFactory.load()));

    private final PersistenceTestKit journal = PersistenceTestKit.create(kit.system());
    private final ActorRef<ClusterSharding.ShardCommand> shard =
            kit.<ClusterSharding.ShardCommand>createTestProbe().ref();
    private final Map<String, ActorRef<?>> entities = new ConcurrentHashMap<>();
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private final Set<String> conversations = ConcurrentHashMap.newKeySet();
    private final Set<String> agents = ConcurrentHashMap.newKeySet();
    private final Map<String, ActorRef<TerminalPush>> terminals = new ConcurrentHashMap<>();
    private final AtomicInteger names = new AtomicInteger();
    final List<String> lost = new CopyOnWriteArrayList<>();
    final HallDirectory directory = new HallDirectory(this);
    private volatile QueueSettings settings;
    private volatile Predicate<Object> loses = message -> false;

    Hall(QueueSettings settings) {
        this.settings = settings;
    }

    /** Settings of the one queue: manual or automatic, quick. */
    static QueueSettings queue(boolean auto, int offerTo) {
        return new QueueSettings(
                QUEUE,
                "longest-idle",
                auto,
                offerTo,
                Duration.ofMillis(1500),
                10_000,
                Duration.ofMinutes(2),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(1),
                Duration.ofMillis(300),
                Duration.ZERO,
                Duration.ZERO,
                QueueSettings.WhenClosed.REOPEN);
    }

    private static final DeskSettings DESKS = new DeskSettings(
            3,
            Duration.ofMillis(200),
            Duration.ofMillis(150),
            Duration.ofMillis(40),
            Duration.ofMillis(200),
            Duration.ofMillis(300),
            Duration.ofMinutes(1),
            Duration.ofHours(1),
            200,
            InstantSource.system());

    private static final LineSettings LINES = new LineSettings(
            50,
            Duration.ofMillis(500),
            Duration.ofMillis(150),
            Duration.ofMillis(60),
            Duration.ofMillis(300),
            Duration.ofMillis(400),
            Duration.ofMillis(100),
            1000,
            Duration.ofMillis(50),
            InstantSource.system());

    private static final ConversationSettings CONVERSATIONS = new ConversationSettings(
            Duration.ofHours(1),
            Duration.ofMillis(200),
            Duration.ofMillis(200),
            Duration.ofMillis(40),
            Duration.ofMillis(200),
            200,
            1 << 20,
            Duration.ZERO,
            new LetterSettings(3, Duration.ofMillis(20), Duration.ofMillis(100), 0, 100, Duration.ofSeconds(5)),
            InstantSource.system());

    /** Loses what the predicate holds for, from now on. It is called by actors, so it must be thread-safe. */
    void lose(Predicate<Object> predicate) {
        loses = predicate;
    }

    // ---- peers: at most once ----

    @Override
    public void conversation(String conv, ConversationCommand command) {
        conversations.add(conv);
        deliver(
                "conversation",
                conv,
                command,
                () -> Conversation.create(
                        conv, shard, this, this, directory.entryLog(), null, CONVERSATIONS, new DeliveryFigures()));
    }

    @Override
    public void desk(String agent, DeskCommand command) {
        agents.add(agent);
        deliver("desk", agent, command, () -> Desk.create(agent, this, this, DESKS, shard));
    }

    @Override
    public void line(String queue, LineCommand command) {
        deliver("line", queue, command, () -> WaitingLine.create(queue, this, this, directory, LINES));
    }

    private <C> void deliver(String kind, String id, C command, java.util.function.Supplier<Behavior<C>> create) {
        String key = kind + "-" + id;
        if (loses.test(command)) {
            lost.add(command.getClass().getSimpleName());
            return;
        }
        if (down.contains(key)) {
            return;
        }
        ActorRef<?> ref = entities.computeIfAbsent(
                key,
                k -> kit.system()
                        .systemActorOf(
                                create.get(), k.replace('~', '_') + "-" + names.incrementAndGet(), Props.empty()));
        ref.<C>unsafeUpcast().tell(command);
    }

    /** Ends an actor where it stands; what is sent to it meanwhile is lost. The next message starts it again. */
    void crash(String kind, String id) {
        String key = kind + "-" + id;
        down.add(key);
        ActorRef<?> ref = entities.get(key);
        if (ref != null) {
            TestProbe<Object> probe = kit.createTestProbe();
            Adapter.toClassic(ref).tell(PoisonPill.getInstance(), org.apache.pekko.actor.ActorRef.noSender());
            probe.expectTerminated(ref, Duration.ofSeconds(10));
            probe.stop();
            entities.remove(key);
        }
        down.remove(key);
    }

    /** What the sweeper does, and more: wakes everybody with a deadline row, due or not. */
    void sweep() {
        for (String conv : conversations) {
            ConversationState state = state(conv);
            if (state.deadline() != null) {
                conversation(conv, new ConversationCommand.WakeUp(state.deadline()));
            }
        }
        for (String agent : agents) {
            DeskState state = desk(agent);
            if (state.deadline() != null) {
                desk(agent, new DeskCommand.WakeUp(state.deadline()));
            }
        }
        if (!directory.rows(QUEUE).isEmpty()) {
            line(QUEUE, new LineCommand.SettingsChanged());
        }
    }

    // ---- queues ----

    @Override
    public Optional<QueueSettings> find(String queue) {
        return queue.equals(QUEUE) ? Optional.of(settings) : Optional.empty();
    }

    @Override
    public Collection<QueueSettings> all() {
        return List.of(settings);
    }

    void settings(QueueSettings changed) {
        settings = changed;
        line(QUEUE, new LineCommand.SettingsChanged());
    }

    // ---- people ----

    static Principal agent(String id) {
        return Principal.of(Role.AGENT, id).withQueues(Set.of(QUEUE));
    }

    static Principal customer(String id) {
        return Principal.of(Role.CUSTOMER, id);
    }

    /** Sends a customer's first message until it is answered. */
    String opens(String customer) {
        String conv = "c-" + customer;
        Principal by = customer(customer);
        ask(
                conv,
                ref -> new ConversationCommand.Post(
                        by, by.person(), QUEUE, "m1", Body.text("hello"), null, true, 0, true, ref));
        return conv;
    }

    ConversationReply ask(
            String conv, java.util.function.Function<ActorRef<ConversationReply>, ConversationCommand> request) {
        TestProbe<ConversationReply> probe = kit.createTestProbe();
        for (int i = 0; i < 20; i++) {
            conversation(conv, request.apply(probe.ref()));
            try {
                return probe.receiveMessage(Duration.ofMillis(500));
            } catch (AssertionError lost) {
                // Asked again, as the gateway does.
            }
        }
        throw new AssertionError("no answer from " + conv);
    }

    void profile(String agent, int capacity) {
        TestProbe<DeskReply> probe = kit.createTestProbe();
        desk(agent, new DeskCommand.SetProfile(new Profile(capacity, Set.of(), Set.of(QUEUE)), probe.ref()));
        probe.receiveMessage();
    }

    void choose(String agent, Availability availability) {
        TestProbe<DeskReply> probe = kit.createTestProbe();
        desk(agent, new DeskCommand.ChooseAvailability(availability, probe.ref()));
        probe.receiveMessage();
    }

    /** A terminal that attaches to the agent's desk, again whenever that ends, and answers offers by the predicate. */
    void arrives(String agent, Predicate<String> accepts) {
        ActorRef<TerminalPush> terminal = kit.system()
                .systemActorOf(
                        terminal(agent, accepts), "terminal-" + agent + "-" + names.incrementAndGet(), Props.empty());
        terminals.put(agent, terminal);
        attach(agent, terminal);
    }

    private void attach(String agent, ActorRef<TerminalPush> terminal) {
        desk(agent, new DeskCommand.AttachTerminal(agent(agent), "t1", terminal));
    }

    private Behavior<TerminalPush> terminal(String agent, Predicate<String> accepts) {
        TerminalPush notAttached = new TerminalPush.AttachRefused("desk", null);
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(notAttached, Duration.ofMillis(100));
            return Behaviors.receive(TerminalPush.class)
                    .onMessage(TerminalPush.DeskAttached.class, attached -> {
                        timers.cancel(notAttached);
                        context.watch(attached.ref());
                        return Behaviors.same();
                    })
                    .onMessage(TerminalPush.AttachRefused.class, again -> {
                        attach(agent, context.getSelf());
                        return Behaviors.same();
                    })
                    .onMessage(TerminalPush.OfferMade.class, made -> {
                        Principal by = agent(agent);
                        ActorRef<ConversationReply> nobody = kit.system().ignoreRef();
                        conversation(
                                made.conv(),
                                accepts.test(made.conv())
                                        ? new ConversationCommand.Accept(by, made.offer(), nobody)
                                        : new ConversationCommand.Decline(by, made.offer(), nobody));
                        return Behaviors.same();
                    })
                    .onAnyMessage(push -> Behaviors.same())
                    .onSignal(Terminated.class, ended -> {
                        attach(agent, context.getSelf());
                        timers.startTimerWithFixedDelay(notAttached, Duration.ofMillis(100));
                        return Behaviors.same();
                    })
                    .build();
        }));
    }

    void disappears(String agent) {
        ActorRef<TerminalPush> terminal = terminals.remove(agent);
        if (terminal != null) {
            Adapter.toClassic(terminal).tell(PoisonPill.getInstance(), org.apache.pekko.actor.ActorRef.noSender());
        }
    }

    void closes(String conv) {
        Principal by = customer(conv.substring(2));
        ask(conv, ref -> new ConversationCommand.Close(by, 0, null, "close-" + names.incrementAndGet(), ref));
    }

    LineReply.Shown show() {
        TestProbe<LineReply> probe = kit.createTestProbe();
        line(QUEUE, new LineCommand.Show(probe.ref()));
        return probe.expectMessageClass(LineReply.Shown.class);
    }

    // ---- what is true ----

    Set<String> conversations() {
        return conversations;
    }

    List<Object> events(EntityKind kind, String id) {
        return journal.persistedInStorage(kind.persistenceId(id));
    }

    ConversationState state(String conv) {
        ConversationState state = ConversationState.EMPTY;
        for (Object event : events(EntityKind.CONVERSATION, conv)) {
            state = state.apply((ConversationEvent) event);
        }
        return state;
    }

    DeskState desk(String agent) {
        DeskState state = DeskState.EMPTY;
        for (Object event : events(EntityKind.DESK, agent)) {
            state = state.apply((DeskEvent) event);
        }
        return state;
    }

    /** Every number of slots that the desk ever held. */
    List<Integer> heldOverTime(String agent) {
        List<Integer> held = new ArrayList<>();
        for (Object event : events(EntityKind.DESK, agent)) {
            held.add(((DeskEvent) event).listing().held());
        }
        return held;
    }

    Instant now() {
        return Instant.now();
    }

    @Override
    public void close() {
        kit.shutdownTestKit();
    }
}
