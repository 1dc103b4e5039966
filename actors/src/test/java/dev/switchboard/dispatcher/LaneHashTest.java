package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneHashTest {
    @ParameterizedTest
    @ValueSource(strings = {"conversation-%d", "%d", "c:%08d"})
    void shouldSpreadNumberedSessionsEvenly(String pattern) {
        int sessions = 40_000;
        for (int lanes : new int[] {2, 3, 4, 7}) {
            int[] counts = new int[lanes];
            for (int i = 0; i < sessions; i++) {
                counts[LaneHash.lane(LaneHash.of(pattern.formatted(i)), lanes)]++;
            }
            for (int count : counts) {
                assertEquals((double) sessions / lanes, count, sessions * 0.05 / lanes);
            }
        }
    }

    @Test
    void shouldMoveSessionsOnlyToTheNewLane() {
        for (int lanes = 1; lanes < 16; lanes++) {
            for (int i = 0; i < 2000; i++) {
                int hash = LaneHash.of("session-" + i);
                int before = LaneHash.lane(hash, lanes);
                int after = LaneHash.lane(hash, lanes + 1);
                assertTrue(after == before || after == lanes);
            }
        }
    }

    @Test
    void shouldGiveTheSameLaneFromItsMemo() {
        for (int hash : new int[] {0, 1, -1, Integer.MIN_VALUE, 123_456_789}) {
            SessionQueue queue = new SessionQueue(hash);
            for (int lanes : new int[] {1, 4, 4, 2, 1024, 1024, 3}) {
                assertEquals(LaneHash.lane(hash, lanes), queue.lane(lanes));
            }
        }
    }
}
