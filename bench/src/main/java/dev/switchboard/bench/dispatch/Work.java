package dev.switchboard.bench.dispatch;

import java.util.Arrays;

/**
 * The work of one message: reading bytes of its payload, each step depending on the one before, so that no processor
 * can shorten it. Stateless; any thread may call it.
 *
 * <p>How many bytes make the wanted time is found once, by the process that orders the rounds, and told to every
 * process that measures, so each contender does the same work, whatever its own compiler made of it; what it takes
 * there is measured again and reported.
 */
final class Work {
    private static final long PRIME = 0x100000001b3L;
    private static final int CALLS = 2_000;
    private static final int BATCHES = 61;

    private Work() {}

    /** Mixes that many bytes of the payload, from its start again as often as needed, into a digest. */
    static long mix(long digest, byte[] payload, int bytes) {
        long mixed = digest;
        int left = bytes;
        while (left > 0) {
            int step = Math.min(left, payload.length);
            for (int i = 0; i < step; i++) {
                mixed = (mixed ^ payload[i]) * PRIME;
            }
            left -= step;
        }
        return mixed;
    }

    /** The number of bytes whose mixing takes that time here. */
    static int bytesFor(double wantedNs) {
        int probe = Payloads.BYTES;
        measuredNs(probe);
        return Math.max(1, (int) Math.round(probe * wantedNs / measuredNs(probe)));
    }

    /** The time in nanoseconds that mixing takes here: the median of many batches, after as many to warm up. */
    static double measuredNs(int bytes) {
        byte[] payload = Payloads.of(0);
        double[] perCallNs = new double[BATCHES];
        long digest = 0;
        for (int batch = -BATCHES; batch < BATCHES; batch++) {
            long beginNs = System.nanoTime();
            for (int call = 0; call < CALLS; call++) {
                digest = mix(digest, payload, bytes);
            }
            if (batch >= 0) {
                perCallNs[batch] = (System.nanoTime() - beginNs) / (double) CALLS;
            }
        }
        Arrays.sort(perCallNs);
        // The digest is used, if only for a bit that never matters, so that the loop can't be dropped.
        return perCallNs[BATCHES / 2] + (digest == 42 ? 1e-9 : 0);
    }
}
