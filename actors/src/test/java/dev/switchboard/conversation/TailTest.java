package dev.switchboard.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TailTest {
    private static Tail<String> numbers(int count) {
        Tail<String> tail = Tail.of(List.of(), String::length);
        for (int i = 0; i < count; i++) {
            tail = tail.append(String.valueOf(i), i, 10);
        }
        return tail;
    }

    @Test
    void shouldKeepTheLatestInOrder() {
        Tail<String> tail = numbers(1000);
        assertEquals(10, tail.size());
        for (int i = 0; i < 10; i++) {
            assertEquals(String.valueOf(990 + i), tail.get(i));
            assertEquals(990 + i, tail.key(i));
        }
        assertEquals(List.of("990", "991", "992", "993", "994", "995", "996", "997", "998", "999"), tail);
    }

    @Test
    void shouldNotChangeWhenAnotherIsMadeOfIt() {
        for (int count = 0; count < 40; count++) {
            Tail<String> before = numbers(count);
            List<String> copy = new ArrayList<>(before);
            Tail<String> one = before.append("one", 1, 10);
            Tail<String> other = before.append("other", 2, 10);
            assertEquals(copy, before);
            assertEquals("one", one.get(one.size() - 1));
            assertEquals("other", other.get(other.size() - 1));
            assertEquals(1, one.key(one.size() - 1));
            assertEquals(2, other.key(other.size() - 1));
        }
    }

    @Test
    void shouldFindTheLatestOfAKey() {
        Tail<String> tail = Tail.of(List.of("a", "bb", "c", "dd"), String::length);
        assertEquals(3, tail.lastWithKey(2, 4));
        assertEquals(1, tail.lastWithKey(2, 3));
        assertEquals(-1, tail.lastWithKey(2, 1));
        assertEquals(-1, tail.lastWithKey(7, 4));
        assertEquals(-1, tail.withoutOldest().lastWithKey(1, 1));
    }

    @Test
    void shouldBeItselfWhenMadeOfATail() {
        Tail<String> tail = numbers(3);
        assertSame(tail, Tail.of(tail, String::length));
    }
}
