package dev.switchboard.server.shards;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.ToDoubleBiFunction;

/**
 * Which shards to move so that the nodes have equal shares. Stateless, and the same for the same input, so that a plan can
 * be looked at before it runs.
 *
 * <p>Each step takes from the node that has most and gives to the one that has least, as long as that brings the two
 * nearer; so no node ever gets more than the fullest had, and every move is one that helps. By load it is the shard whose
 * rate comes nearest to half of the difference, which is the greedy rule for partitioning numbers.
 */
final class Evening {
    /** What is to be equal. */
    enum By {
        COUNT,
        LOAD
    }

    /** Below this share of the average a difference in load isn't worth a move. */
    private static final double WORTH = 0.05;

    private Evening() {}

    /**
     * Moves among the nodes that serve, the most useful first.
     *
     * @param atMost how many moves there may be
     */
    static List<Move> plan(List<NodeReport> nodes, String type, By by, int atMost) {
        ToDoubleBiFunction<NodeReport, String> weight = by == By.COUNT ? (node, shard) -> 1.0 : NodeReport::rateOf;
        TreeMap<String, Map<String, Double>> weights = new TreeMap<>();
        for (NodeReport node : nodes) {
            if (node.serves()) {
                Map<String, Double> shards = new TreeMap<>();
                node.shardsOf(type).keySet().forEach(shard -> shards.put(shard, weight.applyAsDouble(node, shard)));
                weights.put(node.node(), shards);
            }
        }
        return even(weights, type, by, atMost);
    }

    private static List<Move> even(NavigableMap<String, Map<String, Double>> weights, String type, By by, int atMost) {
        Map<String, Double> sums = new HashMap<>();
        weights.forEach((node, shards) -> sums.put(node, sum(shards)));
        double average = sums.values().stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
        double worth = by == By.COUNT ? 1 : average * WORTH;
        Map<String, Move> moves = new HashMap<>();
        List<String> order = new ArrayList<>();
        while (moves.size() < atMost && weights.size() > 1) {
            Comparator<String> fuller = Comparator.comparingDouble(sums::get);
            String most = weights.navigableKeySet().stream().max(fuller).orElseThrow();
            String least = weights.navigableKeySet().stream().min(fuller).orElseThrow();
            double apart = sums.get(most) - sums.get(least);
            String shard = apart > worth ? nearest(weights.get(most), apart, moves) : null;
            if (shard == null) {
                break;
            }
            double moved = weights.get(most).remove(shard);
            weights.get(least).put(shard, moved);
            sums.merge(most, -moved, Double::sum);
            sums.merge(least, moved, Double::sum);
            moves.put(shard, new Move(type, shard, most, least));
            order.add(shard);
        }
        return order.stream().map(moves::get).toList();
    }

    /** The shard that brings the two nodes nearest to each other; null when none does. No shard moves twice. */
    private static String nearest(Map<String, Double> shards, double apart, Map<String, Move> moved) {
        String best = null;
        double left = apart;
        for (Map.Entry<String, Double> each : shards.entrySet()) {
            double after = Math.abs(apart - 2 * each.getValue());
            if (each.getValue() > 0 && after < left && !moved.containsKey(each.getKey())) {
                best = each.getKey();
                left = after;
            }
        }
        return best;
    }

    /** Moves that take every shard of a node away, each to where the fewest are. */
    static List<Move> away(List<NodeReport> nodes, String from) {
        List<Move> moves = new ArrayList<>();
        for (NodeReport leaving : nodes) {
            if (!leaving.node().equals(from)) {
                continue;
            }
            leaving.shards().forEach((type, shards) -> {
                TreeMap<String, Integer> counts = new TreeMap<>();
                nodes.stream()
                        .filter(node -> node.serves() && !node.node().equals(from))
                        .forEach(node ->
                                counts.put(node.node(), node.shardsOf(type).size()));
                for (String shard : shards.keySet()) {
                    counts.entrySet().stream()
                            .min(Map.Entry.comparingByValue())
                            .map(Map.Entry::getKey)
                            .ifPresent(to -> {
                                counts.merge(to, 1, Integer::sum);
                                moves.add(new Move(type, shard, from, to));
                            });
                }
            });
        }
        return moves;
    }

    private static double sum(Map<String, Double> shards) {
        return shards.values().stream().mapToDouble(Double::doubleValue).sum();
    }
}
