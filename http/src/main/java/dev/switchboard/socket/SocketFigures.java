package dev.switchboard.socket;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a node's sockets have done so far. Thread-safe. */
public final class SocketFigures {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger withoutHello = new AtomicInteger();
    private final LongAdder opened = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder framesIn = new LongAdder();
    private final LongAdder framesOut = new LongAdder();
    private final LongAdder catchUpReads = new LongAdder();
    private final LongAdder connectLimited = new LongAdder();
    private final LongAdder ephemeralsDropped = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder unconvertible = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final FlowFigures flow = new FlowFigures();
    private final Map<Bye, LongAdder> byes = new EnumMap<>(Bye.class);

    SocketFigures() {
        for (Bye bye : Bye.values()) {
            byes.put(bye, new LongAdder());
        }
    }

    /** The figures at one moment. {@code byes} counts the ended sockets by the reason the server gave. */
    public record Snapshot(
            int open,
            int withoutHello,
            long opened,
            long refused,
            long framesIn,
            long framesOut,
            long errors,
            long catchUpReads,
            long connectLimited,
            long ephemeralsDropped,
            long unconvertible,
            long held,
            Map<Bye, Long> byes) {}

    /** The figures now. */
    public Snapshot snapshot() {
        Map<Bye, Long> byCode = new EnumMap<>(Bye.class);
        byes.forEach((code, count) -> byCode.put(code, count.sum()));
        return new Snapshot(
                open.get(),
                withoutHello.get(),
                opened.sum(),
                refused.sum(),
                framesIn.sum(),
                framesOut.sum(),
                errors.sum(),
                catchUpReads.sum(),
                connectLimited.sum(),
                ephemeralsDropped.sum(),
                unconvertible.sum(),
                held.sum(),
                byCode);
    }

    /** How entries flow to the sockets. */
    public FlowFigures flow() {
        return flow;
    }

    int openNow() {
        return open.get();
    }

    int withoutHelloNow() {
        return withoutHello.get();
    }

    void opened() {
        open.incrementAndGet();
        withoutHello.incrementAndGet();
        opened.increment();
    }

    void saidHello() {
        withoutHello.decrementAndGet();
    }

    void closed(boolean saidHello) {
        open.decrementAndGet();
        if (!saidHello) {
            withoutHello.decrementAndGet();
        }
    }

    void refused() {
        refused.increment();
    }

    void frameIn() {
        framesIn.increment();
    }

    void frameOut() {
        framesOut.increment();
    }

    void error() {
        errors.increment();
    }

    void bye(Bye code) {
        byes.get(code).increment();
    }

    void connectLimited() {
        connectLimited.increment();
    }

    void ephemeralDropped() {
        ephemeralsDropped.increment();
    }

    void held() {
        held.increment();
    }

    void unconvertible() {
        unconvertible.increment();
    }

    void catchUpRead() {
        catchUpReads.increment();
    }
}
