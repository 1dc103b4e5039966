package dev.switchboard.server.shards;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.api.WireJson;
import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.ShardLoad;
import dev.switchboard.delivery.StallLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What operators see of nodes and shards, as JSON. Stateless. */
final class Picture {
    private static final int HOT_SHARDS = 10;

    private record HotShard(String node, String shard, double perSecond, int awake) {}

    private Picture() {}

    /** How much each node has; {@code unknown} are nodes that didn't answer. */
    static ObjectNode summary(List<NodeReport> nodes, List<String> unknown) {
        ObjectNode all = WireJson.json().createObjectNode();
        ArrayNode list = all.putArray("nodes");
        for (NodeReport node : nodes) {
            ObjectNode each = list.addObject()
                    .put("node", node.node())
                    .put("http", node.http())
                    .put("management", node.management())
                    .put("state", node.state())
                    .put("sockets", node.sockets())
                    .put("spooled", node.spooled());
            ObjectNode types = each.putObject("shards");
            ActorHouse.TYPES.forEach(type -> types.put(type, node.shardsOf(type).size()));
            each.put("conversations", awake(node));
            each.put("perSecond", rounded(rate(node)));
            each.set("longestStall", stall(node.longestStall()));
        }
        ArrayNode missing = all.putArray("unknown");
        unknown.forEach(missing::add);
        return all;
    }

    /** The summary, where each shard is, and what is hot. */
    static ObjectNode whole(List<NodeReport> nodes, List<String> unknown) {
        ObjectNode all = summary(nodes, unknown);
        ArrayNode hotShards = all.putArray("hotShards");
        List<HotShard> shards = new ArrayList<>();
        for (NodeReport node : nodes) {
            node.perSecond()
                    .forEach((shard, rate) -> shards.add(new HotShard(
                            node.node(),
                            shard,
                            rate,
                            node.shardsOf(ActorHouse.CONVERSATION.name()).getOrDefault(shard, 0))));
        }
        shards.sort(Comparator.comparingDouble(HotShard::perSecond).reversed().thenComparing(HotShard::shard));
        shards.stream()
                .limit(HOT_SHARDS)
                .forEach(hot -> hotShards
                        .addObject()
                        .put("type", ActorHouse.CONVERSATION.name())
                        .put("shard", hot.shard())
                        .put("node", hot.node())
                        .put("conversations", hot.awake())
                        .put("perSecond", rounded(hot.perSecond())));
        ArrayNode hotConversations = all.putArray("hotConversations");
        record HotHere(String node, ShardLoad.Hot hot) {}
        nodes.stream()
                .flatMap(node -> node.hot().stream().map(hot -> new HotHere(node.node(), hot)))
                .sorted(Comparator.comparingDouble((HotHere here) -> here.hot().perSecond())
                        .reversed())
                .limit(HOT_SHARDS)
                .forEach(here -> hotConversations
                        .addObject()
                        .put("conv", here.hot().conv())
                        .put("node", here.node())
                        .put("perSecond", rounded(here.hot().perSecond())));
        return all;
    }

    /** Where each shard is, by type and shard. */
    static ObjectNode places(List<NodeReport> nodes) {
        ObjectNode all = WireJson.json().createObjectNode();
        for (String type : ActorHouse.TYPES) {
            ObjectNode places = all.putObject(type);
            for (NodeReport node : nodes) {
                node.shardsOf(type).keySet().forEach(shard -> places.put(shard, node.node()));
            }
        }
        return all;
    }

    /** How much each node will have once these moves are made. */
    static ObjectNode afterwards(List<NodeReport> nodes, List<Move> moves) {
        ObjectNode all = WireJson.json().createObjectNode();
        ArrayNode list = all.putArray("nodes");
        for (NodeReport node : nodes) {
            double rate = rate(node);
            int count = node.shardsOf(ActorHouse.CONVERSATION.name()).size();
            for (Move move : moves) {
                double moved = nodes.stream()
                        .filter(from -> from.node().equals(move.from()))
                        .mapToDouble(from -> from.rateOf(move.shard()))
                        .sum();
                int sign = move.to().equals(node.node()) ? 1 : move.from().equals(node.node()) ? -1 : 0;
                count += sign;
                rate += sign * moved;
            }
            list.addObject()
                    .put("node", node.node())
                    .put("perSecond", rounded(Math.max(0, rate)))
                    .putObject("shards")
                    .put(ActorHouse.CONVERSATION.name(), count);
        }
        return all;
    }

    static ArrayNode moves(List<Move> moves) {
        ArrayNode list = WireJson.json().createArrayNode();
        moves.forEach(move -> list.addObject()
                .put("type", move.type())
                .put("shard", move.shard())
                .put("from", move.from())
                .put("to", move.to()));
        return list;
    }

    static List<Move> moves(JsonNode list) {
        List<Move> moves = new ArrayList<>();
        for (JsonNode move : list) {
            moves.add(new Move(
                    move.path("type").asText(),
                    move.path("shard").asText(),
                    move.path("from").asText(),
                    move.path("to").asText()));
        }
        return moves;
    }

    static JsonNode stall(Optional<StallLog.Stall> stall) {
        return stall.<JsonNode>map(longest -> WireJson.json()
                        .createObjectNode()
                        .put("conv", longest.conv())
                        .put("millis", longest.millis()))
                .orElseGet(() -> WireJson.json().nullNode());
    }

    /** The longest of several nodes. */
    static Optional<StallLog.Stall> longest(List<NodeReport> nodes) {
        return nodes.stream()
                .flatMap(node -> node.longestStall().stream())
                .max(Comparator.comparingLong(StallLog.Stall::millis));
    }

    private static int awake(NodeReport node) {
        Map<String, Integer> shards = node.shardsOf(ActorHouse.CONVERSATION.name());
        return shards.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static double rate(NodeReport node) {
        return node.perSecond().values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    private static double rounded(double rate) {
        return Math.round(rate * 10) / 10.0;
    }
}
