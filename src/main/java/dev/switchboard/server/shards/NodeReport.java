package dev.switchboard.server.shards;

import dev.switchboard.delivery.ShardLoad;
import dev.switchboard.delivery.StallLog;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node says of itself. Immutable.
 *
 * @param node how the others reach it, {@code host:port}
 * @param http where its clients reach it
 * @param management where operators reach it
 * @param state {@code serving}, {@code draining} or {@code drained}
 * @param sockets how many are open
 * @param spooled how many posts wait on its disk
 * @param shards by type and shard, how many actors are awake there
 * @param perSecond messages a second by shard of conversations; those without any are left out
 * @param hot the conversations that take most
 * @param stall the longest wait of a request at this node in the time that was asked for; null when none was long
 */
record NodeReport(
        String node,
        String http,
        String management,
        String state,
        int sockets,
        long spooled,
        Map<String, Map<String, Integer>> shards,
        Map<String, Double> perSecond,
        List<ShardLoad.Hot> hot,
        StallLog.Stall stall) {
    static final String SERVING = "serving";

    Optional<StallLog.Stall> longestStall() {
        return Optional.ofNullable(stall);
    }

    boolean serves() {
        return state.equals(SERVING);
    }

    Map<String, Integer> shardsOf(String type) {
        return shards.getOrDefault(type, Map.of());
    }

    double rateOf(String shard) {
        return perSecond.getOrDefault(shard, 0.0);
    }
}
