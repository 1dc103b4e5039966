package dev.switchboard.conversation;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Anything visible in a conversation, numbered densely from 1. Immutable. Fields that a kind doesn't use are null, 0 or
 * empty.
 *
 * @param seq its number in the conversation
 * @param kind what happened
 * @param from who did it; null when Switchboard itself did
 * @param at when it was persisted
 * @param clientMsgId the sender's id of the request; may be null
 * @param body a message's or a note's content
 * @param owner who owns the conversation after a change of owner; null when nobody does
 * @param epoch the ownership epoch after a change of owner; 0 for other kinds
 * @param queue the queue after a transfer, return or reopening
 * @param agent the agent a transfer is meant for
 * @param reason why it was returned, transferred or closed
 * @param labelsAdded for {@code label}
 * @param labelsRemoved for {@code label}
 */
public record Entry(
        long seq,
        Kind kind,
        Person from,
        Instant at,
        String clientMsgId,
        Body body,
        String owner,
        long epoch,
        String queue,
        String agent,
        String reason,
        List<String> labelsAdded,
        List<String> labelsRemoved) {
    /** What an entry tells. The order is that of the journal's codes: append only. */
    public enum Kind {
        MESSAGE(Visibility.ALL),
        ASSIGNED(Visibility.ALL),
        RETURNED(Visibility.ALL),
        TRANSFERRED(Visibility.ALL),
        CLOSED(Visibility.ALL),
        REOPENED(Visibility.ALL),
        NOTE(Visibility.STAFF),
        LABEL(Visibility.STAFF),
        ERASED(Visibility.ALL),
        /** Stands in a history for an entry that can't be read; never persisted. */
        UNREADABLE(Visibility.ALL),
        /** An erased note or label: as before its erasure, customers don't see it. */
        ERASED_NOTE(Visibility.STAFF, "erased");

        private final Visibility visibility;
        private final String wireName;

        Kind(Visibility visibility) {
            this.visibility = visibility;
            this.wireName = name().toLowerCase(Locale.ROOT);
        }

        Kind(Visibility visibility, String wireName) {
            this.visibility = visibility;
            this.wireName = wireName;
        }

        public Visibility visibility() {
            return visibility;
        }

        public String wireName() {
            return wireName;
        }
    }

    /** Who may see an entry. The order is that of the journal's codes: append only. */
    public enum Visibility {
        ALL,
        STAFF;

        /** True when a reader of this class may see an entry of that one. */
        public boolean sees(Visibility entry) {
            return this == STAFF || entry == ALL;
        }
    }

    public Entry {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(at, "at");
        labelsAdded = List.copyOf(labelsAdded);
        labelsRemoved = List.copyOf(labelsRemoved);
    }

    public static Entry message(long seq, Person from, Instant at, String clientMsgId, Body body) {
        return new Entry(
                seq, Kind.MESSAGE, from, at, clientMsgId, body, null, 0, null, null, null, List.of(), List.of());
    }

    public static Entry note(long seq, Person from, Instant at, String clientMsgId, String text) {
        return new Entry(
                seq,
                Kind.NOTE,
                from,
                at,
                clientMsgId,
                Body.text(text),
                null,
                0,
                null,
                null,
                null,
                List.of(),
                List.of());
    }

    public static Entry label(
            long seq, Person from, Instant at, String clientMsgId, List<String> added, List<String> removed) {
        return new Entry(seq, Kind.LABEL, from, at, clientMsgId, null, null, 0, null, null, null, added, removed);
    }

    /** A change of owner: assigned, returned, transferred, closed or reopened. */
    public static Entry lifecycle(
            long seq,
            Kind kind,
            Person from,
            Instant at,
            String clientMsgId,
            String owner,
            long epoch,
            String queue,
            String agent,
            String reason) {
        return new Entry(
                seq, kind, from, at, clientMsgId, null, owner, epoch, queue, agent, reason, List.of(), List.of());
    }

    /** What is left of an entry that was erased: its number, who, when, and what it meant for the owner; no text. */
    public Entry erased() {
        return switch (kind) {
            case MESSAGE -> withoutText(Kind.ERASED);
            case NOTE, LABEL -> withoutText(Kind.ERASED_NOTE);
            case ERASED, ERASED_NOTE, UNREADABLE -> this;
            // A reason that nobody wrote is one of Switchboard's own words.
            case ASSIGNED, RETURNED, TRANSFERRED, CLOSED, REOPENED ->
                from == null || reason == null ? this : withoutText(kind);
        };
    }

    private Entry withoutText(Kind kept) {
        return new Entry(
                seq, kept, from, at, clientMsgId, null, owner, epoch, queue, agent, null, List.of(), List.of());
    }

    public Visibility visibility() {
        return kind.visibility();
    }
}
