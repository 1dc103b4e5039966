package dev.switchboard.delivery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pekko.cluster.sharding.typed.HashCodeMessageExtractor;

/**
 * How many messages the conversations of this node's shards take, and which conversations take most. Thread-safe; a
 * message costs two counts and a reference, and nothing here grows with the conversations.
 *
 * <p>Rates are those between the oldest look that is kept and the newest: whoever starts this calls {@link #look} at a
 * steady pace. Which conversations are hot is read off the last {@value #SAMPLE} messages of the node.
 */
public final class ShardLoad {
    /** A conversation, and its share of the node's last messages as messages a second. */
    public record Hot(String conv, double perSecond) {}

    @SuppressWarnings("ArrayRecordComponent") // Never written after construction, and never compared.
    private record Look(long atNanos, long[] counts) {}

    private static final int SAMPLE = 4096;
    private static final int LOOKS = 4;
    private static final double NANOS = 1e9;

    private final HashCodeMessageExtractor<Object> shards;
    private final LongAdder[] counts;
    private final AtomicReferenceArray<String> recent = new AtomicReferenceArray<>(SAMPLE);
    private final AtomicLong taken = new AtomicLong();
    private final Deque<Look> looks = new ArrayDeque<>();

    /** @param shardCount how many shards the conversations have */
    public ShardLoad(int shardCount) {
        shards = new HashCodeMessageExtractor<>(shardCount);
        counts = new LongAdder[shardCount];
        for (int i = 0; i < shardCount; i++) {
            counts[i] = new LongAdder();
        }
        look();
    }

    /** The conversation has accepted something. */
    public void count(String conv) {
        counts[Integer.parseInt(shards.shardId(conv))].increment();
        recent.set((int) (taken.getAndIncrement() % SAMPLE), conv);
    }

    /** Keeps what was counted so far; the oldest of {@value #LOOKS} looks goes. */
    public void look() {
        long[] now = new long[counts.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = counts[i].sum();
        }
        synchronized (looks) {
            looks.add(new Look(System.nanoTime(), now));
            if (looks.size() > LOOKS) {
                looks.remove();
            }
        }
    }

    /** Messages a second of each shard, those of none left out. */
    public Map<String, Double> perSecond() {
        Look first;
        Look last;
        synchronized (looks) {
            first = looks.getFirst();
            last = looks.getLast();
        }
        double seconds = (last.atNanos() - first.atNanos()) / NANOS;
        Map<String, Double> rates = new HashMap<>();
        for (int i = 0; i < counts.length && seconds > 0; i++) {
            long count = last.counts()[i] - first.counts()[i];
            if (count > 0) {
                rates.put(String.valueOf(i), count / seconds);
            }
        }
        return rates;
    }

    /** The conversations that take most now, the busiest first; empty where nobody says anything. */
    public List<Hot> hottest(int atMost) {
        double all =
                perSecond().values().stream().mapToDouble(Double::doubleValue).sum();
        Map<String, Integer> seen = new HashMap<>();
        int sample = 0;
        for (int i = 0; i < SAMPLE; i++) {
            String conv = recent.get(i);
            if (conv != null) {
                seen.merge(conv, 1, Integer::sum);
                sample++;
            }
        }
        List<Hot> hot = new ArrayList<>();
        for (Map.Entry<String, Integer> each : seen.entrySet()) {
            double rate = all * each.getValue() / sample;
            if (rate > 0) {
                hot.add(new Hot(each.getKey(), rate));
            }
        }
        hot.sort(Comparator.comparingDouble(Hot::perSecond).reversed().thenComparing(Hot::conv));
        return List.copyOf(hot.subList(0, Math.min(atMost, hot.size())));
    }
}
