package dev.switchboard.delivery;

import java.util.concurrent.atomic.LongAdder;

/** What the coordinator of one shard type did on this node, since the start. Thread-safe. */
public final class ShardFigures {
    private final LongAdder allocated = new LongAdder();
    private final LongAdder handOffs = new LongAdder();

    void given() {
        allocated.increment();
    }

    void handedOff(int shards) {
        handOffs.add(shards);
    }

    /** Shards that were given to a node. */
    public long allocated() {
        return allocated.sum();
    }

    /** Shards whose move from one node to another was begun. */
    public long handOffs() {
        return handOffs.sum();
    }
}
