package dev.switchboard.delivery;

import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.ports.Deadlines;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.routing.QueueSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Storage in which nothing lies but what a test puts there. Thread-safe. */
public final class EmptyStorage implements Directory, EntryLog, Deadlines {
    final Map<String, QueueSettings> queues = new ConcurrentHashMap<>();
    final Map<String, ConversationRow> conversations = new ConcurrentHashMap<>();
    final List<String> conversationLookups = new CopyOnWriteArrayList<>();

    @Override
    public CompletionStage<List<Due>> due(Instant now, int limit) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<Optional<ConversationRow>> conversation(String conv) {
        conversationLookups.add(conv);
        return CompletableFuture.completedFuture(Optional.ofNullable(conversations.get(conv)));
    }

    @Override
    public CompletionStage<Rows<ConversationRow>> conversations(
            ConversationFilter filter, Optional<String> cursor, int limit) {
        return CompletableFuture.completedFuture(new Rows<>(List.copyOf(conversations.values()), Optional.empty()));
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
        return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletionStage<Rows<AgentRow>> agents(
            String queue, String availability, Optional<String> cursor, int limit) {
        return CompletableFuture.completedFuture(new Rows<>(List.of(), Optional.empty()));
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
        return CompletableFuture.completedFuture(List.copyOf(queues.values()));
    }

    @Override
    public CompletionStage<Void> putQueue(QueueSettings settings) {
        queues.put(settings.queue(), settings);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Set<String>> revoked() {
        return CompletableFuture.completedFuture(Set.of());
    }

    @Override
    public CompletionStage<Void> revoke(String personKey, Instant at) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> unrevoke(String personKey) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<String> logId() {
        return CompletableFuture.completedFuture("log");
    }

    @Override
    public CompletionStage<Page> readUpwards(String conv, Entry.Visibility reader, long since, long before, int limit) {
        return CompletableFuture.completedFuture(new Page(List.of(), false));
    }

    @Override
    public CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit) {
        return CompletableFuture.completedFuture(new Page(List.of(), false));
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
