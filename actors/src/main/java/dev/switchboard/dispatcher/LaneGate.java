package dev.switchboard.dispatcher;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Whether a lane looks at its run queue by itself or has to be called, as agreed between its thread and the producers.
 * Producers call {@link #called()} from any thread; the other methods belong to the lane's thread. {@link Lane} says why
 * no work is missed.
 *
 * <table>
 * <caption>States</caption>
 * <tr><td>AWAKE</td><td>the lane has a thread that will look at the queue again by itself</td></tr>
 * <tr><td>PARKED</td><td>its thread sleeps until it is unparked</td></tr>
 * <tr><td>ENDED</td><td>it has no thread; whoever brings work starts one</td></tr>
 * </table>
 */
final class LaneGate {
    static final int AWAKE = 0;
    static final int PARKED = 1;
    static final int ENDED = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(LaneGate.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int state = ENDED;
    private volatile long calledAt;

    /**
     * A producer has added work and asks what it owes: nothing if {@code AWAKE}, otherwise it is the one who has to
     * unpark the lane's thread ({@code PARKED}) or to start one ({@code ENDED}).
     */
    int called() {
        VarHandle.fullFence();
        for (; ; ) {
            int now = state;
            if (now == AWAKE) {
                return now;
            }
            if (STATE.compareAndSet(this, now, AWAKE)) {
                calledAt = System.nanoTime();
                return now;
            }
        }
    }

    /** The lane says that it will stop looking, before it looks one last time. */
    void leave(int next) {
        state = next;
        VarHandle.fullFence();
    }

    /**
     * The lane saw work after all and wants to go on. False if a producer called it in the meantime: then a parked lane
     * is awake just the same, but the work of an ended one belongs to the thread that the producer starts.
     */
    boolean comeBack(int from) {
        return STATE.compareAndSet(this, from, AWAKE);
    }

    /**
     * When a producer last called a lane that wasn't awake, by {@link System#nanoTime()}. Written after the state became
     * AWAKE: a lane that is quick may still see the time of the call before.
     */
    long calledAt() {
        return calledAt;
    }

    int state() {
        return state;
    }
}
