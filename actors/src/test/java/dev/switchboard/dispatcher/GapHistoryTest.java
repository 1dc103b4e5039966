package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GapHistoryTest {
    @Test
    void shouldPutEveryGapInTheBucketThatEndsAboveIt() {
        for (long gap = 1; gap < 1L << 27; gap += 1 + gap / 7) {
            int bucket = GapHistory.bucket(gap);
            assertTrue(gap < GapHistory.end(bucket), "gap " + gap);
            assertTrue(bucket == 0 || gap >= GapHistory.end(bucket - 1), "gap " + gap);
            assertTrue(GapHistory.middle(bucket) < GapHistory.end(bucket));
        }
        assertEquals(GapHistory.BUCKETS - 1, GapHistory.bucket(Long.MAX_VALUE));
        assertEquals(0, GapHistory.bucket(0));
    }

    @Test
    void shouldForgetWhatIsLongPast() {
        GapHistory history = new GapHistory();
        history.record(1_000, 500);
        for (int i = 0; i < 10; i++) {
            history.record(1_000_000, GapHistory.MEMORY / 2);
        }
        assertTrue(history.count(GapHistory.bucket(1_000)) <= 1);
        assertTrue(history.total() < GapHistory.MEMORY);
    }
}
