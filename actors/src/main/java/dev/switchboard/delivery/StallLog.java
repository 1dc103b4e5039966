package dev.switchboard.delivery;

import java.util.Optional;

/**
 * The requests to conversations that had to wait long for their answer, second by second, for as long back as a move of
 * shards or a drain may last. Thread-safe; quick answers cost a comparison.
 */
public final class StallLog {
    /** The longest wait of some time. */
    public record Stall(String conv, long millis) {}

    private static final int SECONDS = 3_600;
    private static final long WORTH_NANOS = 50_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Stall[] worst = new Stall[SECONDS];
    private final long[] second = new long[SECONDS];

    /** A request that was sent then is answered, or given up, now. */
    void answered(String conv, long sentNanos) {
        long now = System.nanoTime();
        long waited = now - sentNanos;
        if (waited < WORTH_NANOS) {
            return;
        }
        long at = now / NANOS_PER_SECOND;
        int slot = (int) Math.floorMod(at, (long) SECONDS);
        synchronized (this) {
            if (second[slot] != at || worst[slot] == null || worst[slot].millis() < waited / NANOS_PER_MILLI) {
                second[slot] = at;
                worst[slot] = new Stall(conv, waited / NANOS_PER_MILLI);
            }
        }
    }

    /** The longest wait that ended in the last so many seconds; empty when none was worth noting (50 ms). */
    public synchronized Optional<Stall> longestIn(long seconds) {
        long now = System.nanoTime() / NANOS_PER_SECOND;
        Stall longest = null;
        for (long at = now - Math.min(seconds, SECONDS - 1); at <= now; at++) {
            int slot = (int) Math.floorMod(at, (long) SECONDS);
            boolean counts = second[slot] == at && worst[slot] != null;
            if (counts && (longest == null || worst[slot].millis() > longest.millis())) {
                longest = worst[slot];
            }
        }
        return Optional.ofNullable(longest);
    }
}
