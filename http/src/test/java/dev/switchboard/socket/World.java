package dev.switchboard.socket;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.auth.AuthSettings;
import dev.switchboard.auth.Authentication;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.Gateway;
import dev.switchboard.delivery.Services;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.Storage;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.FishingOutcomes;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;

/** A server with real sockets in front of actors that a test plays itself. Close it at the end. */
final class World implements AutoCloseable {
    /** What a socket told a conversation. */
    record ToConversation(String conv, ConversationCommand command) {}

    /** What a socket told a desk. */
    record ToDesk(String agent, DeskCommand command) {}

    static final Duration PATIENCE = Duration.ofSeconds(15);

    final ActorTestKit kit;
    final TestProbe<ToConversation> conversations;
    final TestProbe<ToDesk> desks;
    final Map<String, Directory.ConversationRow> rows = new ConcurrentHashMap<>();
    final Map<String, Directory.AgentRow> agents = new ConcurrentHashMap<>();
    final Set<String> revoked = ConcurrentHashMap.newKeySet();
    final Map<String, ConcurrentSkipListMap<Long, Entry>> log = new ConcurrentHashMap<>();
    final Authentication authentication;
    final SocketServer server;
    private final ServerBinding binding;

    /** Whether the node may still speak. */
    volatile boolean standing = true;

    World(String... settings) {
        this(Subprotocol::codec, settings);
    }

    /** The same with codecs of the test's own. */
    World(Function<Subprotocol, TerminalCodec> codecs, String... settings) {
        Config config = ConfigFactory.parseString(String.join("\n", settings))
                .withFallback(ConfigFactory.parseString("pekko.loglevel = WARNING\npekko.actor.provider = local"))
                .withFallback(ConfigFactory.load());
        kit = ActorTestKit.create("world", config);
        conversations = kit.createTestProbe();
        desks = kit.createTestProbe();
        Services services = new Services(
                new ProbePeers(), new ProbeGateway(), new OneQueue(), new Storage(new Tables(), new Log(), null, null));
        authentication = Authentication.start(kit.system(), AuthSettings.of(config), new Tables());
        server = SocketServer.create(
                kit.system(), services, authentication, SocketSettings.of(config), () -> standing, codecs);
        binding = Http.get(kit.system())
                .newServerAt("127.0.0.1", 0)
                .bind(server.route())
                .toCompletableFuture()
                .join();
    }

    URI uri() {
        return URI.create("ws://127.0.0.1:" + port() + "/api/v1/socket");
    }

    int port() {
        return binding.localAddress().getPort();
    }

    /** The next command of that type to any conversation; others before it are skipped. */
    <T extends ConversationCommand> T expect(Class<T> type) {
        return type.cast(conversations
                .fishForMessage(
                        PATIENCE,
                        told -> type.isInstance(told.command())
                                ? FishingOutcomes.complete()
                                : FishingOutcomes.continueAndIgnore())
                .get(0)
                .command());
    }

    <T extends DeskCommand> T expectDesk(Class<T> type) {
        return type.cast(desks.fishForMessage(
                        PATIENCE,
                        told -> type.isInstance(told.command())
                                ? FishingOutcomes.complete()
                                : FishingOutcomes.continueAndIgnore())
                .get(0)
                .command());
    }

    /** The conversation exists from now on. */
    void exists(String conv, String customer) {
        rows.put(
                conv,
                new Directory.ConversationRow(
                        conv,
                        customer,
                        "default",
                        Status.WAITING,
                        null,
                        "customer:" + customer,
                        1,
                        0,
                        Instant.EPOCH,
                        Instant.EPOCH));
    }

    void write(String conv, Entry entry) {
        log.computeIfAbsent(conv, key -> new ConcurrentSkipListMap<>()).put(entry.seq(), entry);
    }

    static ConversationView view(String conv, String customer, long lastSeq, long delivered) {
        return new ConversationView(
                conv,
                customer,
                Status.ASSIGNED,
                "default",
                "alice",
                1,
                0,
                Set.of(),
                Set.of(),
                Map.of(),
                Instant.EPOCH,
                lastSeq,
                new Watermark(delivered, 0),
                Watermark.NONE,
                List.of());
    }

    @Override
    public void close() {
        try {
            server.closeAll(Bye.RESTART, Duration.ZERO).toCompletableFuture().get(10, TimeUnit.SECONDS);
            binding.terminate(Duration.ofSeconds(1)).toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the sockets did not end", e);
        } finally {
            authentication.close();
            kit.shutdownTestKit();
        }
    }

    private final class ProbePeers implements Peers {
        @Override
        public void conversation(String conv, ConversationCommand command) {
            conversations.ref().tell(new ToConversation(conv, command));
        }

        @Override
        public void desk(String agent, DeskCommand command) {
            desks.ref().tell(new ToDesk(agent, command));
        }

        @Override
        public void line(String queue, LineCommand command) {}
    }

    private final class ProbeGateway implements Gateway {
        @Override
        public CompletionStage<ConversationReply> conversation(
                String conv,
                ActorRef<ConversationCommand> at,
                Person sender,
                Function<ActorRef<ConversationReply>, ConversationCommand> request) {
            return AskPattern.ask(
                    conversations.ref(),
                    (ActorRef<ConversationReply> ref) -> new ToConversation(conv, request.apply(ref)),
                    PATIENCE,
                    kit.scheduler());
        }

        @Override
        public CompletionStage<Boolean> known(String conv) {
            return CompletableFuture.completedFuture(rows.containsKey(conv));
        }

        @Override
        public CompletionStage<DeskReply> desk(String agent, Function<ActorRef<DeskReply>, DeskCommand> request) {
            return AskPattern.ask(
                    desks.ref(),
                    (ActorRef<DeskReply> ref) -> new ToDesk(agent, request.apply(ref)),
                    PATIENCE,
                    kit.scheduler());
        }

        @Override
        public CompletionStage<Optional<LineReply>> line(
                String queue, Function<ActorRef<LineReply>, LineCommand> request) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    private final class Tables implements Directory {
        @Override
        public CompletionStage<Optional<ConversationRow>> conversation(String conv) {
            return CompletableFuture.completedFuture(Optional.ofNullable(rows.get(conv)));
        }

        @Override
        public CompletionStage<Rows<ConversationRow>> conversations(
                ConversationFilter filter, Optional<String> cursor, int limit) {
            return CompletableFuture.completedFuture(new Rows<>(
                    rows.values().stream()
                            .filter(row -> row.customer().equals(filter.customer()))
                            .limit(limit)
                            .toList(),
                    Optional.empty()));
        }

        @Override
        public CompletionStage<List<WaitingRow>> waiting(String queue, String afterConv, int limit) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletionStage<Set<String>> waitingQueues() {
            return CompletableFuture.completedFuture(Set.of());
        }

        @Override
        public CompletionStage<Optional<AgentRow>> agent(String agent) {
            return CompletableFuture.completedFuture(Optional.ofNullable(agents.get(agent)));
        }

        @Override
        public CompletionStage<Rows<AgentRow>> agents(
                String queue, String availability, Optional<String> cursor, int limit) {
            return CompletableFuture.completedFuture(new Rows<>(List.copyOf(agents.values()), Optional.empty()));
        }

        @Override
        public CompletionStage<Optional<DeadLetterRow>> deadLetter(String id) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Rows<DeadLetterRow>> deadLetters(
                DeadLetterFilter filter, Optional<String> cursor, int limit) {
            return CompletableFuture.completedFuture(new Rows<>(List.of(), Optional.empty()));
        }

        @Override
        public CompletionStage<HallFigures> hallFigures(int lines) {
            return CompletableFuture.completedFuture(new HallFigures(List.of(), List.of()));
        }

        @Override
        public CompletionStage<DeadLetterFigures> deadLetterFigures() {
            return CompletableFuture.completedFuture(new DeadLetterFigures(0, null));
        }

        @Override
        public CompletionStage<List<QueueSettings>> queues() {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletionStage<Void> putQueue(QueueSettings settings) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Set<String>> revoked() {
            return CompletableFuture.completedFuture(Set.copyOf(revoked));
        }

        @Override
        public CompletionStage<Void> revoke(String personKey, Instant at) {
            revoked.add(personKey);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> unrevoke(String personKey) {
            revoked.remove(personKey);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<String> logId() {
            return CompletableFuture.completedFuture("log-1");
        }
    }

    private final class Log implements EntryLog {
        @Override
        public CompletionStage<Page> readUpwards(
                String conv, Entry.Visibility reader, long since, long before, int limit) {
            List<Entry> all =
                    log.getOrDefault(conv, new ConcurrentSkipListMap<>()).tailMap(since, true).values().stream()
                            .filter(entry -> entry.seq() < before && reader.sees(entry.visibility()))
                            .limit(limit + 1L)
                            .toList();
            boolean more = all.size() > limit;
            return CompletableFuture.supplyAsync(() -> new Page(more ? all.subList(0, limit) : all, more));
        }

        @Override
        public CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit) {
            List<Entry> all =
                    log.getOrDefault(conv, new ConcurrentSkipListMap<>()).headMap(before, false).values().stream()
                            .filter(entry -> reader.sees(entry.visibility()))
                            .toList();
            int from = Math.max(0, all.size() - limit);
            return CompletableFuture.completedFuture(new Page(all.subList(from, all.size()), from > 0));
        }

        @Override
        public CompletionStage<Long> lastSeq(String conv, Entry.Visibility reader) {
            return CompletableFuture.completedFuture(0L);
        }

        @Override
        public CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    private static final class OneQueue implements QueueCatalog {
        private static final QueueSettings DEFAULT = new QueueSettings(
                "default",
                "longest-idle",
                false,
                1,
                Duration.ofSeconds(20),
                100,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(10),
                Duration.ZERO,
                Duration.ZERO,
                QueueSettings.WhenClosed.REOPEN);

        @Override
        public Optional<QueueSettings> find(String queue) {
            return all().stream().filter(known -> known.queue().equals(queue)).findAny();
        }

        @Override
        public Collection<QueueSettings> all() {
            return List.of(DEFAULT);
        }
    }

    // ---- playing a conversation ----

    /** An actor that takes whatever it gets, ended by {@code kit.stop}; what it gets as a conversation can be expected. */
    <T> ActorRef<T> actor() {
        return kit.spawn(Behaviors.<T>receiveMessage(message -> {
            if (message instanceof ConversationCommand command) {
                conversations.ref().tell(new ToConversation("", command));
            }
            return Behaviors.same();
        }));
    }

    /** Answers the next attach: the terminal continues after what it asked for, or after {@code delivered}. */
    ConversationCommand.Attach attach(
            ActorRef<ConversationCommand> ref, ConversationView view, List<TerminalPush.EntryPush> missed) {
        ConversationCommand.Attach attach = expect(ConversationCommand.Attach.class);
        long after = attach.after() < 0 ? view.watermark().delivered() : attach.after();
        attach.ref().tell(new TerminalPush.Attached(ref, view, after, after > view.lastSeq(), missed));
        return attach;
    }

    static Entry message(long seq, String text) {
        return Entry.message(seq, new Person(Role.AGENT, "alice"), Instant.EPOCH, "a" + seq, Body.text(text));
    }

    static TerminalPush.EntryPush push(String conv, long seq) {
        return new TerminalPush.EntryPush(conv, message(seq, "message " + seq), seq - 1);
    }

    /** Writes messages to the log without telling anybody. */
    void writeAll(String conv, long from, long to) {
        for (long seq = from; seq <= to; seq++) {
            write(conv, message(seq, "message " + seq));
        }
    }
}
