package dev.switchboard.server.shards;

import dev.switchboard.delivery.ShardWishes;

/** A shard that is to change its node. Immutable. */
record Move(String type, String shard, String from, String to) {
    String key() {
        return ShardWishes.key(type, shard);
    }
}
