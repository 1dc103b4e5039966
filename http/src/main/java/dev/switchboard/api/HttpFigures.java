package dev.switchboard.api;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** What the HTTP API counts, since the start. Thread-safe. */
public final class HttpFigures {
    private final LongAdder[] byClass = {
        new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()
    };
    private final LongAdder rateLimited = new LongAdder();
    private final LongAdder overloaded = new LongAdder();
    private final IntSupplier inFlight;

    HttpFigures(IntSupplier inFlight) {
        this.inFlight = inFlight;
    }

    void answered(int status) {
        byClass[Math.min(Math.max(status / 100, 0), byClass.length - 1)].increment();
        if (status == 429) {
            rateLimited.increment();
        } else if (status == 503) {
            overloaded.increment();
        }
    }

    /** How many answers had a status of that class: 2 for 200 to 299. */
    public long answers(int statusClass) {
        return byClass[statusClass].sum();
    }

    /** How many calls were refused with 429. */
    public long rateLimited() {
        return rateLimited.sum();
    }

    /** How many calls were refused with 503. */
    public long overloaded() {
        return overloaded.sum();
    }

    /** How many calls are being worked on. */
    public int inFlight() {
        return inFlight.getAsInt();
    }
}
