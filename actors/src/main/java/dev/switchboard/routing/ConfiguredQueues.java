package dev.switchboard.routing;

import com.typesafe.config.Config;
import dev.switchboard.ports.Directory;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues of the configuration, and over them those of the directory, which it reads every {@code
 * switchboard.queues-refresh}. Thread-safe; never blocks: what it answers with is in memory. While the directory can't
 * answer, what was read last holds.
 */
public final class ConfiguredQueues implements QueueCatalog {
    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredQueues.class);

    /** For how long after the last opening the length of a line is followed. */
    private static final Duration FOLLOWED_FOR = Duration.ofMinutes(1);

    /** How full a line is: its length when it last told, and what was admitted since. */
    private static final class Fill {
        private final AtomicInteger admitted = new AtomicInteger();
        private volatile int length;
        private volatile boolean asking;
        private volatile long usedAtNanos;
        /**
         * How many had been admitted when the last question was asked: these have arrived when the next is answered.
         */
        private int admittedAtQuestion;
    }

    private final Peers peers;
    private final Directory directory;
    private final ActorSystem<?> system;
    private final Duration lengthRefresh;
    private final Map<String, QueueSettings> configured;
    private final Map<String, Fill> fills = new ConcurrentHashMap<>();
    private volatile Map<String, QueueSettings> queues;
    private volatile boolean refreshing;
    private volatile boolean failing;
    private Map<String, QueueSettings> stored = Map.of();

    private ConfiguredQueues(Peers peers, Directory directory, ActorSystem<?> system, Config switchboard) {
        this.peers = peers;
        this.directory = directory;
        this.system = system;
        this.lengthRefresh = switchboard.getDuration("queue-length-refresh");
        this.configured = Map.copyOf(QueueDefaults.queues(switchboard));
        this.queues = configured;
    }

    /** Reads the configuration and begins to follow the directory. Throws ConfigException for a queue that can't be. */
    public static ConfiguredQueues start(Peers peers, Directory directory, ActorSystem<?> system) {
        Config switchboard = system.settings().config().getConfig("switchboard");
        ConfiguredQueues queues = new ConfiguredQueues(peers, directory, system, switchboard);
        system.scheduler()
                .scheduleWithFixedDelay(
                        Duration.ZERO,
                        switchboard.getDuration("queues-refresh"),
                        queues::refresh,
                        system.executionContext());
        system.scheduler()
                .scheduleWithFixedDelay(
                        queues.lengthRefresh, queues.lengthRefresh, queues::followLengths, system.executionContext());
        return queues;
    }

    @Override
    public Optional<QueueSettings> find(String queue) {
        return Optional.ofNullable(queues.get(queue));
    }

    @Override
    public Collection<QueueSettings> all() {
        return queues.values();
    }

    @Override
    public CompletionStage<Void> put(QueueSettings settings) {
        return directory.putQueue(settings).thenRun(() -> {
            synchronized (this) {
                Map<String, QueueSettings> more = new LinkedHashMap<>(stored);
                more.put(settings.queue(), settings);
                take(more);
            }
        });
    }

    @Override
    public boolean admits(String queue) {
        QueueSettings settings = queues.get(queue);
        if (settings == null) {
            return false;
        }
        Fill fill = fills.computeIfAbsent(queue, this::follow);
        fill.usedAtNanos = System.nanoTime();
        if (fill.length + fill.admitted.get() >= settings.maxLength()) {
            return false;
        }
        fill.admitted.incrementAndGet();
        return true;
    }

    private Fill follow(String queue) {
        Fill fill = new Fill();
        ask(queue, fill);
        return fill;
    }

    private void followLengths() {
        long now = System.nanoTime();
        fills.values().removeIf(fill -> now - fill.usedAtNanos > FOLLOWED_FOR.toNanos());
        fills.forEach(this::ask);
    }

    /**
     * What was admitted shortly before the question may not have reached the line yet, so it counts until the next one.
     */
    private void ask(String queue, Fill fill) {
        if (fill.asking) {
            return;
        }
        fill.asking = true;
        int settled = fill.admittedAtQuestion;
        int admitted = fill.admitted.get();
        AskPattern.<LineCommand, LineReply>ask(
                        system.ignoreRef(),
                        ref -> {
                            LineCommand command = new LineCommand.Show(ref);
                            peers.line(queue, command);
                            return command;
                        },
                        lengthRefresh.multipliedBy(5),
                        system.scheduler())
                .whenCompleteAsync(
                        (reply, failure) -> {
                            if (reply instanceof LineReply.Shown shown) {
                                fill.length = shown.length();
                                fill.admitted.addAndGet(-settled);
                                fill.admittedAtQuestion = admitted - settled;
                            }
                            fill.asking = false;
                        },
                        system.executionContext());
    }

    private void refresh() {
        if (refreshing) {
            return;
        }
        refreshing = true;
        directory.queues().whenComplete((rows, failure) -> {
            refreshing = false;
            if (failure != null) {
                if (!failing) {
                    LOG.warn(
                            "The queues that operators set can't be read now; what was read last holds: {}",
                            failure.toString());
                }
                failing = true;
                return;
            }
            failing = false;
            synchronized (this) {
                take(byName(rows));
            }
        });
    }

    private static Map<String, QueueSettings> byName(List<QueueSettings> rows) {
        Map<String, QueueSettings> byName = new LinkedHashMap<>();
        rows.forEach(row -> byName.put(row.queue(), row));
        return byName;
    }

    private void take(Map<String, QueueSettings> rows) {
        stored = rows;
        Map<String, QueueSettings> before = queues;
        Map<String, QueueSettings> all = new LinkedHashMap<>(configured);
        all.putAll(rows);
        queues = Map.copyOf(all);
        for (QueueSettings settings : all.values()) {
            if (!settings.equals(before.get(settings.queue()))) {
                peers.line(settings.queue(), new LineCommand.SettingsChanged());
            }
        }
    }
}
