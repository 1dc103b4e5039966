package dev.switchboard.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundedHistogramTest {
    private static final long MS = 1_000_000;

    @Test
    void shouldCountAValueToTheFirstBoundThatIsNotBelowIt() {
        BoundedHistogram histogram = BoundedHistogram.ofCounts();
        for (long value : new long[] {1, 2, 3, 4, 5, 100_000}) {
            histogram.record(value);
        }
        BoundedHistogram.View view = histogram.view();
        assertEquals(List.of(1L, 1L, 2L, 1L), view.counts().subList(0, 4));
        assertEquals(1L, view.counts().get(view.bounds().size()), "what is above all bounds");
        assertEquals(6, view.count());
        assertEquals(100_015, view.sum());
    }

    @Test
    void shouldTellTimesApartByHalfOfThemselves() {
        BoundedHistogram.View view = BoundedHistogram.ofTimes().view();
        List<Long> bounds = view.bounds();
        assertEquals(100_000, bounds.get(0));
        assertEquals(60_000 * MS, bounds.get(bounds.size() - 1));
        for (int i = 1; i < bounds.size(); i++) {
            double step = (double) bounds.get(i) / bounds.get(i - 1);
            assertTrue(step > 1 && step < 1.7, bounds.get(i - 1) + " to " + bounds.get(i));
        }
        assertTrue(bounds.size() < 50, "so many series each: " + bounds.size());
    }

    @Test
    void shouldCountTimesOfClocksThatDifferAsNone() {
        BoundedHistogram histogram = BoundedHistogram.ofTimes();
        histogram.record(-5 * MS);
        assertEquals(1L, histogram.view().counts().get(0));
        assertEquals(0, histogram.view().sum());
    }

    @Test
    void shouldTellOnlySoManyQueuesApart() {
        TrafficFigures traffic = new TrafficFigures();
        Instant now = Instant.EPOCH.plusSeconds(100);
        for (int i = 0; i < 3 * TrafficFigures.MAX_QUEUES; i++) {
            traffic.waited("q" + i, TrafficFigures.WaitEnd.ASSIGNED, Instant.EPOCH, now);
        }
        assertEquals(TrafficFigures.MAX_QUEUES + 1, traffic.waits().size());
        BoundedHistogram.View others =
                traffic.waits().get(TrafficFigures.OTHER_QUEUES).get(TrafficFigures.WaitEnd.ASSIGNED);
        assertEquals(2 * TrafficFigures.MAX_QUEUES, others.count());
    }
}
