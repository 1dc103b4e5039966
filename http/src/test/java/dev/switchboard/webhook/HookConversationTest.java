package dev.switchboard.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class HookConversationTest {
    private final HookConversation conversation = new HookConversation("c-carol");

    private static Entry entry(long seq) {
        return Entry.message(seq, new Person(Role.CUSTOMER, "carol"), Instant.EPOCH, "m" + seq, Body.text("x"));
    }

    private void push(long seq) {
        conversation.offered(new TerminalPush.EntryPush("c-carol", entry(seq), seq - 1));
    }

    private long next() {
        Entry next = conversation.next();
        return next == null ? 0 : next.seq();
    }

    @Test
    void shouldGoOnBehindWhatTheReceiverTook() {
        conversation.place(2);
        push(3);
        push(4);
        assertEquals(3, next());
        conversation.took(3);
        assertEquals(4, next());
        conversation.took(4);
        assertFalse(conversation.wants());
    }

    @Test
    void shouldReadFromTheLogWhatWasNotPushed() {
        conversation.place(2);
        push(5);
        assertNull(conversation.next());
        assertTrue(conversation.wants());
        assertEquals(3, conversation.readFrom());
        assertEquals(5, conversation.heard());
        conversation.read(List.of(entry(3), entry(4), entry(5)));
        assertEquals(3, next());
    }

    @Test
    void shouldKeepFewEntriesAndReadTheRest() {
        conversation.place(0);
        for (long seq = 1; seq <= 1000; seq++) {
            push(seq);
        }
        for (long seq = 1; seq <= 16; seq++) {
            assertEquals(seq, next());
            conversation.took(seq);
        }
        assertNull(conversation.next());
        assertTrue(conversation.wants());
        assertEquals(17, conversation.readFrom());
    }

    @Test
    void shouldWaitBehindARefusedEntryUntilToldAndNameTheAttempt() {
        conversation.place(0);
        push(1);
        push(2);
        assertEquals(1, conversation.attemptAt(1));
        conversation.refuse(1);
        assertFalse(conversation.wants());
        push(3);
        assertFalse(conversation.wants());
        conversation.hold(2, 2);
        conversation.told(1);
        assertTrue(conversation.wants());
        assertEquals(1, conversation.readFrom());
        conversation.read(List.of(entry(1)));
        assertEquals(1, next());
        assertEquals(2, conversation.attemptAt(1));
        conversation.took(1);
        assertFalse(conversation.wants());
        conversation.hold(0, 1);
        conversation.told(3);
        assertEquals(2, conversation.readFrom());
        assertEquals(1, conversation.attemptAt(2));
    }

    @Test
    void shouldPassWhatIsGivenUp() {
        conversation.place(0);
        push(1);
        conversation.refuse(1);
        conversation.hold(0, 1);
        conversation.pass(1);
        conversation.told(2);
        assertEquals(1, conversation.have());
        assertEquals(2, conversation.readFrom());
    }
}
