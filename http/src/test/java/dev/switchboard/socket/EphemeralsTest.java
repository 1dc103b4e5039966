package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush;
import org.junit.jupiter.api.Test;

class EphemeralsTest {
    private static final Person ALICE = new Person(Role.AGENT, "alice");

    private final Ephemerals ephemerals = new Ephemerals();

    @Test
    void shouldKeepTheLatestOfEachPersonInEachConversation() {
        assertFalse(ephemerals.keep(new TerminalPush.Presence("a", ALICE, true)));
        assertFalse(ephemerals.keep(new TerminalPush.Typing("a", ALICE)));
        assertFalse(ephemerals.keep(new TerminalPush.Presence("b", ALICE, true)));
        assertTrue(ephemerals.keep(new TerminalPush.Presence("a", ALICE, false)));
        assertEquals(new TerminalPush.Typing("a", ALICE), ephemerals.poll());
        assertEquals(new TerminalPush.Presence("b", ALICE, true), ephemerals.poll());
        assertEquals(new TerminalPush.Presence("a", ALICE, false), ephemerals.poll());
        assertTrue(ephemerals.isEmpty());
        assertNull(ephemerals.poll());
    }

    @Test
    void shouldDropTheOldestOfTooMany() {
        for (int i = 0; i < Ephemerals.MOST; i++) {
            assertFalse(ephemerals.keep(new TerminalPush.Typing("c" + i, ALICE)));
        }
        assertTrue(ephemerals.keep(new TerminalPush.Typing("one-more", ALICE)));
        assertEquals(new TerminalPush.Typing("c1", ALICE), ephemerals.poll());
    }
}
