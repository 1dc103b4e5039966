package dev.switchboard.bench.dispatch;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All contenders by the name under which they are asked for and reported. Stateless; any thread may call it. */
final class Contenders {
    static final String FORK_JOIN = "fork-join";
    static final String AFFINITY_5 = "affinity-pool-5";
    static final String OURS = "ours-";
    static final String LOW_LATENCY = OURS + "low-latency";
    static final String BALANCED = OURS + "balanced";
    static final String EFFICIENT = OURS + "efficient";

    /** The budget of the balanced profile. */
    static final int BALANCED_BUDGET_US = 50;

    private static final int BATCH = 128;
    private static final Map<String, Contender.Factory> ALL = new LinkedHashMap<>();

    static {
        ALL.put("blocking-queue", queues(1, true));
        ALL.put("spinning-queue", queues(1, false));
        ALL.put("spinning-queue-128", queues(BATCH, false));
        ALL.put("hybrid-queue", (workers, sessions) -> new QueueWorkers(workers, sessions, HybridTaking::new));
        ALL.put(
                "disruptor-blocking",
                (workers, sessions) -> new DisruptorWorkers(workers, sessions, BlockingWaitStrategy::new));
        ALL.put(
                "disruptor-yielding",
                (workers, sessions) -> new DisruptorWorkers(workers, sessions, YieldingWaitStrategy::new));
        ALL.put(FORK_JOIN, pekko("""
                contender-dispatcher { executor = fork-join-executor
                  fork-join-executor { parallelism-min = WORKERS, parallelism-factor = 1, parallelism-max = WORKERS } }
                """));
        ALL.put("thread-pool", pekko("""
                contender-dispatcher { executor = thread-pool-executor
                  thread-pool-executor { fixed-pool-size = WORKERS } }
                """));
        ALL.put("affinity-pool-1", affinityPool(1));
        ALL.put(AFFINITY_5, affinityPool(5));
        ALL.put("affinity-pool-10", affinityPool(10));
        ALL.put(LOW_LATENCY, ours("profile = low-latency"));
        ALL.put(BALANCED, ours("profile = balanced, latency-budget = " + BALANCED_BUDGET_US + "us"));
        ALL.put(EFFICIENT, ours("profile = efficient"));
    }

    private Contenders() {}

    static List<String> names() {
        return new ArrayList<>(ALL.keySet());
    }

    static boolean isOurs(String name) {
        return name.startsWith(OURS);
    }

    /**
     * The contender of that name.
     *
     * @throws IllegalArgumentException that names it and what there is
     */
    static Contender.Factory named(String name) {
        Contender.Factory found = ALL.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    "contender '" + name + "': there are " + String.join(", ", ALL.keySet()));
        }
        return found;
    }

    private static Contender.Factory queues(int batch, boolean blocking) {
        return (workers, sessions) -> new QueueWorkers(
                workers, sessions, queue -> blocking ? new BlockingTaking(queue) : new SpinningTaking(queue, batch));
    }

    /**
     * The pool's queues refuse beyond 512 mailboxes, and a refused one is stuck until its next message; with a thousand
     * busy actors that would happen, so they are given room for all of them.
     */
    private static Contender.Factory affinityPool(int level) {
        return pekko("""
                contender-dispatcher { executor = affinity-pool-executor
                  affinity-pool-executor { parallelism-min = WORKERS, parallelism-factor = 1, parallelism-max = WORKERS
                    task-queue-size = 4096, idle-cpu-level = LEVEL } }
                """.replace("LEVEL", String.valueOf(level)));
    }

    private static Contender.Factory ours(String profile) {
        return pekko("""
                contender-dispatcher { type = "dev.switchboard.dispatcher.AffinityDispatcherConfigurator"
                  throughput = 128
                  affinity { PROFILE, lanes-min = 1, lanes-max = WORKERS } }
                contender-mailbox { mailbox-type = "dev.switchboard.dispatcher.SessionMailbox" }
                """.replace("PROFILE", profile));
    }

    private static Contender.Factory pekko(String settings) {
        return (workers, sessions) -> new PekkoActors(sessions, settings.replace("WORKERS", String.valueOf(workers)));
    }
}
