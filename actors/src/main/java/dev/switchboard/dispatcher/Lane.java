package dev.switchboard.dispatcher;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.dispatch.MessageQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * One worker thread and its run queue. Any thread may {@link #submit} and {@link #retire}; all else happens on the
 * lane's thread, which is started by the first submission and again after it was retired.
 *
 * <h2>Why no wake-up is lost</h2>
 *
 * <p>A lane that finds its queue empty may stop looking only if whoever adds something later is sure to call it. Both
 * sides write first and look second, with a full fence in between:
 *
 * <pre>
 * producer                                  lane
 * P1  add to the queue                      L1  state := PARKED (or ENDED)
 *     full fence                                full fence
 * P2  read the state;                       L2  read the queue;
 *     not AWAKE: set it AWAKE by CAS,           not empty: set AWAKE by CAS and go on
 *     the winner unparks (or starts)            empty: sleep (or end)
 * </pre>
 *
 * <ol>
 *   <li><b>One of them sees the other.</b> Suppose P2 misses L1 and L2 misses P1. With the fences, one of the two second
 *       steps comes later in the order of all fences than the other side's first step, and has to see it: contradiction.
 *       This needs of the queue only that {@code isEmpty()} is false once {@code offer()} has returned, on a thread that
 *       the offer is visible to; no queue's internals.
 *   <li><b>If the lane sees the work</b>, it goes on, whether its CAS wins or the producer's did. A producer's unpark that
 *       comes too late leaves a permit, and the next park returns at once: the park stands in a loop that looks at the
 *       state and not at why it returned.
 *   <li><b>If the producer sees the state</b>, exactly one producer wins the CAS to AWAKE and unparks. {@link LockSupport}
 *       keeps the permit when it comes before the park, so it doesn't matter how far the lane got between L2 and sleeping.
 *       Producers that lose the CAS, or come while the state is AWAKE, owe nothing: the lane looks at the queue after the
 *       state became AWAKE, and so after their additions, or they find it PARKED again.
 *   <li><b>A nap needs no call.</b> The state stays AWAKE, and the nap ends by itself.
 *   <li><b>Ending is parking without a thread.</b> The winner of the CAS from ENDED starts a thread, so what was added at
 *       the last moment of a shutdown still runs, and a mailbox that was marked as scheduled can't be stranded. The old
 *       thread that sees the work too late loses the CAS and leaves without touching the queue: never are there two
 *       threads that take from it. What the old thread wrote is visible to the new one by that CAS and the start.
 *   <li><b>Own additions.</b> Submissions by the lane's own thread go to a queue of its own, without any fence. They are
 *       made while it runs something, and it runs everything in both queues before it waits.
 * </ol>
 *
 * <p>As a net, no park is longer than {@link #NET_NS}; what is found only by that is counted, and the count must stay 0.
 *
 * <h2>Why order holds per session</h2>
 *
 * <p>A session's messages lie in its mailbox, in order. A lane's queue holds mailboxes, each at most once over all lanes,
 * because Pekko adds one only after winning its scheduled bit. So whichever lane takes it, it takes the next messages in
 * order, and sees what the former lane wrote, by that bit. That is also why a lane with too much to do may give mailboxes
 * to one that has nothing to do: it takes them from its queue and submits them there, as any producer would.
 */
final class Lane implements Runnable {
    /** No park is longer, though it should never be needed to find work. */
    static final long NET_NS = 10_000_000_000L;

    private static final int QUEUE_CHUNK = 1024;
    private static final int OWN_RUNS_IN_A_ROW = 16;
    private static final int LOOKS_PER_CLOCK = 16;
    private static final int RUNS_PER_BACKLOG_LOOK = 16;
    private static final int GIVEN_AT_ONCE = 16;
    private static final int ADDITIONS_PER_BACKLOG_LOOK = 256;

    private final int index;
    private final Lanes lanes;
    private final WaitPolicy policy;
    private final SpinSlots slots;
    private final ThreadFactory factory;
    private final LaneFigures figures = new LaneFigures();
    private final LaneGate gate = new LaneGate();
    private final MpscUnboundedArrayQueue<Runnable> queue = new MpscUnboundedArrayQueue<>(QUEUE_CHUNK);
    private final ArrayDeque<Runnable> own = new ArrayDeque<>();
    private final NapTimer napTimer;

    private Thread thread;
    private volatile boolean retiring;

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

    Lane(int index, Lanes lanes, WaitPolicy policy, SpinSlots slots, ThreadFactory factory, long napOverNs) {
        this.index = index;
        this.lanes = lanes;
        this.policy = policy;
        this.slots = slots;
        this.factory = factory;
        this.napTimer = new NapTimer(napOverNs);
    }

    /** Runs the task on this lane's thread, some time. Never fails once the task is added. */
    void submit(Runnable task) {
        if (isCurrent()) {
            own.add(task);
            return;
        }
        queue.offer(task);
        int was = gate.called();
        if (was == LaneGate.PARKED) {
            figures.wakeUp();
            LockSupport.unpark(thread);
        } else if (was == LaneGate.ENDED) {
            start();
        }
        if ((queue.currentProducerIndex() & (ADDITIONS_PER_BACKLOG_LOOK - 1)) == 0) {
            lanes.grownBy(backlogMessages());
        }
    }

    /** Whether the caller is this lane's thread: only that thread writes itself here. */
    boolean isCurrent() {
        return thread == Thread.currentThread();
    }

    private void start() {
        try {
            Thread worker = factory.newThread(this);
            worker.setName(worker.getName() + "-lane-" + index);
            worker.start();
        } catch (Throwable e) {
            // What was added stays in the queue: the next one who adds something tries again.
            gate.leave(LaneGate.ENDED);
            throw e;
        }
    }

    /** Lets the thread end as soon as it has nothing to do. A later submission starts another. */
    void retire() {
        retiring = true;
        if (gate.comeBack(LaneGate.PARKED)) {
            LockSupport.unpark(thread);
        }
    }

    boolean ended() {
        return gate.state() == LaneGate.ENDED;
    }

    /** How many messages wait for this lane, estimated from how many each mailbox had lately. */
    long backlogMessages() {
        return (long) queue.size() * messagesPerRun;
    }

    LaneView view(boolean inUse) {
        return figures.view(index, inUse, queue.currentProducerIndex(), queue.size());
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        figures.thread();
        idle.setOpaque(false);
        lanes.adopt(index);
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
        if (++runs % RUNS_PER_BACKLOG_LOOK == 0) {
            lookAtBacklog();
        }
        return true;
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
        long backlog = backlogMessages();
        lanes.grownBy(backlog);
        Lane helper = lanes.helperFor(this, backlog);
        if (helper != null) {
            give(helper);
        }
    }

    /** Lets another lane run what waits here, half of it at most. */
    private void give(Lane helper) {
        int count = Math.min(GIVEN_AT_ONCE, queue.size() / 2);
        for (int i = 0; i < count; i++) {
            Runnable task = queue.poll();
            if (task == null) {
                return;
            }
            helper.submit(task);
        }
        figures.gave(count);
    }

    boolean idle() {
        return idle.getOpaque();
    }

    /** Waits until there is work. False: the lane has ended. */
    private boolean waitForWork() {
        // Whoever interrupted this thread meant a task that is done; parking would return at once for ever.
        Thread.interrupted();
        if (retiring) {
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
            lanes.shrunkBy(index, (double) idleInWindow / (now - windowFrom), now);
            windowFrom = now;
            idleInWindow = 0;
        }
    }

    private boolean work() {
        return !queue.isEmpty() || retiring;
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
                        if (work()) {
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
                if (work()) {
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
    }

    /** True: the lane has no thread any more, and this one must leave. */
    private boolean end() {
        // Only here, where it is met: a thread that is just being started may be told to end before it runs.
        retiring = false;
        thread = null;
        idle.setOpaque(true);
        gate.leave(LaneGate.ENDED);
        if (!queue.isEmpty() && gate.comeBack(LaneGate.ENDED)) {
            thread = Thread.currentThread();
            idle.setOpaque(false);
            return false;
        }
        lanes.laneEnded();
        return true;
    }
}
