package dev.switchboard.api;

import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationView;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.RoutingDecision;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.Gateway;
import dev.switchboard.delivery.Services;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.DeskView;
import dev.switchboard.desk.Slot;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.Storage;
import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * What stands behind the API in its own tests: rows in maps, and answers that a test sets. Thread-safe enough for
 * them.
 */
final class Fakes {
    static final Instant NOON = Instant.parse("2026-11-30T12:00:00.120Z");

    final Map<String, Directory.ConversationRow> conversations = new ConcurrentSkipListMap<>();
    final Map<String, Directory.AgentRow> agents = new ConcurrentSkipListMap<>();
    final Map<String, QueueSettings> queues = new ConcurrentSkipListMap<>();
    final Map<String, List<Entry>> entries = new ConcurrentSkipListMap<>();
    final Map<String, RequestRecord> requests = new ConcurrentSkipListMap<>();
    final Set<String> revoked = Collections.synchronizedSet(new HashSet<>());
    final List<ConversationCommand> asked = Collections.synchronizedList(new ArrayList<>());
    final List<DeskCommand> desksAsked = Collections.synchronizedList(new ArrayList<>());
    volatile Function<ConversationCommand, ConversationReply> answer = this::described;
    volatile CompletionStage<Boolean> waitFor = CompletableFuture.completedFuture(true);
    volatile boolean databaseDown;
    volatile boolean lineAnswers = true;

    Fakes() {
        queues.put("default", settings("default"));
        queues.put("billing", settings("billing"));
    }

    static QueueSettings settings(String name) {
        return new QueueSettings(
                name,
                "longest-idle",
                false,
                1,
                Duration.ofSeconds(20),
                1000,
                Duration.ofMinutes(2),
                Duration.ZERO,
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(5),
                Duration.ZERO,
                QueueSettings.WhenClosed.REOPEN);
    }

    static Directory.ConversationRow row(String customer, Status status, String owner, String queue) {
        return new Directory.ConversationRow(
                "c-" + customer, customer, queue, status, owner, "customer:" + customer, 3, 0, NOON, NOON);
    }

    void add(Directory.ConversationRow row) {
        conversations.put(row.conv(), row);
    }

    void agent(String agent, boolean profiled, String... served) {
        agents.put(agent, new Directory.AgentRow(agent, "available", 3, 0, Set.of(served), Set.of(), profiled, NOON));
    }

    Services services() {
        return new Services(
                null, new FakeGateway(), new FakeQueues(), new Storage(new FakeDirectory(), new FakeLog(), null, null));
    }

    Directory directory() {
        return new FakeDirectory();
    }

    private ConversationReply described(ConversationCommand command) {
        if (command instanceof ConversationCommand.Describe) {
            return new ConversationReply.Described(view());
        }
        if (command instanceof ConversationCommand.Open) {
            return new ConversationReply.Opened(view(), true);
        }
        return new ConversationReply.Done("c-carol", 7, 4, 7, false);
    }

    static ConversationView view() {
        return new ConversationView(
                "c-carol",
                "carol",
                Status.ASSIGNED,
                "default",
                "alice",
                4,
                0,
                Set.of("french"),
                Set.of("vip"),
                Map.of("page", "/prices"),
                NOON,
                7,
                new Watermark(6, 5),
                new Watermark(4, 2),
                List.of(new RoutingDecision(NOON, "alice", "longest-idle", "Idle longest.", List.of("bob: full"))));
    }

    private <T> CompletionStage<T> stored(T value) {
        return databaseDown
                ? CompletableFuture.failedFuture(new StorageUnavailableException("down", null))
                : CompletableFuture.completedFuture(value);
    }

    private final class FakeGateway implements Gateway {
        @Override
        public CompletionStage<ConversationReply> conversation(
                String conv,
                ActorRef<ConversationCommand> at,
                Person sender,
                Function<ActorRef<ConversationReply>, ConversationCommand> request) {
            ConversationCommand command = request.apply(null);
            asked.add(command);
            return waitFor.thenApply(go -> answer.apply(command));
        }

        @Override
        public CompletionStage<Boolean> known(String conv) {
            return stored(conversations.containsKey(conv));
        }

        @Override
        public CompletionStage<DeskReply> desk(String agent, Function<ActorRef<DeskReply>, DeskCommand> request) {
            desksAsked.add(request.apply(null));
            return CompletableFuture.completedFuture(new DeskReply.Shown(new DeskView(
                    agent,
                    Availability.AVAILABLE,
                    true,
                    3,
                    Set.of("default"),
                    Set.of("french"),
                    false,
                    List.of(
                            new Slot("c-carol", "o", 4, true, false, null, null, "default"),
                            new Slot("c-carl", "o2", 1, false, false, NOON, null, "default")),
                    NOON)));
        }

        @Override
        public CompletionStage<Optional<LineReply>> line(
                String queue, Function<ActorRef<LineReply>, LineCommand> request) {
            LineCommand command = request.apply(null);
            LineReply reply = command instanceof LineCommand.Explain
                    ? new LineReply.Explained(2, "Nobody is free.", List.of("bob: full (3 of 3)"))
                    : new LineReply.Shown(queue, 2, NOON, 1, 0);
            return CompletableFuture.completedFuture(lineAnswers ? Optional.of(reply) : Optional.empty());
        }
    }

    private final class FakeQueues implements QueueCatalog {
        @Override
        public Optional<QueueSettings> find(String queue) {
            return Optional.ofNullable(queues.get(queue));
        }

        @Override
        public Collection<QueueSettings> all() {
            return queues.values();
        }

        @Override
        public CompletionStage<Void> put(QueueSettings settings) {
            queues.put(settings.queue(), settings);
            return stored(null);
        }
    }

    private final class FakeLog implements EntryLog {
        @Override
        public CompletionStage<Page> readUpwards(
                String conv, Entry.Visibility reader, long since, long before, int limit) {
            List<Entry> all = visible(conv, reader).stream()
                    .filter(entry -> entry.seq() >= since && entry.seq() < before)
                    .toList();
            return stored(new Page(all.subList(0, Math.min(limit, all.size())), all.size() > limit));
        }

        @Override
        public CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit) {
            List<Entry> all = visible(conv, reader).stream()
                    .filter(entry -> entry.seq() < before)
                    .toList();
            return stored(new Page(all.subList(Math.max(0, all.size() - limit), all.size()), all.size() > limit));
        }

        private List<Entry> visible(String conv, Entry.Visibility reader) {
            return entries.getOrDefault(conv, List.of()).stream()
                    .filter(entry -> reader.sees(entry.visibility()))
                    .toList();
        }

        @Override
        public CompletionStage<Long> lastSeq(String conv, Entry.Visibility reader) {
            return stored((long) visible(conv, reader).size());
        }

        @Override
        public CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId) {
            return stored(Optional.ofNullable(requests.get(conv + " " + sender + " " + clientMsgId)));
        }
    }

    private final class FakeDirectory implements Directory {
        @Override
        public CompletionStage<Optional<ConversationRow>> conversation(String conv) {
            return stored(Optional.ofNullable(conversations.get(conv)));
        }

        @Override
        public CompletionStage<Rows<ConversationRow>> conversations(
                ConversationFilter filter, Optional<String> cursor, int limit) {
            List<ConversationRow> rows = new TreeMap<>(conversations)
                    .tailMap(cursor.orElse(""), false).values().stream()
                            .filter(row -> filter.status() == null || row.status() == filter.status())
                            .filter(row ->
                                    filter.owner() == null || filter.owner().equals(row.owner()))
                            .filter(row ->
                                    filter.queue() == null || filter.queue().equals(row.queue()))
                            .filter(row ->
                                    filter.queues() == null || filter.queues().contains(row.queue()))
                            .filter(row -> filter.customer() == null
                                    || filter.customer().equals(row.customer()))
                            .toList();
            List<ConversationRow> page = rows.subList(0, Math.min(limit, rows.size()));
            return stored(new Rows<>(
                    page,
                    rows.size() > page.size()
                            ? Optional.of(page.get(page.size() - 1).conv())
                            : Optional.empty()));
        }

        @Override
        public CompletionStage<List<WaitingRow>> waiting(String queue, String afterConv, int limit) {
            return stored(List.of());
        }

        @Override
        public CompletionStage<Set<String>> waitingQueues() {
            return stored(Set.of());
        }

        @Override
        public CompletionStage<Optional<AgentRow>> agent(String agent) {
            return stored(Optional.ofNullable(agents.get(agent)));
        }

        @Override
        public CompletionStage<Rows<AgentRow>> agents(
                String queue, String availability, Optional<String> cursor, int limit) {
            if (cursor.isPresent()) {
                throw new IllegalArgumentException("not a cursor: " + cursor.get());
            }
            List<AgentRow> rows = agents.values().stream()
                    .filter(row -> queue == null || row.queues().contains(queue))
                    .filter(row -> availability == null || row.availability().equals(availability))
                    .toList();
            return stored(new Rows<>(rows, Optional.empty()));
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
            return stored(List.of());
        }

        @Override
        public CompletionStage<Void> putQueue(QueueSettings settings) {
            return stored(null);
        }

        @Override
        public CompletionStage<Set<String>> revoked() {
            return stored(Set.copyOf(revoked));
        }

        @Override
        public CompletionStage<Void> revoke(String personKey, Instant at) {
            revoked.add(personKey);
            return stored(null);
        }

        @Override
        public CompletionStage<Void> unrevoke(String personKey) {
            revoked.remove(personKey);
            return stored(null);
        }

        @Override
        public CompletionStage<String> logId() {
            return stored("log");
        }
    }
}
