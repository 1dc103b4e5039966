package dev.switchboard.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.api.WireJson;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at the nodes and shards of a running cluster, and moves and drains. One thread uses it. */
@Command(
        name = "ops",
        description = "See and move shards, drain nodes, and see who did what.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:It was done, or has begun.",
            "1:The node can't be reached, or refused it.",
            "2:The options are wrong.",
            "3:With --wait: it ended otherwise than done."
        },
        subcommands = {
            OpsCommand.Shards.class,
            OpsCommand.NodeList.class,
            OpsCommand.Plan.class,
            OpsCommand.Run.class,
            OpsCommand.MoveOne.class,
            OpsCommand.Drain.class,
            OpsCommand.Resume.class,
            OpsCommand.Status.class,
            OpsCommand.Stop.class,
            OpsCommand.Log.class
        })
final class OpsCommand implements Runnable {
    private static final int OTHERWISE = 3;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What all of them share. */
    abstract static class Sub implements Callable<Integer> {
        @Mixin
        private SettingsOption settings;

        @Mixin
        private OpsClient.Where where;

        @Option(names = "--json", description = "Answer in JSON.")
        private boolean json;

        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        /** Asks, and says how it is to be shown. */
        abstract JsonNode ask(OpsClient client);

        abstract void show(JsonNode answer, PrintWriter out);

        int exitCode(JsonNode answer) {
            return 0;
        }

        @Override
        public final Integer call() {
            OpsClient client = OpsClient.of(where, settings);
            JsonNode answer = ask(client);
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                out.println(answer.toPrettyString());
            } else {
                show(answer, out);
            }
            return exitCode(answer);
        }

        static ObjectNode body() {
            return WireJson.json().createObjectNode();
        }
    }

    /** How fast, and whether to wait. */
    abstract static class Moving extends Sub {
        @Option(
                names = "--per-second",
                defaultValue = "5",
                description = "How many shards a second begin to move at most (${DEFAULT-VALUE}).")
        private double perSecond;

        @Option(
                names = "--at-once",
                defaultValue = "3",
                description = "How many are on their way at once at most (${DEFAULT-VALUE}).")
        private int atOnce;

        @Option(names = "--wait", description = "Wait for the end and report; else see `ops status`.")
        private boolean wait;

        final ObjectNode throttle() {
            return body().put("perSecond", perSecond).put("atOnce", atOnce);
        }

        final JsonNode begun(OpsClient client, JsonNode operation) {
            return wait ? client.awaitEnd(operation.path("id").asText()) : operation;
        }

        @Override
        final void show(JsonNode answer, PrintWriter out) {
            OpsText.operation(answer, out);
        }

        @Override
        final int exitCode(JsonNode answer) {
            String status = answer.path("status").asText();
            return status.equals("done") || status.equals("running") ? 0 : OTHERWISE;
        }
    }

    /** Nodes, shards and load. */
    @Command(
            name = "shards",
            description = "Where shards, conversations and load are, and which are hot.",
            mixinStandardHelpOptions = true)
    static final class Shards extends Sub {
        @Option(names = "--places", description = "With --json: also where each shard is.")
        private boolean places;

        @Override
        JsonNode ask(OpsClient client) {
            return client.get("/ops/shards" + (places ? "?places=true" : ""));
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.nodes(answer, out);
            OpsText.hot(answer, out);
        }
    }

    /** The nodes. */
    @Command(name = "nodes", description = "The nodes and what they have.", mixinStandardHelpOptions = true)
    static final class NodeList extends Sub {
        @Override
        JsonNode ask(OpsClient client) {
            return client.get("/ops/nodes");
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.nodes(answer, out);
        }
    }

    /** A plan. */
    @Command(
            name = "plan",
            description = "Plan moves that even the nodes out; nothing moves before `ops run`.",
            mixinStandardHelpOptions = true)
    static final class Plan extends Sub {
        @Option(
                names = "--by",
                defaultValue = "count",
                description = "What is to be equal: count (of shards) or load (messages a second); ${DEFAULT-VALUE}.")
        private String by;

        @Option(names = "--type", defaultValue = "conversation", description = "conversation, desk or line.")
        private String type;

        @Option(names = "--at-most", defaultValue = "10000", description = "How many moves there may be.")
        private int atMost;

        @Override
        JsonNode ask(OpsClient client) {
            return client.post(
                    "/ops/shards/plans", body().put("by", by).put("type", type).put("atMost", atMost));
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.plan(answer, out);
        }
    }

    /** Runs a plan. */
    @Command(name = "run", description = "Run a plan.", mixinStandardHelpOptions = true)
    static final class Run extends Moving {
        @Parameters(paramLabel = "PLAN", description = "Its id.")
        private String plan;

        @Override
        JsonNode ask(OpsClient client) {
            return begun(client, client.post("/ops/shards/moves", throttle().put("plan", plan)));
        }
    }

    /** Moves one shard. */
    @Command(name = "move", description = "Move one shard.", mixinStandardHelpOptions = true)
    static final class MoveOne extends Moving {
        @Parameters(index = "0", paramLabel = "SHARD", description = "Its number.")
        private String shard;

        @Parameters(index = "1", paramLabel = "NODE", description = "Where to: a node's name or one of its addresses.")
        private String to;

        @Option(names = "--type", defaultValue = "conversation", description = "conversation, desk or line.")
        private String type;

        @Override
        JsonNode ask(OpsClient client) {
            return begun(
                    client,
                    client.post(
                            "/ops/shards/moves",
                            throttle().put("shard", shard).put("to", to).put("type", type)));
        }
    }

    /** Drains a node. */
    @Command(
            name = "drain",
            description = "Have a node give up its shards, sockets and spooled posts, and take no new ones.",
            mixinStandardHelpOptions = true)
    static final class Drain extends Moving {
        @Parameters(paramLabel = "NODE", description = "The node's name or one of its addresses.")
        private String node;

        @Option(names = "--then-end", description = "End the node afterwards.")
        private boolean thenEnd;

        @Override
        JsonNode ask(OpsClient client) {
            ObjectNode body = throttle().put("thenEnd", thenEnd);
            return begun(client, client.post("/ops/nodes/" + OpsClient.part(node) + "/drain", body));
        }
    }

    /** Takes a node back. */
    @Command(name = "resume", description = "Take a drained node into service again.", mixinStandardHelpOptions = true)
    static final class Resume extends Sub {
        @Parameters(paramLabel = "NODE", description = "The node's name or one of its addresses.")
        private String node;

        @Override
        JsonNode ask(OpsClient client) {
            return client.post("/ops/nodes/" + OpsClient.part(node) + "/resume", body());
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.operation(answer, out);
        }
    }

    /** How far it is. */
    @Command(
            name = "status",
            description = "The move or drain that is under way, else the last one.",
            mixinStandardHelpOptions = true)
    static final class Status extends Sub {
        @Parameters(arity = "0..1", paramLabel = "ID", description = "Another one's id.")
        private String id;

        @Override
        JsonNode ask(OpsClient client) {
            return client.get("/ops/shards/moves" + (id == null ? "" : "/" + OpsClient.part(id)));
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.operation(answer, out);
        }
    }

    /** Stops what is under way. */
    @Command(name = "stop", description = "Stop the move or drain that is under way.", mixinStandardHelpOptions = true)
    static final class Stop extends Sub {
        @Override
        JsonNode ask(OpsClient client) {
            return client.delete("/ops/shards/moves");
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.operation(answer, out);
        }
    }

    /** Who did what. */
    @Command(name = "log", description = "Who did what, the newest first.", mixinStandardHelpOptions = true)
    static final class Log extends Sub {
        @Option(names = "--limit", defaultValue = "20", description = "How many (${DEFAULT-VALUE}).")
        private int limit;

        @Override
        JsonNode ask(OpsClient client) {
            return client.get("/ops/operations?limit=" + limit);
        }

        @Override
        void show(JsonNode answer, PrintWriter out) {
            OpsText.log(answer, out);
        }
    }
}
