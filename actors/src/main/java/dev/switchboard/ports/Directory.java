package dev.switchboard.ports;

import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.routing.QueueSettings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The small tables behind the lists. Rows of conversations, waiting, deadlines and agents are written by events alone
 * ({@link DirectoryChange}); queues and revocations are written here. Thread-safe; never blocks the caller. A stage fails
 * with {@link StorageUnavailableException} when the database can't answer now.
 */
public interface Directory {
    /** A conversation as the lists know it. {@code owner} is null when nobody owns it. */
    record ConversationRow(
            String conv,
            String customer,
            String queue,
            Status status,
            String owner,
            String openedBy,
            long epoch,
            int priority,
            Instant openedAt,
            Instant updatedAt) {}

    /** An agent as the lists know it. {@code profiled}: somebody set a profile; otherwise it only said hello. */
    record AgentRow(
            String agent,
            String availability,
            int capacity,
            int held,
            Set<String> queues,
            Set<String> skills,
            boolean profiled,
            Instant updatedAt) {}

    /** A waiting conversation. */
    record WaitingRow(String conv, Ticket ticket) {}

    /** One page of a list, and the cursor of the next one, or empty at the end. Cursors are opaque. */
    record Rows<T>(List<T> items, Optional<String> cursor) {
        public Rows {
            items = List.copyOf(items);
        }
    }

    /**
     * What a list of conversations is narrowed to. A null field narrows nothing; {@code queues} narrows to several, and
     * an empty set there gives an empty list.
     */
    record ConversationFilter(Status status, String owner, String queue, Set<String> queues, String customer) {}

    /** A dead letter, settled or not, and the conversation that it belongs to. */
    record DeadLetterRow(String conv, Letter letter) {}

    /** What a list of dead letters is narrowed to. A null field narrows nothing; empty sets give an empty list. */
    record DeadLetterFilter(Set<Letter.State> states, String queue, Set<String> queues, String conv) {}

    /** How many dead letters are not settled, and when the oldest of them died; null when there is none. */
    record DeadLetterFigures(long open, Instant oldest) {}

    /** How many wait in a queue's line, and since when the first of them does. */
    record LineFigures(String queue, long length, Instant oldest) {}

    /** The desks of one availability: how many, the slots they have, and how many of those are held. */
    record DeskFigures(String availability, long desks, long slots, long held) {}

    /** The lines in which somebody waits, the longest first, and the desks. */
    record HallFigures(List<LineFigures> lines, List<DeskFigures> desks) {
        public HallFigures {
            lines = List.copyOf(lines);
            desks = List.copyOf(desks);
        }
    }

    CompletionStage<Optional<ConversationRow>> conversation(String conv);

    /** Newest change first. Throws IllegalArgumentException for a cursor that this directory didn't make. */
    CompletionStage<Rows<ConversationRow>> conversations(ConversationFilter filter, Optional<String> cursor, int limit);

    /** The waiting rows of a queue by conversation id, those after {@code afterConv} (null: from the start). */
    CompletionStage<List<WaitingRow>> waiting(String queue, String afterConv, int limit);

    /** The queues in which somebody waits. */
    CompletionStage<Set<String>> waitingQueues();

    CompletionStage<Optional<AgentRow>> agent(String agent);

    /** By agent id. A null {@code queue} or {@code availability} narrows nothing. */
    CompletionStage<Rows<AgentRow>> agents(String queue, String availability, Optional<String> cursor, int limit);

    CompletionStage<Optional<DeadLetterRow>> deadLetter(String id);

    /** The oldest first. Throws IllegalArgumentException for a cursor that this directory didn't make. */
    CompletionStage<Rows<DeadLetterRow>> deadLetters(DeadLetterFilter filter, Optional<String> cursor, int limit);

    CompletionStage<DeadLetterFigures> deadLetterFigures();

    /** The lines and desks of the whole hall; of lines at most {@code lines}. */
    CompletionStage<HallFigures> hallFigures(int lines);

    /** The queues that were set by an operator. */
    CompletionStage<List<QueueSettings>> queues();

    /** Stores an operator's settings of a queue; replaces earlier ones. */
    CompletionStage<Void> putQueue(QueueSettings settings);

    /** The people ({@code role:id}) whose tokens are no longer taken. */
    CompletionStage<Set<String>> revoked();

    CompletionStage<Void> revoke(String personKey, Instant at);

    CompletionStage<Void> unrevoke(String personKey);

    /** The id of this history; another one after it was restored from an older copy. */
    CompletionStage<String> logId();
}
