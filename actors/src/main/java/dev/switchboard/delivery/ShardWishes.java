package dev.switchboard.delivery;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where operators want shards to be. Immutable.
 *
 * @param homes the node that a shard is to be on, by {@link #key}; nodes are named {@code host:port}
 * @param closed nodes that give up their shards and get none
 */
public record ShardWishes(Map<String, String> homes, Set<String> closed) {
    /** Nobody wants anything. */
    public static final ShardWishes NONE = new ShardWishes(Map.of(), Set.of());

    public ShardWishes {
        homes = Map.copyOf(homes);
        closed = Set.copyOf(closed);
    }

    /** The name of a shard among those of all types. */
    public static String key(String type, String shard) {
        return type + ":" + shard;
    }

    /** The node that a shard is to be on; empty when nobody has said so, or that node is closed. */
    public Optional<String> home(String type, String shard) {
        return Optional.ofNullable(homes.get(key(type, shard))).filter(node -> !closed.contains(node));
    }
}
