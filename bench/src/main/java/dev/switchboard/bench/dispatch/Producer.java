package dev.switchboard.bench.dispatch;

import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The one thread that sends. It keeps the schedule: each message carries the time at which it should have been sent,
 * however late the producer is. Results are read after the thread has ended, except {@link #taskId}.
 */
final class Producer extends Thread {
    private static final int FLOOD_CHUNK = 64;
    private static final long FLOOD_POLL_NS = 50_000;
    private static final int BEFORE_IDLE_RATE = 10_000;
    /** Any seed does; the same one gives every contender the same sequence of sessions. */
    private static final long SEED = 0x9E3779B97F4A7C15L;

    private final Load load;
    private final Timeline times;
    private final Sessions sessions;
    private final Contender contender;
    private final Histogram lateness = Latencies.histogram();
    private final long[] sent;
    private volatile long taskId = -1;
    private long sentInAll;
    private long random = SEED;
    private Throwable failure;

    Producer(Load load, Timeline times, Sessions sessions, Contender contender) {
        super("producer");
        this.load = load;
        this.times = times;
        this.sessions = sessions;
        this.contender = contender;
        this.sent = new long[sessions.count()];
    }

    @Override
    public void run() {
        taskId = Threads.ownTaskId();
        try {
            if (load instanceof Load.Steady steady) {
                keep(Schedule.steady(steady.rate()), new Pacer.Spinning(), times.stopNs());
            } else if (load instanceof Load.Bursts bursts) {
                keep(Schedule.bursts(bursts.rate(), Load.BURST_PERIOD_NS), new Pacer.Sleeping(), times.stopNs());
            } else if (load instanceof Load.Flood) {
                flood();
            } else {
                beforeIdle();
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    /** Idle means idle after traffic: half of the time to settle has some, the other half none. */
    private void beforeIdle() {
        long quietFromNs = times.startNs() + (times.fromNs() - times.startNs()) / 2;
        keep(Schedule.bursts(BEFORE_IDLE_RATE, Load.BURST_PERIOD_NS), new Pacer.Sleeping(), quietFromNs);
    }

    private void keep(Schedule schedule, Pacer pacer, long stopNs) {
        while (true) {
            long intendedNs = times.startNs() + schedule.nextNs();
            if (intendedNs - stopNs >= 0) {
                return;
            }
            pacer.awaitUntil(intendedNs);
            if (times.isRecorded(intendedNs)) {
                lateness.recordValue(Math.max(0, System.nanoTime() - intendedNs));
            }
            send(intendedNs);
        }
    }

    private void flood() {
        for (long nowNs = System.nanoTime(); nowNs - times.stopNs() < 0; nowNs = System.nanoTime()) {
            if (inFlight() > Load.FLOOD_IN_FLIGHT - FLOOD_CHUNK) {
                // Waiting for a quarter, asleep, leaves the processor to those who have to catch up.
                while (inFlight() > Load.FLOOD_IN_FLIGHT * 3 / 4 && System.nanoTime() - times.stopNs() < 0) {
                    LockSupport.parkNanos(FLOOD_POLL_NS);
                }
            }
            for (int i = 0; i < FLOOD_CHUNK; i++) {
                send(nowNs);
            }
        }
    }

    private long inFlight() {
        return sentInAll - sessions.handled();
    }

    private void send(long intendedNs) {
        int session = nextSession();
        contender.send(new Message(session, sent[session]++, intendedNs, Payloads.of(sentInAll)));
        sentInAll++;
    }

    /** Marsaglia's xorshift: cheap, and the sessions come in no order that a contender could profit from. */
    private int nextSession() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) Long.remainderUnsigned(random, sent.length);
    }

    /** This thread's number in {@code /proc/self/task}, or −1 while it has not begun. Any thread may ask. */
    long taskId() {
        return taskId;
    }

    /** How late it was, for the messages whose latency is recorded, at the moment of sending. */
    Histogram lateness() {
        return lateness;
    }

    long[] sent() {
        return sent.clone();
    }

    long sentInAll() {
        return sentInAll;
    }

    /** What ended it before its time, or null. */
    Throwable failure() {
        return failure;
    }
}
