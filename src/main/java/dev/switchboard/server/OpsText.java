package dev.switchboard.server;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Locale;

/** Tables of operations for people. Stateless. */
final class OpsText {
    private static final int SHOWN_MOVES = 20;

    private OpsText() {}

    static void nodes(JsonNode answer, PrintWriter out) {
        row(out, "NODE", "STATE", "SHARDS", "DESKS", "LINES", "AWAKE", "MSG/S", "SOCKETS", "SPOOLED");
        for (JsonNode node : answer.path("nodes")) {
            JsonNode shards = node.path("shards");
            row(
                    out,
                    node.path("node").asText(),
                    node.path("state").asText(),
                    shards.path("conversation").asText(),
                    shards.path("desk").asText(),
                    shards.path("line").asText(),
                    node.path("conversations").asText(),
                    rate(node),
                    node.path("sockets").asText(),
                    node.path("spooled").asText());
        }
        answer.path("unknown").forEach(node -> row(out, node.asText(), "unknown", "", "", "", "", "", "", ""));
    }

    private static void row(PrintWriter out, Object... cells) {
        out.printf("%-22s %-9s %7s %6s %6s %7s %8s %8s %8s%n", cells);
    }

    static void hot(JsonNode answer, PrintWriter out) {
        if (!answer.path("hotShards").isEmpty()) {
            out.printf("%nhot shards:%n");
            answer.path("hotShards")
                    .forEach(hot -> out.printf(
                            "  %-6s on %-22s %8s messages/s, %s conversations awake%n",
                            hot.path("shard").asText(),
                            hot.path("node").asText(),
                            rate(hot),
                            hot.path("conversations").asText()));
        }
        if (!answer.path("hotConversations").isEmpty()) {
            out.printf("%nhot conversations:%n");
            answer.path("hotConversations")
                    .forEach(hot -> out.printf(
                            "  %-30s on %-22s %8s messages/s%n",
                            hot.path("conv").asText(), hot.path("node").asText(), rate(hot)));
        }
    }

    static void plan(JsonNode plan, PrintWriter out) {
        out.printf(
                "plan %s: %d moves%n",
                plan.path("id").asText(), plan.path("moves").size());
        int shown = 0;
        for (JsonNode move : plan.path("moves")) {
            if (shown++ == SHOWN_MOVES) {
                out.printf("  and %d more%n", plan.path("moves").size() - SHOWN_MOVES);
                break;
            }
            out.printf(
                    "  %s %-6s %s -> %s%n",
                    move.path("type").asText(),
                    move.path("shard").asText(),
                    move.path("from").asText(),
                    move.path("to").asText());
        }
        out.printf("%nnow:%n");
        nodes(plan.path("before"), out);
        out.printf("%nthen:%n");
        plan.path("after")
                .path("nodes")
                .forEach(node -> out.printf(
                        "%-22s %s shards, %s messages/s%n",
                        node.path("node").asText(),
                        node.path("shards").path("conversation").asText(),
                        rate(node)));
        out.printf("%nrun it with: switchboard ops run %s%n", plan.path("id").asText());
    }

    static void operation(JsonNode operation, PrintWriter out) {
        line(operation, out);
        JsonNode progress = operation.path("progress");
        if (!progress.isMissingNode()) {
            out.printf(
                    "%d of %d moved, %d under way, %d left, %d failed; the slowest took %d ms%n",
                    progress.path("done").asInt(),
                    progress.path("moves").asInt(),
                    progress.path("underWay").asInt(),
                    progress.path("left").asInt(),
                    progress.path("failed").size(),
                    progress.path("slowestMillis").asInt());
        }
        if (operation.has("skipped") && !operation.path("skipped").isEmpty()) {
            out.printf(
                    "%d were skipped: they are no longer where the plan saw them%n",
                    operation.path("skipped").size());
        }
        if (operation.hasNonNull("longestStall")) {
            out.printf(
                    "longest wait for an answer: %d ms, in %s%n",
                    operation.path("longestStall").path("millis").asInt(),
                    operation.path("longestStall").path("conv").asText());
        }
        if (operation.has("before")) {
            out.printf("%nbefore:%n");
            nodes(operation.path("before"), out);
        }
        if (operation.path("after").path("nodes").path(0).has("state")) {
            out.printf("%nafter:%n");
            nodes(operation.path("after"), out);
        }
    }

    static void log(JsonNode answer, PrintWriter out) {
        answer.path("items").forEach(item -> line(item, out));
    }

    private static void line(JsonNode item, PrintWriter out) {
        String what =
                item.path("asked").isMissingNode() ? "" : item.path("asked").toString();
        out.printf(
                "%s  %-14s %-11s by %s %s %s%n",
                item.path("begun").asText(),
                item.path("id").asText(),
                item.path("status").asText(),
                item.path("who").asText(),
                item.path("node").asText(),
                what);
    }

    private static String rate(JsonNode node) {
        return String.format(Locale.ROOT, "%.1f", node.path("perSecond").asDouble());
    }
}
