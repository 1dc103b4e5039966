package dev.switchboard.dispatcher;

import org.jctools.queues.MpscUnboundedArrayQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The agreement between a lane and its producers under jcstress, with the run queue that lanes use. */
public final class LaneGateStress {
    private LaneGateStress() {}

    /** A lane that is awake and goes to sleep or ends, as the state says. */
    @State
    public static class Gate {
        final LaneGate gate = new LaneGate();
        final MpscUnboundedArrayQueue<Integer> queue = new MpscUnboundedArrayQueue<>(2);

        /** For jcstress. */
        public Gate() {
            gate.called();
        }

        int produce() {
            queue.offer(1);
            return gate.called() == LaneGate.AWAKE ? 0 : 1;
        }

        /** 1: stays awake for work that it saw; 0: sleeps. */
        int leave(int next) {
            gate.leave(next);
            return queue.isEmpty() ? 0 : 1;
        }
    }

    /** One producer against a lane that parks. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "work is in the queue, and neither of them saw the other")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the lane saw the work")
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the producer wakes the lane")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both: a permit too many")
    public static class Park {
        /** The producer. */
        @Actor
        public void producer(Gate state, II_Result result) {
            result.r1 = state.produce();
        }

        /** The lane. */
        @Actor
        public void lane(Gate state, II_Result result) {
            result.r2 = state.leave(LaneGate.PARKED);
        }
    }

    /** Two producers against a lane that parks: one of them at most wakes it. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.FORBIDDEN, desc = "work is in the queue, and nobody saw anybody")
    @Outcome(id = "1, 1, .*", expect = Expect.FORBIDDEN, desc = "two wake it")
    @Outcome(id = ".*", expect = Expect.ACCEPTABLE, desc = "the lane saw the work, or one producer wakes it")
    public static class TwoProducers {
        /** A producer. */
        @Actor
        public void first(Gate state, III_Result result) {
            result.r1 = state.produce();
        }

        /** Another one. */
        @Actor
        public void second(Gate state, III_Result result) {
            result.r2 = state.produce();
        }

        /** The lane. */
        @Actor
        public void lane(Gate state, III_Result result) {
            result.r3 = state.leave(LaneGate.PARKED);
        }
    }

    /** A producer against a lane that ends: exactly one thread owns the lane afterwards, if there is work. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the old thread went on")
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the producer starts a thread, the old one leaves")
    @Outcome(expect = Expect.FORBIDDEN, desc = "no thread for the work, or two")
    public static class End {
        /** The producer. */
        @Actor
        public void producer(Gate state, II_Result result) {
            result.r1 = state.produce();
        }

        /** The lane's thread. */
        @Actor
        public void lane(Gate state, II_Result result) {
            boolean saw = state.leave(LaneGate.ENDED) == 1;
            result.r2 = saw && state.gate.comeBack(LaneGate.ENDED) ? 1 : 0;
        }
    }

    /** A producer and a shutdown against a lane that parks: the lane is called for both. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "awake, or about to look")
    @Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "asleep with work in the queue")
    public static class AfterAll {
        private volatile boolean retiring;
        private boolean sleeps;

        /** The producer. */
        @Actor
        public void producer(Gate state) {
            state.produce();
        }

        /** The shutdown. */
        @Actor
        public void retire(Gate state) {
            retiring = true;
            state.gate.comeBack(LaneGate.PARKED);
        }

        /** The lane. */
        @Actor
        public void lane(Gate state) {
            sleeps = state.leave(LaneGate.PARKED) == 0 && !retiring;
        }

        /** What is left. */
        @Arbiter
        public void left(Gate state, org.openjdk.jcstress.infra.results.I_Result result) {
            result.r1 = sleeps && state.gate.state() == LaneGate.PARKED ? 0 : 1;
        }
    }
}
