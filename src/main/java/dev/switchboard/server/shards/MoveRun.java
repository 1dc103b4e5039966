package dev.switchboard.server.shards;

import dev.switchboard.delivery.ShardSteering;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Moves shards at a pace: so many a second at most, so many under way at most. A thread of its own runs it and waits in
 * it; {@link #progress} is for any thread.
 *
 * <pre>
 * waiting ──wanted at its new node──▶ under way ──is there──▶ done
 *    │                                    └──not there in time, or the node is gone──▶ failed, and left to the cluster
 *    └──stopped──▶ left where it is
 * </pre>
 */
final class MoveRun {
    /** How fast. */
    record Throttle(double perSecond, int atOnce) {
        Throttle {
            if (!(perSecond > 0 && perSecond <= 1000)) {
                throw new IllegalArgumentException("perSecond must be above 0 and at most 1000");
            }
            if (atOnce < 1 || atOnce > 100) {
                throw new IllegalArgumentException("atOnce must be from 1 to 100");
            }
        }
    }

    /** How far it is. {@code slowestMillis}: the longest time from wanting a shard elsewhere until it was seen there. */
    record Progress(int moves, int done, int underWay, int left, List<String> failed, long slowestMillis) {}

    /** Longer than Pekko tries to hand a shard over. */
    private static final Duration ONE_MOVE = Duration.ofSeconds(75);

    private static final Duration LOOK = Duration.ofMillis(200);

    private record UnderWay(Move move, long sinceNanos) {}

    private final ShardSteering steering;
    private final Function<Move, Set<String>> shardsAtTarget;
    private final Throttle throttle;
    private final Deque<Move> waiting;
    private final int moves;
    private final Map<String, UnderWay> underWay = new LinkedHashMap<>();
    private final List<String> failed = new ArrayList<>();
    private int done;
    private long slowestNanos;

    /**
     * @param shardsAtTarget asks the move's new node which shards of that type it has; empty when it doesn't answer
     */
    MoveRun(
            ShardSteering steering,
            Function<Move, Set<String>> shardsAtTarget,
            Collection<Move> moves,
            Throttle throttle) {
        this.steering = steering;
        this.shardsAtTarget = shardsAtTarget;
        this.throttle = throttle;
        this.waiting = new ArrayDeque<>(moves);
        this.moves = moves.size();
    }

    synchronized Progress progress() {
        return new Progress(
                moves,
                done,
                underWay.size(),
                waiting.size(),
                List.copyOf(failed),
                TimeUnit.NANOSECONDS.toMillis(slowestNanos));
    }

    /**
     * Runs to its end.
     *
     * @param stop asked all the time; once it says true no further move begins
     * @param tell called after each look, with the progress to be had from {@link #progress}
     */
    void run(BooleanSupplier stop, Runnable tell) {
        long begun = System.nanoTime();
        int started = 0;
        boolean stopped = false;
        while (!isOver(stopped)) {
            stopped = stopped || stop.getAsBoolean();
            if (!stopped) {
                started += begin(allowance(begun, started));
            }
            look();
            tell.run();
            LockSupport.parkNanos(LOOK.toNanos());
        }
        tell.run();
    }

    private synchronized boolean isOver(boolean stopped) {
        return underWay.isEmpty() && (stopped || waiting.isEmpty());
    }

    /** How many may begin now. */
    private int allowance(long begunNanos, int started) {
        double seconds = (System.nanoTime() - begunNanos) / 1e9;
        return (int) Math.min(Integer.MAX_VALUE, 1 + Math.floor(seconds * throttle.perSecond())) - started;
    }

    private int begin(int allowed) {
        Map<String, String> wanted = new HashMap<>();
        synchronized (this) {
            while (wanted.size() < allowed && underWay.size() < throttle.atOnce() && !waiting.isEmpty()) {
                Move move = waiting.remove();
                wanted.put(move.key(), move.to());
                underWay.put(move.key(), new UnderWay(move, System.nanoTime()));
            }
        }
        if (!wanted.isEmpty()) {
            steering.want(wanted).toCompletableFuture().join();
        }
        return wanted.size();
    }

    private void look() {
        Map<String, Set<String>> there = new HashMap<>();
        List<UnderWay> open;
        synchronized (this) {
            open = List.copyOf(underWay.values());
        }
        for (UnderWay each : open) {
            there.computeIfAbsent(
                    each.move().type() + "@" + each.move().to(), place -> shardsAtTarget.apply(each.move()));
        }
        List<String> givenUp = new ArrayList<>();
        synchronized (this) {
            for (Iterator<UnderWay> all = underWay.values().iterator(); all.hasNext(); ) {
                UnderWay each = all.next();
                Move move = each.move();
                long took = System.nanoTime() - each.sinceNanos();
                Set<String> shards = there.get(move.type() + "@" + move.to());
                if (shards != null && shards.contains(move.shard())) {
                    done++;
                    slowestNanos = Math.max(slowestNanos, took);
                    all.remove();
                } else if (took > ONE_MOVE.toNanos()) {
                    failed.add(move.key());
                    givenUp.add(move.key());
                    all.remove();
                }
            }
        }
        if (!givenUp.isEmpty()) {
            steering.leave(givenUp).toCompletableFuture().join();
        }
    }
}
