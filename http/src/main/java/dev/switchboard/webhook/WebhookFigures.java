package dev.switchboard.webhook;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What this node's webhooks have done so far. Thread-safe. */
public final class WebhookFigures {
    private final LongAdder delivered = new LongAdder();
    private final AtomicInteger underWay = new AtomicInteger();
    private final Map<HookOutcome.Code, LongAdder> failed = new EnumMap<>(HookOutcome.Code.class);

    WebhookFigures() {
        for (HookOutcome.Code code : HookOutcome.Code.values()) {
            failed.put(code, new LongAdder());
        }
    }

    /** Requests that their receiver took. */
    public long delivered() {
        return delivered.sum();
    }

    /** Attempts that failed for that reason. */
    public long failed(HookOutcome.Code code) {
        return failed.get(code).sum();
    }

    /** Requests that are not over, or whose connection isn't free again. */
    public int underWay() {
        return underWay.get();
    }

    void began() {
        underWay.incrementAndGet();
    }

    void ended() {
        underWay.decrementAndGet();
    }

    void count(HookOutcome outcome) {
        if (outcome instanceof HookOutcome.Failed failure) {
            failed.get(failure.code()).increment();
        } else {
            delivered.increment();
        }
    }
}
