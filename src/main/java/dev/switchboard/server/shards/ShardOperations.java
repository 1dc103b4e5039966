package dev.switchboard.server.shards;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.api.WireJson;
import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.NodeMessage.Answer;
import dev.switchboard.delivery.NodeMessage.Ask;
import dev.switchboard.directory.OperationRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What operators can see and do of shards and nodes; each node offers all of it, whatever node is meant. Thread-safe; never
 * blocks.
 *
 * <p>One move or drain is under way in the cluster at a time: the database holds which, with who wants it and how far it
 * is, and keeps it afterwards. The node that was asked carries out moves, the node that is drained its drain. When it is
 * lost meanwhile, the operation ends as {@code interrupted}; shards that were wanted elsewhere still go there.
 */
public final class ShardOperations {
    static final String REPORT = "report";
    static final String SHARDS = "shards";
    static final String DRAIN = "drain";
    static final String RESUME = "resume";

    static final String PLANNED = "planned";
    static final String RUNNING = "running";
    static final String DONE = "done";
    static final String INTERRUPTED = "interrupted";

    private static final Duration NODE_ANSWER = Duration.ofSeconds(6);
    private static final int MOST_MOVES = 10_000;
    private static final long USUAL_STALLS_SECONDS = 60;

    private final NodeLinks links;
    private final LocalNode local;
    private final OperationRows rows;
    private final OperationRunner runner;

    ShardOperations(NodeLinks links, LocalNode local, OperationRows rows, OperationRunner runner) {
        this.links = links;
        this.local = local;
        this.rows = rows;
        this.runner = runner;
        links.listen(this::answer);
        // What an earlier life of this node has left unfinished.
        var unused = endOfTheLost().exceptionally(failure -> null);
    }

    /** What another node, or this one, asks of this node. */
    private CompletionStage<Answer> answer(Ask ask) {
        JsonNode content = parse(ask.content());
        return switch (ask.what()) {
            case REPORT ->
                local.report(runner.state(), content.path("seconds").asLong(USUAL_STALLS_SECONDS))
                        .thenApply(report -> Answers.ok(WireJson.json().valueToTree(report)));
            case SHARDS ->
                local.shardsOf(content.path("type").asText())
                        .thenApply(shards -> Answers.ok(WireJson.json().valueToTree(shards.keySet())));
            case DRAIN -> drainHere(ask.by(), content);
            case RESUME -> resumeHere(ask.by());
            default -> CompletableFuture.completedFuture(Answers.problem(404, "this node can't " + ask.what()));
        };
    }

    /** The nodes' reports, and the nodes that gave none. */
    record Reports(List<NodeReport> nodes, List<String> unknown) {}

    CompletionStage<Reports> reports(long seconds) {
        String content =
                WireJson.json().createObjectNode().put("seconds", seconds).toString();
        CompletionStage<Reports> all =
                CompletableFuture.completedFuture(new Reports(new ArrayList<>(), new ArrayList<>()));
        for (String node : links.nodes()) {
            CompletionStage<Answer> asked = links.ask(node, REPORT, "", content, NODE_ANSWER);
            all = all.thenCombine(asked, (found, answer) -> {
                if (answer.status() == 200) {
                    found.nodes().add(read(answer.content(), NodeReport.class));
                } else {
                    found.unknown().add(node);
                }
                return found;
            });
        }
        return all;
    }

    // ---- looking ----

    /** Nodes, shards and load. {@code places}: also where each shard is. */
    public CompletionStage<Answer> shards(boolean places) {
        return reports(USUAL_STALLS_SECONDS).thenApply(found -> {
            ObjectNode picture = Picture.whole(found.nodes(), found.unknown());
            if (places) {
                picture.set("places", Picture.places(found.nodes()));
            }
            return Answers.ok(picture);
        });
    }

    /** The nodes alone. */
    public CompletionStage<Answer> nodes() {
        return reports(USUAL_STALLS_SECONDS)
                .thenApply(found -> Answers.ok(Picture.summary(found.nodes(), found.unknown())));
    }

    /** What was done, the newest first. */
    public CompletionStage<Answer> log(int limit) {
        return rows.newest(limit).thenApply(newest -> {
            ObjectNode all = WireJson.json().createObjectNode();
            ArrayNode items = all.putArray("items");
            newest.forEach(row -> items.add(shown(row, false)));
            return Answers.ok(all);
        });
    }

    /** One operation with all that is kept of it; without an id the one that is running, else the newest. */
    public CompletionStage<Answer> operation(Optional<String> id) {
        CompletionStage<Optional<OperationRows.Row>> found = id.map(rows::find)
                .orElseGet(() -> rows.running()
                        .thenCompose(running -> running.isPresent()
                                ? CompletableFuture.completedFuture(running)
                                : rows.newest(1)
                                        .thenApply(newest -> newest.stream().findFirst())));
        return found.thenApply(row -> row.map(known -> Answers.ok(shown(known, true)))
                .orElseGet(() -> Answers.problem(404, "There is no such operation.")));
    }

    // ---- planning and moving ----

    /** Plans moves and keeps the plan. {@code by} is {@code count} or {@code load}. */
    public CompletionStage<Answer> plan(String who, JsonNode request) {
        Evening.By by = by(request.path("by").asText("count"));
        String type = type(request);
        int atMost = (int) number(request, "atMost", MOST_MOVES, 1, MOST_MOVES);
        return reports(USUAL_STALLS_SECONDS).thenCompose(found -> {
            if (!found.unknown().isEmpty()) {
                return problem(503, "Not every node answers, so nobody knows where the shards are: " + found.unknown());
            }
            List<Move> moves = Evening.plan(found.nodes(), type, by, atMost);
            ObjectNode content = WireJson.json().createObjectNode();
            content.putObject("asked")
                    .put("by", by.name().toLowerCase(Locale.ROOT))
                    .put("type", type);
            content.set("moves", Picture.moves(moves));
            content.set("before", Picture.summary(found.nodes(), found.unknown()));
            content.set("after", Picture.afterwards(found.nodes(), moves));
            return keep("plan", who, "", PLANNED, content).thenApply(row -> Answers.ok(shown(row, true)));
        });
    }

    /** Runs a plan, or moves one shard. */
    public CompletionStage<Answer> move(String who, JsonNode request) {
        MoveRun.Throttle throttle = throttle(request);
        if (request.hasNonNull("plan")) {
            return rows.find(request.path("plan").asText()).thenCompose(row -> {
                boolean isPlan = row.isPresent() && row.get().status().equals(PLANNED);
                return isPlan
                        ? begin(
                                who,
                                request,
                                Picture.moves(parse(row.get().content()).path("moves")),
                                throttle)
                        : problem(404, "There is no such plan.");
            });
        }
        String type = type(request);
        String shard = request.path("shard").asText();
        return reports(USUAL_STALLS_SECONDS).thenCompose(found -> {
            Optional<NodeReport> target =
                    Nodes.called(found.nodes(), request.path("to").asText());
            Optional<NodeReport> source = found.nodes().stream()
                    .filter(node -> node.shardsOf(type).containsKey(shard))
                    .findFirst();
            if (target.isEmpty() || !target.get().serves()) {
                return problem(409, "There is no such node, or it takes no shards.");
            }
            if (source.isEmpty()) {
                return problem(404, "No node has this shard.");
            }
            Move move = new Move(type, shard, source.get().node(), target.get().node());
            return begin(who, request, List.of(move), throttle);
        });
    }

    private CompletionStage<Answer> begin(String who, JsonNode asked, List<Move> moves, MoveRun.Throttle throttle) {
        ObjectNode content = WireJson.json().createObjectNode();
        content.set("asked", asked);
        return start("move", who, content, row -> runner.runMoves(row, content, moves, throttle, this::reports));
    }

    /** Asks the running move or drain to stop. */
    public CompletionStage<Answer> stop(String who) {
        return rows.stop(who)
                .thenCompose(asked -> asked ? operation(Optional.empty()) : problem(409, "Nothing is under way."));
    }

    // ---- drains ----

    /** Drains a node, whichever; {@code called} is any of its names or addresses. */
    public CompletionStage<Answer> drain(String who, String called, JsonNode request) {
        throttle(request);
        return toNode(called, DRAIN, who, request);
    }

    /** Takes a drained node into service again. */
    public CompletionStage<Answer> resume(String who, String called) {
        return toNode(called, RESUME, who, WireJson.json().createObjectNode());
    }

    private CompletionStage<Answer> toNode(String called, String what, String who, JsonNode request) {
        return reports(USUAL_STALLS_SECONDS)
                .thenCompose(found -> Nodes.called(found.nodes(), called)
                        .map(node -> links.ask(node.node(), what, who, request.toString(), NODE_ANSWER))
                        .orElseGet(() -> problem(404, "No node is called " + called + ".")));
    }

    private CompletionStage<Answer> drainHere(String who, JsonNode request) {
        MoveRun.Throttle throttle = throttle(request);
        return reports(USUAL_STALLS_SECONDS).thenCompose(found -> {
            boolean alone = found.nodes().stream()
                    .noneMatch(node -> node.serves() && !node.node().equals(links.self()));
            if (alone) {
                return problem(409, "No other node could take what this one has.");
            }
            if (!runner.state().equals(NodeReport.SERVING)) {
                return problem(409, "This node is " + runner.state() + " already.");
            }
            ObjectNode content = WireJson.json().createObjectNode();
            content.set("asked", request);
            content.put("node", links.self());
            boolean thenEnd = request.path("thenEnd").asBoolean();
            return start(DRAIN, who, content, row -> runner.drain(row, content, throttle, thenEnd, this::reports));
        });
    }

    private CompletionStage<Answer> resumeHere(String who) {
        if (!runner.state().equals(OperationRunner.DRAINED)) {
            return problem(409, "This node is " + runner.state() + ".");
        }
        ObjectNode content = WireJson.json().createObjectNode().put("node", links.self());
        return runner.resume()
                .thenCompose(done -> keep(RESUME, who, links.self(), DONE, content))
                .thenApply(row -> Answers.ok(shown(row, true)));
    }

    // ---- keeping ----

    private interface Begin {
        void run(OperationRows.Row row);
    }

    /** Keeps a running operation and begins it; refused while another one runs. */
    private CompletionStage<Answer> start(String kind, String who, ObjectNode content, Begin begin) {
        return endOfTheLost().thenCompose(done -> {
            OperationRows.Row row = row(kind, who, links.self(), RUNNING, content);
            return rows.add(row).thenCompose(added -> {
                if (!added) {
                    return problem(409, "Another move or drain is under way: see its status, wait, or stop it.");
                }
                begin.run(row);
                return CompletableFuture.completedFuture(Answers.accepted(shown(row, true)));
            });
        });
    }

    /** An operation whose node is gone, or has begun anew, runs no more. */
    private CompletionStage<Void> endOfTheLost() {
        return rows.running().thenCompose(running -> {
            boolean lost = running.isPresent()
                    && (!links.nodes().contains(running.get().runner())
                            || (running.get().runner().equals(links.self()) && !runner.isRunning()));
            return lost
                    ? rows.change(
                                    running.get().id(),
                                    INTERRUPTED,
                                    Optional.of(Instant.now()),
                                    running.get().content())
                            .thenAccept(changed -> {})
                    : CompletableFuture.<Void>completedFuture(null);
        });
    }

    private CompletionStage<OperationRows.Row> keep(
            String kind, String who, String node, String status, ObjectNode content) {
        OperationRows.Row row = row(kind, who, node, status, content);
        return rows.add(row).thenApply(added -> row);
    }

    private static OperationRows.Row row(String kind, String who, String node, String status, ObjectNode content) {
        Instant now = Instant.now();
        boolean runs = status.equals(RUNNING);
        return new OperationRows.Row(
                kind + "-" + UUID.randomUUID().toString().substring(0, 8),
                kind,
                who,
                now,
                node,
                status,
                runs,
                "",
                runs ? Optional.empty() : Optional.of(now),
                content.toString());
    }

    private static ObjectNode shown(OperationRows.Row row, boolean whole) {
        ObjectNode shown = WireJson.json().createObjectNode();
        shown.put("id", row.id());
        shown.put("kind", row.kind());
        shown.put("who", row.byWhom());
        shown.put("begun", row.begun().toString());
        shown.put("status", row.status());
        if (!row.runner().isEmpty()) {
            shown.put("runner", row.runner());
        }
        if (!row.toStop().isEmpty()) {
            shown.put("stoppedBy", row.toStop());
        }
        row.ended().ifPresent(ended -> shown.put("ended", ended.toString()));
        JsonNode content = parse(row.content());
        content.properties().forEach(field -> {
            if (whole
                    || field.getKey().equals("asked")
                    || field.getKey().equals("node")
                    || field.getKey().equals("progress")) {
                shown.set(field.getKey(), field.getValue());
            }
        });
        return shown;
    }

    // ---- reading requests ----

    private static MoveRun.Throttle throttle(JsonNode request) {
        double perSecond = request.path("perSecond").asDouble(5);
        return new MoveRun.Throttle(perSecond, (int) number(request, "atOnce", 3, 1, 100));
    }

    private static Evening.By by(String name) {
        return switch (name) {
            case "count" -> Evening.By.COUNT;
            case "load" -> Evening.By.LOAD;
            default -> throw new IllegalArgumentException("by must be count or load, not " + name);
        };
    }

    private static String type(JsonNode request) {
        String type = request.path("type").asText(ActorHouse.CONVERSATION.name());
        if (!ActorHouse.TYPES.contains(type)) {
            throw new IllegalArgumentException("type must be one of " + ActorHouse.TYPES + ", not " + type);
        }
        return type;
    }

    private static long number(JsonNode request, String name, long usual, long least, long most) {
        long value = request.path(name).asLong(usual);
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be from " + least + " to " + most);
        }
        return value;
    }

    private static CompletionStage<Answer> problem(int status, String why) {
        return CompletableFuture.completedFuture(Answers.problem(status, why));
    }

    static JsonNode parse(String text) {
        return read(text.isEmpty() ? "{}" : text, JsonNode.class);
    }

    static <T> T read(String text, Class<T> type) {
        try {
            return WireJson.json().readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("this can't be read: " + e.getOriginalMessage(), e);
        }
    }
}
