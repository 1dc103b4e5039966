package dev.switchboard.dispatcher;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.dispatch.MessageQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * What a lane's thread does: runs what is in the lane's queues, and waits by the steps that its {@link WaitPolicy} says.
 * Only that thread calls it, but for {@link #idle}, {@link #messagesPerRun} and
 * {@link #wakeUpNs}. {@link Lane} says why it misses no work.
 */
final class LaneLoop extends Padding implements Runnable {
    private static final int OWN_RUNS_IN_A_ROW = 16;
    private static final int LOOKS_PER_CLOCK = 16;
    private static final int RUNS_PER_BACKLOG_LOOK = 16;
    private static final int MESSAGES_PER_BACKLOG_LOOK = 64;
    private static final int GIVEN_AT_MOST = 256;

    private final Lane lane;
    private final Lanes lanes;
    private final WaitPolicy policy;
    private final SpinSlots slots;
    private final NapTimer napTimer;
    private final LaneFigures figures;
    private final LaneGate gate;
    private final MpscUnboundedArrayQueue<Runnable> queue;

    /** What the thread itself submits: it needs no call, and so no fence. */
    private final ArrayDeque<Runnable> own = new ArrayDeque<>();

    /** Whether it has nothing to do; only a hint for other lanes. */
    private final AtomicBoolean idle = new AtomicBoolean(true);

    private volatile int messagesPerRun = 1;
    private int ownRunsInARow;
    private int runs;
    private long runsAtWait;
    private long workingSince;
    private long messagesAtLook;
    private long runsAtLook;
    private long idleFrom;
    private long windowFrom;
    private long idleInWindow;

    LaneLoop(Lane lane, Lanes lanes, WaitPolicy policy, SpinSlots slots, NapTimer napTimer) {
        this.lane = lane;
        this.lanes = lanes;
        this.policy = policy;
        this.slots = slots;
        this.napTimer = napTimer;
        this.figures = lane.figures();
        this.gate = lane.gate();
        this.queue = lane.queue();
    }

    /** Something that this thread submits to its own lane while it runs something else. */
    void add(Runnable task) {
        own.add(task);
    }

    boolean idle() {
        return idle.getOpaque();
    }

    /** What a wake-up of this lane takes lately, or 0 where nobody asks. */
    long wakeUpNs() {
        return policy.wakeUpNs();
    }

    /** How many messages a mailbox had lately when it ran, on average. */
    int messagesPerRun() {
        return messagesPerRun;
    }

    @Override
    public void run() {
        lane.adopt();
        figures.thread();
        idle.setOpaque(false);
        lanes.adopt(lane.index());
        workingSince = System.nanoTime();
        windowFrom = workingSince;
        idleInWindow = 0;
        boolean running = true;
        while (running) {
            try {
                running = runOrWait();
            } catch (Throwable e) {
                report(e);
            }
        }
    }

    /** Runs one task or waits for one. False: the lane has ended. */
    private boolean runOrWait() {
        Runnable task = next();
        if (task == null) {
            return waitForWork();
        }
        readAhead();
        MessageQueue mailbox = PekkoInternals.queueOf(task);
        if (mailbox == null) {
            figures.task();
            task.run();
            Thread.interrupted();
        } else {
            figures.batch();
            if (mailbox instanceof SessionQueue session) {
                session.runsFor(figures);
            }
            task.run();
        }
        if (++runs >= RUNS_PER_BACKLOG_LOOK || figures.messagesSoFar() - messagesAtLook >= MESSAGES_PER_BACKLOG_LOOK) {
            runs = 0;
            lookAtBacklog();
        }
        return true;
    }

    /**
     * Asks for the memory of the mailbox that comes next while this one runs. After a pause it is mostly in another
     * processor's cache, or in none, and a message then costs more for waiting for memory than for all else. Nobody but
     * this thread may run what is in its queue, so it may look into the mailbox.
     */
    private void readAhead() {
        Runnable following = queue.relaxedPeek();
        if (following != null && PekkoInternals.queueOf(following) instanceof SessionQueue session) {
            session.lookAhead();
        }
    }

    private Runnable next() {
        Runnable task;
        if (ownRunsInARow < OWN_RUNS_IN_A_ROW && (task = own.poll()) != null) {
            ownRunsInARow++;
            return task;
        }
        ownRunsInARow = 0;
        task = queue.poll();
        return task != null ? task : own.poll();
    }

    private void report(Throwable e) {
        figures.failure();
        Thread.interrupted();
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        } catch (Throwable ignored) {
            // The handler was told; that it fails itself must not cost the lane its thread.
        }
    }

    private void lookAtBacklog() {
        long messages = figures.messagesSoFar();
        long runsSoFar = figures.runsSoFar();
        messagesPerRun = (int) Math.max(1, (messages - messagesAtLook) / Math.max(1, runsSoFar - runsAtLook));
        messagesAtLook = messages;
        runsAtLook = runsSoFar;
        long backlog = lane.backlogMessages();
        lanes.grownBy(backlog);
        Lane helper = lanes.helperFor(lane, backlog);
        if (helper != null) {
            give(helper);
        }
    }

    /** Lets another lane run what waits here, half of it at most. */
    private void give(Lane helper) {
        int count = Math.min(GIVEN_AT_MOST, queue.size() / 2);
        List<Runnable> given = new ArrayList<>(count);
        while (given.size() < count) {
            Runnable task = queue.relaxedPoll();
            if (task == null) {
                break;
            }
            given.add(task);
        }
        if (!given.isEmpty()) {
            helper.help(given);
            figures.gave(given.size());
        }
    }

    /** Waits until there is work. False: the lane has ended. */
    private boolean waitForWork() {
        // Whoever interrupted this thread meant a task that is done; parking would return at once for ever.
        Thread.interrupted();
        if (lanes.closed()) {
            return !end();
        }
        idle.setOpaque(true);
        long from = System.nanoTime();
        idleFrom = from;
        long runsSoFar = figures.runsSoFar();
        Ladder ladder = policy.begin(from - workingSince, runsSoFar - runsAtWait);
        runsAtWait = runsSoFar;
        WaitPolicy.Step step;
        if (stayAwake(ladder, from)) {
            step = WaitPolicy.Step.AWAKE;
        } else if (nap(ladder)) {
            step = WaitPolicy.Step.NAP;
        } else {
            park();
            step = WaitPolicy.Step.PARK;
        }
        idle.setOpaque(false);
        workingSince = System.nanoTime();
        wasIdleUntil(workingSince);
        policy.ended(step, workingSince - from);
        return true;
    }

    private void wasIdleUntil(long now) {
        idleInWindow += now - idleFrom;
        idleFrom = now;
        if (now - windowFrom >= Lanes.SHRINK_APART_NS) {
            lanes.shrunkBy(lane.index(), (double) idleInWindow / (now - windowFrom), now);
            windowFrom = now;
            idleInWindow = 0;
        }
    }

    private boolean work() {
        return !queue.isEmpty() || lanes.closed();
    }

    /**
     * As {@link #work}, but it may miss what a producer is about to add. It looks only at the place of the next task, which
     * has to come to this processor anyhow, and leaves alone the counter that producers write.
     */
    private boolean workInSight() {
        return queue.relaxedPeek() != null || lanes.closed();
    }

    private boolean stayAwake(Ladder ladder, long from) {
        if (ladder.awakeNs() == 0) {
            return work();
        }
        boolean slot = slots.tryAcquire();
        try {
            if (slot && ladder.spinNs() > 0) {
                figures.spin();
                do {
                    for (int look = 0; look < LOOKS_PER_CLOCK; look++) {
                        if (workInSight()) {
                            return true;
                        }
                        Thread.onSpinWait();
                    }
                } while (System.nanoTime() - from < ladder.spinNs());
            }
            if ((slot || slots.none()) && ladder.yieldNs() > 0) {
                return yieldUntil(from + ladder.awakeNs());
            }
        } finally {
            if (slot) {
                slots.release();
            }
        }
        return work();
    }

    // It is the step's meaning to let the scheduler choose somebody else; correctness doesn't rest on it.
    @SuppressWarnings("ThreadPriorityCheck")
    private boolean yieldUntil(long end) {
        long yields = 0;
        try {
            do {
                yields++;
                Thread.yield();
                if (workInSight()) {
                    return true;
                }
            } while (System.nanoTime() - end < 0);
            return false;
        } finally {
            figures.yields(yields);
        }
    }

    private boolean nap(Ladder ladder) {
        for (int nap = 0; nap < ladder.naps(); nap++) {
            figures.nap();
            napTimer.nap(this, ladder.napNs());
            if (work()) {
                return true;
            }
        }
        return false;
    }

    private void park() {
        gate.leave(LaneGate.PARKED);
        if (work()) {
            gate.comeBack(LaneGate.PARKED);
            return;
        }
        figures.park();
        long parkedAt = System.nanoTime();
        do {
            long longest = lanes.parkAtMostNs();
            long from = System.nanoTime();
            LockSupport.parkNanos(this, longest);
            Thread.interrupted();
            long parked = System.nanoTime() - from;
            if (parked >= longest && gate.state() == LaneGate.PARKED) {
                if (!queue.isEmpty() && gate.comeBack(LaneGate.PARKED)) {
                    figures.caughtByNet();
                } else {
                    wasIdleUntil(from + parked);
                }
            }
        } while (gate.state() == LaneGate.PARKED);
        long calledAt = gate.calledAt();
        // Not after its own thread, told to end, or before the caller got to note the time.
        if (calledAt - parkedAt > 0) {
            policy.woke(System.nanoTime() - calledAt);
        }
    }

    private boolean end() {
        idle.setOpaque(true);
        boolean ended = lane.end();
        if (!ended) {
            idle.setOpaque(false);
        }
        return ended;
    }
}
