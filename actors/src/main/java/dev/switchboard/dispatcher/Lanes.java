package dev.switchboard.dispatcher;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.dispatch.ExecutorServiceFactory;
import org.apache.pekko.dispatch.ExecutorServiceFactoryProvider;
import org.apache.pekko.dispatch.MessageQueue;

/**
 * The lanes of one dispatcher, and how many of them are in use. Thread-safe.
 *
 * <p>They outlive the executor services that Pekko makes: a {@link LaneExecutor} that is shut down lets the lanes'
 * threads end, and the next one starts them again by its first task.
 *
 * <p>Lanes in use grow by one when a lane has a backlog of {@code grow-at} messages, and shrink by one when all have less
 * than {@code shrink-below} and a lane was idle for more than its share since: with {@code n} in use, for more than
 * {@code 1/n} of the time, so that the others could have done its work. Between two changes some time passes, so that the
 * first one can show its effect. While lanes have such a backlog and others are idle, they give them mailboxes to run.
 */
final class Lanes implements ExecutorServiceFactoryProvider {
    private static final long GROW_APART_NS = 10_000_000L;
    /** Between giving up a lane and the change before it, and how long a lane looks at itself before it says how idle it is. */
    static final long SHRINK_APART_NS = 100_000_000L;

    private final AffinitySettings settings;
    private final WaitCosts costs;
    private final SpinSlots slots;
    private final AtomicInteger nextForTasks = new AtomicInteger();
    /** How many executor services are open: made and not shut down. */
    private final AtomicInteger open = new AtomicInteger();

    private final AtomicLong grown = new AtomicLong();
    private final AtomicLong shrunk = new AtomicLong();
    private final AtomicLong changedAt = new AtomicLong(System.nanoTime());
    private final Object endings = new Object();

    private Lane[] lanes = {};
    private volatile int inUse;

    Lanes(AffinitySettings settings, WaitCosts costs, SpinSlots slots) {
        this.settings = settings;
        this.costs = costs;
        this.slots = slots;
        this.inUse = settings.lanesMin();
    }

    /** Called once, by the dispatcher's constructor. */
    @Override
    public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threadFactory) {
        ThreadFactory factory = PekkoInternals.named(threadFactory, id);
        lanes = new Lane[settings.lanesMax()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane(i, this, policy(), slots, factory, costs.napOverNs());
        }
        return () -> {
            open.incrementAndGet();
            return new LaneExecutor(this);
        };
    }

    private WaitPolicy policy() {
        if (settings.profile() != Profile.CUSTOM) {
            return new AdaptiveLadder(settings, costs);
        }
        return new FixedLadder(new Ladder(settings.spinNs(), settings.yieldNs(), settings.napNs(), settings.naps()));
    }

    /** Runs the task on its lane: a mailbox on its session's, a plain task on the caller's if that is a lane. */
    void execute(Runnable task) {
        lanes[laneOf(task)].submit(task);
    }

    private int laneOf(Runnable task) {
        int count = inUse;
        MessageQueue queue = PekkoInternals.queueOf(task);
        if (queue instanceof SessionQueue session) {
            session.scheduled(settings.sampleEvery() - 1);
            return session.lane(count);
        }
        if (queue != null) {
            return LaneHash.lane(PekkoInternals.sessionHash(task), count);
        }
        for (int i = 0; i < lanes.length; i++) {
            if (lanes[i].isCurrent()) {
                return i;
            }
        }
        return (nextForTasks.getAndIncrement() & Integer.MAX_VALUE) % count;
    }

    /** A lane has a backlog of so many messages. */
    void grownBy(long backlog) {
        int count = inUse;
        if (backlog < settings.growAt() || count >= settings.lanesMax()) {
            return;
        }
        long changed = changedAt.get();
        long now = System.nanoTime();
        if (now - changed >= GROW_APART_NS && changedAt.compareAndSet(changed, now)) {
            inUse = count + 1;
            grown.incrementAndGet();
        }
    }

    /**
     * A lane in use that could run some of another one's backlog, or null. Only from the backlog on that takes lanes into
     * use: below it a session's place in its lane's cache is worth more than the wait.
     */
    Lane helperFor(Lane busy, long backlog) {
        int count = inUse;
        if (count > 1 && backlog >= settings.growAt()) {
            for (int i = 0; i < count; i++) {
                if (lanes[i] != busy && lanes[i].idle()) {
                    return lanes[i];
                }
            }
        }
        return null;
    }

    /** A lane in use was idle for that share of the time since it last said so. */
    void shrunkBy(int lane, double idleShare, long now) {
        int count = inUse;
        long changed = changedAt.get();
        if (lane >= count
                || count <= settings.lanesMin()
                || now - changed < SHRINK_APART_NS
                || idleShare * count < 1
                || backlog() >= settings.shrinkBelow()) {
            return;
        }
        if (changedAt.compareAndSet(changed, now)) {
            inUse = count - 1;
            shrunk.incrementAndGet();
        }
    }

    private long backlog() {
        long sum = 0;
        for (Lane lane : lanes) {
            sum += lane.backlogMessages();
        }
        return sum;
    }

    /** How long a lane may sleep without looking up: not long while there may be a lane to give up. */
    long parkAtMostNs() {
        return inUse > settings.lanesMin() ? SHRINK_APART_NS : Lane.NET_NS;
    }

    int inUse() {
        return inUse;
    }

    /** Takes so many lanes into use, for tests: at any time, whatever the backlog. */
    void use(int count) {
        inUse = count;
    }

    /** Sets up the calling thread as that lane's. */
    void adopt(int lane) {
        if (settings.timerSlackNs() > 0) {
            LinuxThread.setTimerSlack(settings.timerSlackNs());
        }
        if (settings.pin()) {
            LinuxThread.pin(lane % Runtime.getRuntime().availableProcessors());
        }
    }

    /**
     * One executor service was shut down. After the last one all threads end when they have nothing to do. Pekko opens the
     * next one before it shuts down the one before; then the threads stay, for the next one.
     */
    void close() {
        if (open.decrementAndGet() == 0) {
            for (Lane lane : lanes) {
                lane.retire();
            }
        }
    }

    /** Whether no executor service is open, so that threads are to end. */
    boolean closed() {
        return open.get() == 0;
    }

    void laneEnded() {
        synchronized (endings) {
            endings.notifyAll();
        }
    }

    boolean ended() {
        for (Lane lane : lanes) {
            if (!lane.ended()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all threads have ended before that {@link System#nanoTime()}. */
    boolean awaitEnd(long deadline) throws InterruptedException {
        synchronized (endings) {
            while (!ended()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                endings.wait(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            return true;
        }
    }

    DispatcherView view(String id) {
        int count = inUse;
        List<LaneView> views = new ArrayList<>(lanes.length);
        long wakeUpNs = 0;
        for (int i = 0; i < lanes.length; i++) {
            wakeUpNs = Math.max(wakeUpNs, i < count ? lanes[i].wakeUpNs() : 0);
            views.add(lanes[i].view(i < count));
        }
        return new DispatcherView(
                id,
                count,
                grown.get(),
                shrunk.get(),
                wakeUpNs > 0 ? wakeUpNs : costs.wakeUpNs(),
                costs.parkNs(),
                costs.napNs(),
                views);
    }
}
