package dev.switchboard.server.shards;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.api.WireJson;
import dev.switchboard.delivery.NodeMessage.Answer;
import dev.switchboard.delivery.ShardSteering;
import dev.switchboard.directory.OperationRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the moves and drains of this node, one at a time, on a thread of its own that waits in them. Thread-safe.
 *
 * <pre>
 * serving ──drain──▶ draining ──all given up──▶ drained ──resume──▶ serving
 *                       └──stopped, or it can't be──▶ serving
 * </pre>
 *
 * <p>A draining node says at `/ready` that it is not, sends its sockets away, is closed for shards, hands them over at the
 * pace that was asked for, and then waits until its spool is empty. Calls over HTTP it answers all the time, and in
 * whatever state: they go to where their conversations are.
 */
final class OperationRunner {
    static final String DRAINING = "draining";
    static final String DRAINED = "drained";

    private static final Logger LOG = LoggerFactory.getLogger(OperationRunner.class);
    private static final Duration TELL_EVERY = Duration.ofSeconds(1);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
    private static final Duration EMPTYING = Duration.ofMinutes(5);
    private static final int ROUNDS = 5;

    private final NodeLinks links;
    private final LocalNode local;
    private final OperationRows rows;
    private final ShardSteering steering;
    private final OperationsOfNode.Doors doors;
    private final AtomicReference<String> state = new AtomicReference<>(NodeReport.SERVING);
    private final AtomicBoolean running = new AtomicBoolean();

    OperationRunner(
            NodeLinks links,
            LocalNode local,
            OperationRows rows,
            ShardSteering steering,
            OperationsOfNode.Doors doors) {
        this.links = links;
        this.local = local;
        this.rows = rows;
        this.steering = steering;
        this.doors = doors;
    }

    /** {@code serving}, {@code draining} or {@code drained}. */
    String state() {
        return state.get();
    }

    boolean isRunning() {
        return running.get();
    }

    /** Begins to move shards. */
    void runMoves(
            OperationRows.Row row,
            ObjectNode content,
            List<Move> moves,
            MoveRun.Throttle throttle,
            LongFunction<CompletionStage<ShardOperations.Reports>> reports) {
        begin(row, () -> {
            Work work = new Work(row, content, reports);
            work.before();
            MoveRun run = new MoveRun(steering, this::shardsAtTarget, work.stillThere(moves), throttle);
            run.run(work::mustStop, () -> work.tell(run.progress()));
            work.end(work.stopped() ? "stopped" : run.progress().failed().isEmpty() ? ShardOperations.DONE : "failed");
        });
    }

    /** Begins to drain this node. */
    void drain(
            OperationRows.Row row,
            ObjectNode content,
            MoveRun.Throttle throttle,
            boolean thenEnd,
            LongFunction<CompletionStage<ShardOperations.Reports>> reports) {
        state.set(DRAINING);
        begin(row, () -> {
            Work work = new Work(row, content, reports);
            String status = "failed";
            try {
                work.before();
                status = giveUpAll(work, throttle);
            } finally {
                if (status.equals(ShardOperations.DONE)) {
                    state.set(DRAINED);
                } else {
                    comeBack();
                }
                work.end(status);
            }
            if (status.equals(ShardOperations.DONE) && thenEnd) {
                doors.end();
            }
        });
    }

    private String giveUpAll(Work work, MoveRun.Throttle throttle) {
        String self = links.self();
        join(steering.close(self));
        doors.close();
        Set<String> moved = new HashSet<>();
        try {
            // More than once: a shard may have been given to this node while it closed.
            for (int round = 0; round < ROUNDS; round++) {
                List<Move> moves = Evening.away(work.now(0), self);
                if (moves.isEmpty()) {
                    break;
                }
                moves.forEach(move -> moved.add(move.key()));
                MoveRun run = new MoveRun(steering, this::shardsAtTarget, moves, throttle);
                run.run(work::mustStop, () -> work.tell(run.progress()));
                if (work.stopped()) {
                    return "stopped";
                }
            }
            long deadline = System.nanoTime() + EMPTYING.toNanos();
            while (local.spooled() > 0 || local.sockets() > 0 || hasShards()) {
                if (work.mustStop()) {
                    return "stopped";
                }
                if (System.nanoTime() - deadline > 0) {
                    return "failed";
                }
                LockSupport.parkNanos(LOOK_AGAIN.toNanos());
            }
            return ShardOperations.DONE;
        } finally {
            // The node is closed as long as it is to have nothing; where the shards went needn't hold them.
            join(steering.leave(moved));
        }
    }

    private boolean hasShards() {
        return join(local.shards()).values().stream().anyMatch(shards -> !shards.isEmpty());
    }

    /** Takes the drained node into service. */
    CompletionStage<Void> resume() {
        return CompletableFuture.runAsync(this::comeBack);
    }

    private void comeBack() {
        join(steering.open(links.self()));
        doors.open();
        state.set(NodeReport.SERVING);
    }

    private void begin(OperationRows.Row row, Runnable work) {
        running.set(true);
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        LOG.error("the operation {} failed", row.id(), e);
                        var unused = rows.change(row.id(), "failed", Optional.of(Instant.now()), row.content());
                    } finally {
                        running.set(false);
                    }
                },
                "switchboard-" + row.kind());
        thread.setDaemon(true);
        thread.start();
    }

    private Set<String> shardsAtTarget(Move move) {
        String content =
                WireJson.json().createObjectNode().put("type", move.type()).toString();
        Answer answer = join(links.ask(move.to(), ShardOperations.SHARDS, "", content, ANSWER));
        Set<String> shards = new HashSet<>();
        if (answer.status() == 200) {
            ShardOperations.parse(answer.content()).forEach(shard -> shards.add(shard.asText()));
        }
        return shards;
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(ANSWER.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The record of what is under way. For the thread that does it. */
    private final class Work {
        private final OperationRows.Row row;
        private final ObjectNode content;
        private final LongFunction<CompletionStage<ShardOperations.Reports>> reports;
        private final long begunNanos = System.nanoTime();
        private long toldNanos;
        private boolean stop;

        Work(
                OperationRows.Row row,
                ObjectNode content,
                LongFunction<CompletionStage<ShardOperations.Reports>> reports) {
            this.row = row;
            this.content = content;
            this.reports = reports;
        }

        List<NodeReport> now(long seconds) {
            return join(reports.apply(seconds)).nodes();
        }

        void before() {
            content.set("before", Picture.summary(now(0), List.of()));
        }

        /** Moves whose shard is still where the plan saw it; the others are noted. */
        List<Move> stillThere(List<Move> moves) {
            List<NodeReport> nodes = now(0);
            List<Move> good = new ArrayList<>();
            ArrayNode changed = WireJson.json().createArrayNode();
            for (Move move : moves) {
                boolean there = nodes.stream()
                        .anyMatch(node -> node.node().equals(move.from())
                                && node.shardsOf(move.type()).containsKey(move.shard()));
                boolean open = nodes.stream().anyMatch(node -> node.node().equals(move.to()) && node.serves());
                if (there && open) {
                    good.add(move);
                } else {
                    changed.add(move.key());
                }
            }
            content.set("skipped", changed);
            return good;
        }

        boolean stopped() {
            return stop;
        }

        /** Asks the database now and then whether somebody wants it to stop. */
        boolean mustStop() {
            if (!stop && System.nanoTime() - toldNanos > TELL_EVERY.toNanos()) {
                toldNanos = System.nanoTime();
                try {
                    stop = join(rows.find(row.id()))
                            .map(known -> !known.toStop().isEmpty() || !known.running())
                            .orElse(false);
                    var unused =
                            join(rows.change(row.id(), ShardOperations.RUNNING, Optional.empty(), content.toString()));
                } catch (IllegalStateException e) {
                    // Without the database nothing can be asked or noted; the moves go on, they need it less.
                    LOG.warn("{}: the progress can't be noted: {}", row.id(), e.getMessage());
                }
            }
            return stop;
        }

        void tell(MoveRun.Progress progress) {
            content.set("progress", WireJson.json().valueToTree(progress));
        }

        void end(String status) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos) + 1;
            List<NodeReport> nodes = now(seconds);
            content.set("after", Picture.summary(nodes, List.of()));
            content.set("longestStall", Picture.stall(Picture.longest(nodes)));
            content.put("seconds", (System.nanoTime() - begunNanos) / 1e9);
            var unused = join(rows.change(row.id(), status, Optional.of(Instant.now()), content.toString()));
        }
    }
}
