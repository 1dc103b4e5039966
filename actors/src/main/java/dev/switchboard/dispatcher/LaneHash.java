package dev.switchboard.dispatcher;

/** From a session to its lane. Stateless. */
final class LaneHash {
    private LaneHash() {}

    /** The hash of a session's entity id: the same on every node and after every passivation. */
    static int of(String entityId) {
        // The last step of MurmurHash3: the low bits of String.hashCode hardly differ between numbered ids.
        int h = entityId.hashCode();
        h ^= h >>> 16;
        h *= 0x85ebca6b;
        h ^= h >>> 13;
        h *= 0xc2b2ae35;
        return h ^ h >>> 16;
    }

    /**
     * The lane of a hash when so many lanes are in use, by the jump consistent hash of Lamping and Veach (2014): with one
     * lane more, only the sessions that move to it change theirs.
     */
    static int lane(int hash, int lanes) {
        long key = hash;
        long lane = 0;
        long next = 0;
        while (next < lanes) {
            lane = next;
            key = key * 2862933555777941757L + 1;
            next = (long) ((lane + 1) * ((double) (1L << 31) / ((key >>> 33) + 1)));
        }
        return (int) lane;
    }
}
