package dev.switchboard.conversation;

import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.ConversationChanged;
import dev.switchboard.ports.DirectoryChange.ConversationOpened;
import dev.switchboard.ports.DirectoryChange.DeadlinePut;
import dev.switchboard.ports.DirectoryChange.DeadlineRemoved;
import dev.switchboard.ports.DirectoryChange.WaitingPut;
import dev.switchboard.ports.DirectoryChange.WaitingRemoved;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.JournaledEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What a conversation persists. Every event may carry {@link Marks} that had gathered since the last one, and a new
 * deadline: the time at which the conversation must be awake even if nobody asks for it. Immutable.
 *
 * <p>{@code deadline}: null leaves the row as it is, {@link Instant#MAX} removes it, any other time sets it.
 */
public sealed interface ConversationEvent extends JournaledEvent {
    Marks marks();

    Instant deadline();

    /**
     * The conversation exists, and waits in its first line.
     *
     * @param hashKey the key of the hashes of this conversation's requests
     */
    @SuppressWarnings("ArrayRecordComponent") // Never written after construction, and never compared: bytes are least.
    record Opened(
            Instant at,
            String customer,
            Person openedBy,
            Ticket ticket,
            Map<String, String> attributes,
            byte[] hashKey,
            Instant deadline)
            implements ConversationEvent {
        public Opened {
            Objects.requireNonNull(at, "at");
            attributes = Map.copyOf(attributes);
        }

        @Override
        public Marks marks() {
            return Marks.NONE;
        }

        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(
                    conv,
                    deadline,
                    new ConversationOpened(
                            conv,
                            customer,
                            ticket.queue(),
                            Status.WAITING,
                            openedBy.key(),
                            ticket.epoch(),
                            ticket.priority(),
                            at),
                    new WaitingPut(conv, ticket));
        }
    }

    /**
     * An entry that changes neither status nor owner: a message, a note or a label.
     *
     * @param hash the keyed hash of the request; 0 when none made it
     * @param viaSocket true when it is a customer's message over a socket: its absence can then be noticed
     */
    record EntryAppended(Entry entry, long hash, boolean viaSocket, Marks marks, Instant deadline)
            implements ConversationEvent {
        @Override
        public Optional<Entry> journaledEntry() {
            return Optional.of(entry);
        }

        @Override
        public long requestHash() {
            return hash;
        }

        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(conv, deadline);
        }
    }

    /**
     * An entry that changes the owner or ends ownership: assigned, returned, transferred, closed, reopened. The entry
     * carries the new owner and epoch.
     *
     * @param hash the keyed hash of the request; 0 when none made it
     * @param ticket the place in line after it; null unless the conversation waits after it
     * @param offer for {@code assigned}: the offer that was taken
     * @param decision for {@code assigned}: why this agent; may be null
     * @param intents what is owed to desks because of it
     * @param queue the conversation's queue after it
     */
    record OwnerChanged(
            Entry entry,
            long hash,
            Status status,
            String queue,
            Ticket ticket,
            String offer,
            RoutingDecision decision,
            List<DeskIntent> intents,
            Marks marks,
            Instant deadline)
            implements ConversationEvent {
        public OwnerChanged {
            intents = List.copyOf(intents);
        }

        @Override
        public Optional<Entry> journaledEntry() {
            return Optional.of(entry);
        }

        @Override
        public long requestHash() {
            return hash;
        }

        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(
                    conv,
                    deadline,
                    new ConversationChanged(conv, status, entry.owner(), queue, entry.epoch(), entry.at()),
                    ticket == null ? new WaitingRemoved(conv) : new WaitingPut(conv, ticket));
        }
    }

    /** The conversation is offered to an agent. It keeps its row in the line. */
    record Offered(OpenOffer offer, String queue, long epoch, Instant at, Marks marks, Instant deadline)
            implements ConversationEvent {
        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(conv, deadline, new ConversationChanged(conv, Status.OFFERED, null, queue, epoch, at));
        }
    }

    /**
     * An offer ended without being taken, or is barred before it came: it can't be taken any more.
     *
     * @param agent to whom it was made
     * @param reason {@code declined}, {@code timeout}, {@code withdrawn} or {@code barred}
     * @param status the status after it: waiting when no other offer is open
     */
    record OfferEnded(
            String offer,
            String agent,
            String reason,
            Status status,
            String queue,
            long epoch,
            Instant at,
            DeskIntent intent,
            Marks marks,
            Instant deadline)
            implements ConversationEvent {
        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(conv, deadline, new ConversationChanged(conv, status, null, queue, epoch, at));
        }
    }

    /** Nothing but marks and a deadline: written after quiet, at the end, or when a deadline was met too early. */
    record MarksMoved(Marks marks, Instant deadline) implements ConversationEvent {
        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(conv, deadline);
        }
    }

    /** A closed conversation has a successor: the customer's next messages go there. */
    record Succeeded(String successor, Marks marks) implements ConversationEvent {
        @Override
        public Instant deadline() {
            return null;
        }
    }

    /**
     * What was said up to now is erased for good. First the conversation forgets it and says so by an entry
     * ({@link #asked}); then, when the rows of the journal are rewritten and old snapshots are gone, a second event of this
     * kind, without an entry, ends it ({@link #carriedOut}). Until then it is begun again after a restart.
     *
     * @param entry the entry that tells it, without a sender; null when it is carried out
     * @param by who asked for it; null when nobody did, since it was closed long enough, and when it is carried out
     * @param requestId the id of that request; null where {@code by} is
     * @param hashKey the key of later requests' hashes: without the old one those of erased bodies tell nothing
     */
    @SuppressWarnings("ArrayRecordComponent") // Never written after construction, and never compared: bytes are least.
    record Erased(Instant at, Entry entry, Person by, String requestId, byte[] hashKey, Marks marks, Instant deadline)
            implements ConversationEvent {
        static Erased asked(Instant at, long seq, Person by, String requestId, byte[] hashKey, Instant deadline) {
            Entry marker = Entry.lifecycle(seq, Entry.Kind.ERASED, null, at, null, null, 0, null, null, null);
            return new Erased(at, marker, by, requestId, hashKey, Marks.NONE, deadline);
        }

        static Erased carriedOut(Instant at, Instant deadline) {
            return new Erased(at, null, null, null, new byte[0], Marks.NONE, deadline);
        }

        public boolean isCarriedOut() {
            return entry == null;
        }

        @Override
        public Optional<Entry> journaledEntry() {
            return Optional.ofNullable(entry);
        }

        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withDeadline(conv, deadline);
        }
    }

    /** One more attempt to deliver an entry failed. {@code letter} is as it is after it. */
    record DeliveryFailed(Letter letter, Marks marks, Instant deadline) implements ConversationEvent {
        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withLetter(conv, deadline, letter);
        }
    }

    /** Something else happened to an entry that was refused. {@code letter} is as it is after it. */
    record LetterChanged(Letter letter, Marks marks, Instant deadline) implements ConversationEvent {
        @Override
        public List<DirectoryChange> directoryChanges(String conv) {
            return withLetter(conv, deadline, letter);
        }
    }

    private static List<DirectoryChange> withLetter(String conv, Instant deadline, Letter letter) {
        return letter.isListed()
                ? withDeadline(conv, deadline, new DirectoryChange.DeadLetterPut(conv, letter))
                : withDeadline(conv, deadline);
    }

    private static List<DirectoryChange> withDeadline(String conv, Instant deadline, DirectoryChange... others) {
        List<DirectoryChange> changes = new ArrayList<>(others.length + 1);
        changes.addAll(List.of(others));
        if (deadline != null) {
            changes.add(
                    deadline.equals(Instant.MAX)
                            ? new DeadlineRemoved(EntityKind.CONVERSATION, conv)
                            : new DeadlinePut(EntityKind.CONVERSATION, conv, deadline));
        }
        return changes;
    }

    /** For tests and tools: every kind of event, so that none is forgotten by a serializer. */
    static Set<Class<? extends ConversationEvent>> kinds() {
        return Set.of(
                Opened.class,
                EntryAppended.class,
                OwnerChanged.class,
                Offered.class,
                OfferEnded.class,
                MarksMoved.class,
                Succeeded.class,
                Erased.class,
                DeliveryFailed.class,
                LetterChanged.class);
    }
}
