package dev.switchboard.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.pekko.cluster.sharding.typed.HashCodeMessageExtractor;
import org.junit.jupiter.api.Test;

/** What is hot is named, and who waited longest. */
class ShardLoadTest {
    @Test
    void shouldCountByShardAndNameTheBusiest() {
        ShardLoad load = new ShardLoad(10);
        for (int i = 0; i < 30; i++) {
            load.count("c-busy");
            if (i % 3 == 0) {
                load.count("c-calm");
            }
        }
        assertEquals(Map.of(), load.perSecond(), "a rate needs two looks");
        load.look();
        HashCodeMessageExtractor<Object> shards = new HashCodeMessageExtractor<>(10);
        Map<String, Double> rates = load.perSecond();
        double busy = rates.get(shards.shardId("c-busy"));
        double calm = rates.get(shards.shardId("c-calm"));
        assertEquals(3, busy / calm, 0.001);
        List<ShardLoad.Hot> hot = load.hottest(10);
        assertEquals(
                List.of("c-busy", "c-calm"),
                hot.stream().map(ShardLoad.Hot::conv).toList());
        assertEquals(busy, hot.get(0).perSecond(), busy / 1000);
        assertEquals(1, load.hottest(1).size());
    }

    @Test
    void shouldForgetWhatIsLongAgo() {
        ShardLoad load = new ShardLoad(10);
        load.count("c-past");
        for (int i = 0; i < 10; i++) {
            load.look();
        }
        assertEquals(Map.of(), load.perSecond());
        assertEquals(List.of(), load.hottest(10));
    }

    @Test
    void shouldKeepTheLongestWait() {
        StallLog stalls = new StallLog();
        assertEquals(Optional.empty(), stalls.longestIn(60));
        stalls.answered("c-quick", System.nanoTime());
        assertEquals(Optional.empty(), stalls.longestIn(60));
        stalls.answered("c-slow", System.nanoTime() - Duration.ofMillis(900).toNanos());
        stalls.answered("c-slower", System.nanoTime() - Duration.ofMillis(1_900).toNanos());
        stalls.answered("c-slow", System.nanoTime() - Duration.ofMillis(800).toNanos());
        StallLog.Stall longest = stalls.longestIn(60).orElseThrow();
        assertEquals("c-slower", longest.conv());
        assertTrue(longest.millis() >= 1_900, longest::toString);
    }
}
