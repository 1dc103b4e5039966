package dev.switchboard.bench.journal;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.Opened;
import dev.switchboard.conversation.ConversationEvent.OwnerChanged;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Marks;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.serialization.EventCodec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The events of a conversation as it lives: it is opened, every so often it changes its owner (which also changes the
 * directory), and all else are customers' messages of one serialized size. Immutable; thread-safe.
 */
final class EventSource {
    private static final int OWNER_CHANGES_EVERY = 20;
    private static final Instant AT = Instant.parse("2026-01-02T03:04:05.678901Z");

    private final String text;

    EventSource(int eventBytes) {
        String alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        Random random = new Random(11);
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < eventBytes; i++) {
            letters.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        int beside = new EventCodec().write(message(1234, 1234, letters.toString())).length - eventBytes;
        text = letters.substring(0, Math.max(1, eventBytes - beside));
    }

    static String persistenceId(int conversation) {
        return "conversation|" + conv(conversation);
    }

    static String conv(int conversation) {
        return "c-customer-" + conversation;
    }

    static Person customer(int conversation) {
        return new Person(Role.CUSTOMER, "customer-" + conversation);
    }

    static String clientMsgId(long number) {
        return "message-" + number;
    }

    /** The event with that number of that conversation. */
    ConversationEvent event(int conversation, long number) {
        if (number == 1) {
            return opened(conversation);
        }
        if (number % OWNER_CHANGES_EVERY == 0) {
            return number % (2 * OWNER_CHANGES_EVERY) == 0
                    ? returned(conversation, number)
                    : assigned(conversation, number);
        }
        return message(conversation, number, text);
    }

    private static Ticket ticket(int conversation, long epoch) {
        return new Ticket(
                "default", epoch, "customer-" + conversation, 0, Set.of("french"), AT, false, null, null, false);
    }

    private static Opened opened(int conversation) {
        return new Opened(
                AT,
                "customer-" + conversation,
                customer(conversation),
                ticket(conversation, 1),
                Map.of(),
                new byte[16],
                AT.plusSeconds(60));
    }

    private static EntryAppended message(int conversation, long number, String text) {
        Entry entry = Entry.message(
                number - 1, customer(conversation), AT.plusSeconds(number), clientMsgId(number), Body.text(text));
        return new EntryAppended(entry, number * 0x9E3779B97F4A7C15L, true, Marks.NONE, null);
    }

    private static OwnerChanged assigned(int conversation, long number) {
        Entry entry = Entry.lifecycle(
                number - 1,
                Entry.Kind.ASSIGNED,
                null,
                AT.plusSeconds(number),
                null,
                "agent-" + conversation % 50,
                number,
                null,
                null,
                null);
        return new OwnerChanged(
                entry, 0, Status.ASSIGNED, "default", null, null, null, List.of(), Marks.NONE, Instant.MAX);
    }

    private static OwnerChanged returned(int conversation, long number) {
        Entry entry = Entry.lifecycle(
                number - 1,
                Entry.Kind.RETURNED,
                null,
                AT.plusSeconds(number),
                null,
                null,
                number,
                "default",
                null,
                "gone");
        return new OwnerChanged(
                entry,
                0,
                Status.WAITING,
                "default",
                ticket(conversation, number),
                null,
                null,
                List.of(),
                Marks.NONE,
                AT.plusSeconds(number + 600));
    }
}
