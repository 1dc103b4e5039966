package dev.switchboard.dispatcher;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * One worker thread and its run queue: the side that everybody sees. Any thread may {@link #submit} and {@link #retire};
 * what the lane's thread does is {@link LaneLoop}. The thread is started by the first submission and again after it was
 * retired.
 *
 * <p>Producers read this object at each submission, so it holds nothing that the lane's thread writes while it works: such
 * a field would cost both a transfer of its cache line for each message.
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
 *   <li><b>A lane ends only by being closed</b>, and that is a state of all lanes, not a message to one: it holds until an
 *       executor is opened again. Closing writes first and calls second, as producers do, so a lane that is about to park
 *       sees it or is called. A lane that goes on because work came while it was ending sees it again afterwards.
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
 * to one that has nothing to do: it takes them from its queue and adds them there, as any producer would. For one that
 * naps it also ends the nap, by a call that the agreement above doesn't ask for and that leaves a permit at worst.
 */
final class Lane {
    /** No park is longer, though it should never be needed to find work. */
    static final long NET_NS = 10_000_000_000L;

    private static final int QUEUE_CHUNK = 1024;
    private static final int ADDITIONS_PER_BACKLOG_LOOK = 256;

    private final int index;
    private final Lanes lanes;
    private final ThreadFactory factory;
    private final LaneFigures figures = new LaneFigures();
    private final LaneGate gate = new LaneGate();
    private final MpscUnboundedArrayQueue<Runnable> queue = new MpscUnboundedArrayQueue<>(QUEUE_CHUNK);
    private final LaneLoop loop;

    private Thread thread;

    Lane(int index, Lanes lanes, WaitPolicy policy, SpinSlots slots, ThreadFactory factory, long napOverNs) {
        this.index = index;
        this.lanes = lanes;
        this.factory = factory;
        this.loop = new LaneLoop(this, lanes, policy, slots, new NapTimer(napOverNs));
    }

    /** Runs the task on this lane's thread, some time. Never fails once the task is added. */
    void submit(Runnable task) {
        if (isCurrent()) {
            loop.add(task);
            return;
        }
        queue.offer(task);
        int unused = call();
        if ((queue.currentProducerIndex() & (ADDITIONS_PER_BACKLOG_LOOK - 1)) == 0) {
            lanes.grownBy(backlogMessages());
        }
    }

    /** Something was added: wakes the lane if it sleeps until it is called. Returns the gate's state before. */
    private int call() {
        int was = gate.called();
        if (was == LaneGate.PARKED) {
            figures.wakeUp();
            LockSupport.unpark(thread);
        } else if (was == LaneGate.ENDED) {
            start();
        }
        return was;
    }

    /**
     * Runs these tasks, which another lane gives because it has too much to do; that lane's thread calls. A lane that naps
     * would find them by itself, but then both would have waited for the nap.
     */
    void help(Iterable<Runnable> tasks) {
        for (Runnable task : tasks) {
            queue.offer(task);
        }
        if (call() == LaneGate.AWAKE && idle()) {
            LockSupport.unpark(thread);
        }
    }

    /** Whether the caller is this lane's thread: only that thread writes itself here. */
    boolean isCurrent() {
        return thread == Thread.currentThread();
    }

    private void start() {
        try {
            Thread worker = factory.newThread(loop);
            worker.setName(worker.getName() + "-lane-" + index);
            worker.start();
        } catch (Throwable e) {
            // What was added stays in the queue: the next one who adds something tries again.
            gate.leave(LaneGate.ENDED);
            throw e;
        }
    }

    /** The lanes were closed: lets the thread end as soon as it has nothing to do. A later submission starts another. */
    void retire() {
        if (gate.comeBack(LaneGate.PARKED)) {
            LockSupport.unpark(thread);
        }
    }

    boolean ended() {
        return gate.state() == LaneGate.ENDED;
    }

    /** Whether it has nothing to do; only a hint for other lanes. */
    boolean idle() {
        return loop.idle();
    }

    /** How many messages wait for this lane, estimated from how many each mailbox had lately. */
    long backlogMessages() {
        return (long) queue.size() * loop.messagesPerRun();
    }

    /** What a wake-up of this lane takes lately, or 0 where its policy doesn't ask. */
    long wakeUpNs() {
        return loop.wakeUpNs();
    }

    LaneView view(boolean inUse) {
        return figures.view(index, inUse, queue.currentProducerIndex(), queue.size());
    }

    // What follows is for the lane's own thread, in its loop.

    int index() {
        return index;
    }

    LaneFigures figures() {
        return figures;
    }

    LaneGate gate() {
        return gate;
    }

    MpscUnboundedArrayQueue<Runnable> queue() {
        return queue;
    }

    /** The calling thread is the lane's from now on. */
    void adopt() {
        thread = Thread.currentThread();
    }

    /** True: the lane has no thread any more, and the calling one must leave. */
    boolean end() {
        thread = null;
        gate.leave(LaneGate.ENDED);
        if (!queue.isEmpty() && gate.comeBack(LaneGate.ENDED)) {
            adopt();
            return false;
        }
        lanes.laneEnded();
        return true;
    }
}
