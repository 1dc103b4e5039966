package dev.switchboard.server.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Plans even out with few moves, and never worsen anything. */
class EveningTest {
    private static final String TYPE = "conversation";

    @Test
    void shouldGiveEachNodeItsShareOfTheShards() {
        List<NodeReport> nodes =
                List.of(node("a", "serving", 0, 30), node("b", "serving", 30, 0), node("c", "serving", 60, 3));
        List<Move> moves = Evening.plan(nodes, TYPE, Evening.By.COUNT, 1000);
        assertEquals(Map.of("a", 11, "b", 11, "c", 11), counts(nodes, moves));
        assertEquals(19, moves.size(), "no more moves than it takes");
        assertEquals(List.of(), Evening.plan(nodes.subList(0, 1), TYPE, Evening.By.COUNT, 1000));
    }

    @Test
    void shouldLeaveOutNodesThatDontServe() {
        List<NodeReport> nodes =
                List.of(node("a", "serving", 0, 10), node("b", "drained", 20, 0), node("c", "serving", 40, 0));
        assertEquals(Map.of("a", 5, "b", 0, "c", 5), counts(nodes, Evening.plan(nodes, TYPE, Evening.By.COUNT, 1000)));
    }

    @Test
    void shouldMakeNoMoreMovesThanAskedAndTheMostUsefulFirst() {
        NodeReport hot = loaded("a", Map.of("1", 10.0, "2", 40.0, "3", 50.0));
        NodeReport cold = loaded("b", Map.of("4", 0.0));
        assertEquals(
                List.of(new Move(TYPE, "3", "a", "b")), Evening.plan(List.of(hot, cold), TYPE, Evening.By.LOAD, 1));
    }

    @Test
    void shouldNotMoveOneHotShardToAndFro() {
        NodeReport hot = loaded("a", Map.of("1", 100.0));
        NodeReport cold = loaded("b", Map.of("2", 1.0));
        assertEquals(List.of(), Evening.plan(List.of(hot, cold), TYPE, Evening.By.LOAD, 1000));
    }

    @Test
    void shouldNeverMakeTheFullestFullerWhateverTheLoads() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            Map<String, Double> rates = new HashMap<>();
            List<Map<String, Double>> shares =
                    List.of(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
            for (int shard = 0; shard < 60; shard++) {
                double rate = Math.floor(Math.pow(random.nextDouble(), 4) * 100);
                rates.put(String.valueOf(shard), rate);
                shares.get(random.nextInt(4)).put(String.valueOf(shard), rate);
            }
            List<NodeReport> nodes = Stream.of(0, 1, 2, 3)
                    .map(i -> loaded("n" + i, shares.get(i)))
                    .toList();
            List<Move> moves = Evening.plan(nodes, TYPE, Evening.By.LOAD, 1000);
            Map<String, Double> before = loads(nodes, rates, List.of());
            Map<String, Double> after = loads(nodes, rates, moves);
            assertTrue(spread(after) <= spread(before), () -> before + " became " + after);
            Set<String> moved = new HashSet<>();
            moves.forEach(move -> assertTrue(moved.add(move.shard()), "moved twice: " + move));
        }
    }

    @Test
    void shouldTakeEverythingAwayFromANodeAndSpreadIt() {
        List<NodeReport> nodes =
                List.of(node("a", "serving", 0, 10), node("b", "draining", 20, 20), node("c", "serving", 60, 16));
        List<Move> moves = Evening.away(nodes, "b");
        assertEquals(Map.of("a", 23, "b", 0, "c", 23), counts(nodes, moves));
        assertTrue(moves.stream().allMatch(move -> move.from().equals("b")));
    }

    private static double spread(Map<String, Double> loads) {
        return loads.values().stream().mapToDouble(Double::doubleValue).max().orElse(0)
                - loads.values().stream().mapToDouble(Double::doubleValue).min().orElse(0);
    }

    private static Map<String, Double> loads(List<NodeReport> nodes, Map<String, Double> rates, List<Move> moves) {
        Map<String, Double> loads = new TreeMap<>();
        for (NodeReport node : nodes) {
            loads.put(
                    node.node(),
                    node.shardsOf(TYPE).keySet().stream()
                            .mapToDouble(rates::get)
                            .sum());
        }
        moves.forEach(move -> {
            loads.merge(move.from(), -rates.get(move.shard()), Double::sum);
            loads.merge(move.to(), rates.get(move.shard()), Double::sum);
        });
        return loads;
    }

    private static Map<String, Integer> counts(List<NodeReport> nodes, List<Move> moves) {
        Map<String, Integer> counts = new TreeMap<>();
        nodes.forEach(node -> counts.put(node.node(), node.shardsOf(TYPE).size()));
        moves.forEach(move -> {
            counts.merge(move.from(), -1, Integer::sum);
            counts.merge(move.to(), 1, Integer::sum);
        });
        return counts;
    }

    private static NodeReport node(String name, String state, int first, int shards) {
        Map<String, Integer> here = new TreeMap<>();
        for (int i = first; i < first + shards; i++) {
            here.put(String.valueOf(i), 1);
        }
        return report(name, state, here, Map.of());
    }

    private static NodeReport loaded(String name, Map<String, Double> rates) {
        Map<String, Integer> here = new TreeMap<>();
        rates.keySet().forEach(shard -> here.put(shard, 1));
        return report(name, "serving", here, rates);
    }

    private static NodeReport report(
            String name, String state, Map<String, Integer> shards, Map<String, Double> rates) {
        return new NodeReport(name, "", "", state, 0, 0, Map.of(TYPE, shards), rates, List.of(), null);
    }
}
