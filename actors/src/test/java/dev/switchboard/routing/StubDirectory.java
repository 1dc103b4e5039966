package dev.switchboard.routing;

import dev.switchboard.ports.Directory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A directory in which nothing lies; tests override what they need. */
class StubDirectory implements Directory {
    @Override
    public CompletionStage<List<WaitingRow>> waiting(String queue, String afterConv, int limit) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<Set<String>> waitingQueues() {
        return CompletableFuture.completedFuture(Set.of());
    }

    @Override
    public CompletionStage<Optional<ConversationRow>> conversation(String conv) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Rows<ConversationRow>> conversations(
            ConversationFilter filter, Optional<String> cursor, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Optional<AgentRow>> agent(String agent) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Rows<AgentRow>> agents(
            String queue, String availability, Optional<String> cursor, int limit) {
        throw new UnsupportedOperationException();
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
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Set<String>> revoked() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> revoke(String personKey, Instant at) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> unrevoke(String personKey) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<String> logId() {
        throw new UnsupportedOperationException();
    }
}
