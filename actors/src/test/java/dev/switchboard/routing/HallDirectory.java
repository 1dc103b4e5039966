package dev.switchboard.routing;

import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.StorageUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A directory whose waiting rows follow from the journal of a {@link Hall}, as the real one's do. Thread-safe. */
final class HallDirectory extends StubDirectory {
    private final Hall hall;
    volatile boolean broken;

    HallDirectory(Hall hall) {
        this.hall = hall;
    }

    Map<String, Ticket> rows(String queue) {
        Map<String, Ticket> rows = new TreeMap<>();
        for (String conv : hall.conversations()) {
            for (Object event : hall.events(EntityKind.CONVERSATION, conv)) {
                for (DirectoryChange change : ((ConversationEvent) event).directoryChanges(conv)) {
                    if (change instanceof DirectoryChange.WaitingPut put) {
                        rows.put(conv, put.ticket());
                    } else if (change instanceof DirectoryChange.WaitingRemoved) {
                        rows.remove(conv);
                    }
                }
            }
        }
        rows.values().removeIf(ticket -> !ticket.queue().equals(queue));
        return rows;
    }

    @Override
    public CompletionStage<List<WaitingRow>> waiting(String queue, String afterConv, int limit) {
        if (broken) {
            return CompletableFuture.failedFuture(new StorageUnavailableException("broken by the test", null));
        }
        List<WaitingRow> page = new ArrayList<>();
        rows(queue).forEach((conv, ticket) -> {
            if ((afterConv == null || conv.compareTo(afterConv) > 0) && page.size() < limit) {
                page.add(new WaitingRow(conv, ticket));
            }
        });
        return CompletableFuture.completedFuture(page);
    }

    EntryLog entryLog() {
        return new EntryLog() {
            @Override
            public CompletionStage<Page> readUpwards(
                    String conv, Entry.Visibility reader, long since, long before, int limit) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CompletionStage<Long> lastSeq(String conv, Entry.Visibility reader) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CompletionStage<Optional<RequestRecord>> findRequest(
                    String conv, Person sender, String clientMsgId) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
        };
    }

    @Override
    public CompletionStage<Set<String>> waitingQueues() {
        return CompletableFuture.completedFuture(rows(Hall.QUEUE).isEmpty() ? Set.of() : Set.of(Hall.QUEUE));
    }
}
