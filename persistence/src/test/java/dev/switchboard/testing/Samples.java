package dev.switchboard.testing;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.MarksMoved;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Marks;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskEvent;
import dev.switchboard.desk.DeskEvent.DeadlineMoved;
import dev.switchboard.desk.DeskEvent.Listing;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Events as conversations write them, for tests. */
public final class Samples {
    public static final Instant AT = Instant.parse("2026-03-04T05:06:07.891234Z");

    private Samples() {}

    public static Person customer(String id) {
        return new Person(Role.CUSTOMER, id);
    }

    public static Ticket ticket(String customer, String queue, long epoch) {
        return new Ticket(queue, epoch, customer, 3, Set.of("french", "billing"), AT, false, null, null, false);
    }

    public static Opened opened(String customer, String queue) {
        return new Opened(
                AT,
                customer,
                customer(customer),
                ticket(customer, queue, 1),
                Map.of("page", "prices"),
                new byte[] {1, 2, 3},
                AT.plusSeconds(60));
    }

    public static EntryAppended message(String customer, long seq, String text) {
        return message(customer, seq, "m" + seq, text);
    }

    public static EntryAppended message(String customer, long seq, String clientMsgId, String text) {
        Entry entry = Entry.message(seq, customer(customer), AT.plusSeconds(seq), clientMsgId, Body.text(text));
        return new EntryAppended(entry, 1000 + seq, true, Marks.NONE, null);
    }

    public static EntryAppended note(String agent, long seq, String text) {
        Entry entry = Entry.note(seq, new Person(Role.AGENT, agent), AT.plusSeconds(seq), null, text);
        return new EntryAppended(entry, 0, false, Marks.NONE, null);
    }

    public static OwnerChanged assigned(String agent, long seq, long epoch, String queue) {
        Entry entry = Entry.lifecycle(
                seq, Entry.Kind.ASSIGNED, null, AT.plusSeconds(seq), null, agent, epoch, null, null, null);
        return new OwnerChanged(entry, 0, Status.ASSIGNED, queue, null, null, null, List.of(), Marks.NONE, Instant.MAX);
    }

    public static OwnerChanged returned(String customer, long seq, long epoch, String queue) {
        Entry entry = Entry.lifecycle(
                seq, Entry.Kind.RETURNED, null, AT.plusSeconds(seq), null, null, epoch, queue, null, "gone");
        return new OwnerChanged(
                entry,
                0,
                Status.WAITING,
                queue,
                ticket(customer, queue, epoch),
                null,
                null,
                List.of(),
                Marks.NONE,
                AT.plusSeconds(600));
    }

    public static DeskEvent desk(int held) {
        Listing listing = new Listing(
                Availability.AVAILABLE,
                10,
                held,
                Set.of("default", "vip"),
                Set.of("french"),
                true,
                AT.plusSeconds(held));
        return new DeadlineMoved(listing, null);
    }

    public static MarksMoved marks() {
        return new MarksMoved(Marks.NONE, null);
    }
}
