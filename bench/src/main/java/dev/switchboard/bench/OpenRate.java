package dev.switchboard.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.ConversationCommand.Open;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.WriteAdmission;
import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.Profile;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.directory.WriteFigures;
import dev.switchboard.journal.StorageSetup;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;

/**
 * {@code bench open-rate}: how many conversations a second can be opened in one queue and assigned to desks that have
 * room. All actors of a node and the database take part, no sockets. A conversation counts when its agent's terminal is
 * told to take it up: then the slot is confirmed, and four events are persisted.
 */
final class OpenRate {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String SETTINGS = """
            pekko.loglevel = WARNING
            pekko.actor.provider = cluster
            pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
            pekko.coordinated-shutdown.run-by-actor-system-terminate = off
            pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
            pekko.cluster.run-coordinated-shutdown-when-down = off
            pekko.cluster.jmx.enabled = off
            pekko.cluster.sharding.number-of-shards = 1000
            switchboard.queues.default.acceptance = auto
            switchboard.gateway.deadline = 60s
            """;

    /**
     * What is done.
     *
     * @param inFlight how many conversations are on their way to an agent at a time
     */
    record Plan(int agents, int capacity, int warmUp, int conversations, int inFlight) {}

    private record Round(
            double seconds, double openedPerSecond, long p50Ms, long p99Ms, double jvm, double base, long events) {}

    private final Plan plan;
    private final PrintWriter out;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final long[] tookNs;
    private final AtomicInteger assigned = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final Semaphore room;

    OpenRate(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
        tookNs = new long[plan.warmUp() + plan.conversations()];
        room = new Semaphore(plan.inFlight());
        if ((long) plan.agents() * plan.capacity() < tookNs.length) {
            throw new IllegalArgumentException("the agents have no room for so many conversations");
        }
    }

    void run() throws Exception {
        try (Database.Postgres database = new Database.Postgres()) {
            Map<String, Object> own = new HashMap<>();
            own.put("switchboard.database.url", database.settings().get("SWITCHBOARD_DB_URL"));
            own.put("switchboard.database.user", database.settings().get("SWITCHBOARD_DB_USER"));
            own.put("switchboard.database.password", database.settings().get("SWITCHBOARD_DB_PASSWORD"));
            Config config = ConfigFactory.parseMap(own)
                    .withFallback(ConfigFactory.parseString(SETTINGS))
                    .withFallback(ConfigFactory.load())
                    .resolve();
            try (SqlStorage storage = SqlStorage.open(config)) {
                ActorSystem classic = ActorSystem.create("open-rate", StorageSetup.of(storage, config));
                try {
                    measure(database, storage, Adapter.toTyped(classic));
                } finally {
                    classic.terminate();
                    classic.getWhenTerminated().toCompletableFuture().get(60, TimeUnit.SECONDS);
                }
            }
        }
    }

    private void measure(
            Database.Postgres database, SqlStorage storage, org.apache.pekko.actor.typed.ActorSystem<Void> system)
            throws Exception {
        Services services = ActorHouse.start(system, storage.storage());
        Cluster cluster = Cluster.get(system);
        cluster.manager().tell(Join.create(cluster.selfMember().address()));
        ActorHouse.whenReachable(system, Duration.ofSeconds(60))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        openDesks(services, system);
        say(plan.agents() + " desks are open");
        Round warmUp = round(services, storage, database, 0, plan.warmUp());
        say("warm-up: " + Math.round(warmUp.openedPerSecond()) + " a second");
        Round measured = round(services, storage, database, plan.warmUp(), plan.conversations());
        Reports.write("open-rate", text(database, storage, measured, WriteAdmission.of(system)), out);
    }

    private void openDesks(Services services, org.apache.pekko.actor.typed.ActorSystem<Void> system) throws Exception {
        ActorRef<TerminalPush> terminal = system.systemActorOf(
                Behaviors.receiveMessage((TerminalPush push) -> {
                    if (push instanceof TerminalPush.TakeUp taken) {
                        arrived(taken.conv());
                    }
                    return Behaviors.same();
                }),
                "terminal",
                Props.empty());
        List<CompletableFuture<DeskReply>> open = new ArrayList<>();
        Profile profile = new Profile(plan.capacity(), Set.of(), Set.of("default"));
        for (int i = 0; i < plan.agents(); i++) {
            String agent = "agent" + i;
            Principal by = Principal.of(Role.AGENT, agent).withQueues(Set.of("default"));
            services.peers().desk(agent, new DeskCommand.AttachTerminal(by, "t", terminal));
            open.add(services.gateway()
                    .desk(agent, ref -> new DeskCommand.SetProfile(profile, ref))
                    .thenCompose(set -> services.gateway()
                            .desk(agent, ref -> new DeskCommand.ChooseAvailability(Availability.AVAILABLE, ref)))
                    .toCompletableFuture());
        }
        for (CompletableFuture<DeskReply> desk : open) {
            if (!(desk.get(60, TimeUnit.SECONDS) instanceof DeskReply.Shown)) {
                throw new IllegalStateException("a desk could not be opened: " + desk.join());
            }
        }
    }

    private Round round(Services services, SqlStorage storage, Database.Postgres database, int from, int count)
            throws InterruptedException {
        long ownPid = ProcessHandle.current().pid();
        double jvm = Machine.cpuSecondsOfOne(ownPid);
        double base = Machine.cpuSeconds(database.pid());
        WriteFigures.View before = storage.writeFigures().view();
        int already = assigned.get();
        long beginNs = System.nanoTime();
        for (int i = from; i < from + count; i++) {
            if (!room.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("only " + assigned.get() + " conversations found an agent");
            }
            open(services, i);
        }
        if (!room.tryAcquire(plan.inFlight(), PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("only " + assigned.get() + " conversations found an agent");
        }
        room.release(plan.inFlight());
        double seconds = (System.nanoTime() - beginNs) / 1e9;
        if (assigned.get() - already != count) {
            throw new IllegalStateException((assigned.get() - already) + " of " + count + " found an agent");
        }
        long[] sorted = Arrays.copyOfRange(tookNs, from, from + count);
        Arrays.sort(sorted);
        return new Round(
                seconds,
                count / seconds,
                sorted[count / 2] / 1_000_000,
                sorted[(int) (count * 0.99)] / 1_000_000,
                Machine.cpuSecondsOfOne(ownPid) - jvm,
                Machine.cpuSeconds(database.pid()) - base,
                storage.writeFigures().view().rows() - before.rows());
    }

    private void open(Services services, int number) {
        String customer = "customer" + number;
        Principal by = Principal.of(Role.CUSTOMER, customer);
        begun.put("c-" + customer, System.nanoTime());
        services.gateway()
                .conversation("c-" + customer, by.person(), ref -> new Open(by, customer, "default", Map.of(), ref))
                .whenComplete((reply, failure) -> {
                    if (!(reply instanceof ConversationReply.Opened)) {
                        refused.incrementAndGet();
                        say("not opened: " + (failure == null ? reply : failure));
                    }
                });
    }

    private void arrived(String conv) {
        Long since = begun.remove(conv);
        if (since != null) {
            tookNs[Integer.parseInt(conv.substring("c-customer".length()))] = System.nanoTime() - since;
            assigned.incrementAndGet();
            room.release();
        }
    }

    private String text(Database database, SqlStorage storage, Round round, WriteAdmission admission) {
        int count = plan.conversations();
        WriteFigures.View writes = storage.writeFigures().view();
        return """
                # Conversations opened and assigned a second

                %d customers open a conversation each in one queue, %d on their way at a time; %d desks with room for %d
                each get them at once (`acceptance = auto`). A conversation counts when its agent's terminal is told to take
                it up: it is opened, a slot is reserved, the conversation is assigned and the slot confirmed, each persisted
                before the next step. All actors of a node, no sockets. On %s, on the same machine.

                Machine: %s.

                ```
                ./switchboard bench open-rate
                ```

                | | |
                |---|---|
                | opened and assigned a second | %d |
                | from the opening to the agent, p50 | %d ms |
                | from the opening to the agent, p99 | %d ms |
                | events written a second | %d |
                | processor time of the node for each conversation | %d µs |
                | processor time of PostgreSQL for each conversation | %d µs |
                | not opened | %d |
                | writes failed since the start | %d |
                | conversations and desks that wrote at once, at most | %d |

                Node and database together spend %d µs of processor time on each, of which this machine's %d processors
                have enough for %d conversations a second.
                """.formatted(
                        count,
                        plan.inFlight(),
                        plan.agents(),
                        plan.capacity(),
                        database.title(),
                        Machine.description(),
                        Math.round(round.openedPerSecond()),
                        round.p50Ms(),
                        round.p99Ms(),
                        Math.round(round.events() / round.seconds()),
                        Math.round(round.jvm() * 1e6 / count),
                        Math.round(round.base() * 1e6 / count),
                        refused.get(),
                        writes.failedWrites(),
                        admission.mostHeld(),
                        Math.round((round.jvm() + round.base()) * 1e6 / count),
                        Runtime.getRuntime().availableProcessors(),
                        Math.round(Runtime.getRuntime().availableProcessors() * count / (round.jvm() + round.base())));
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
