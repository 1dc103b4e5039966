package dev.switchboard.server;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * What somebody else knows, as it was a few seconds ago. Asks only while somebody wants to know, and one question at a
 * time. Thread-safe; never blocks.
 */
final class Asked<T> implements Supplier<T> {
    private static final long FRESH_NANOS = 5_000_000_000L;

    private final Supplier<CompletionStage<T>> question;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile T latest;
    private volatile long askedAtNanos = System.nanoTime() - FRESH_NANOS;

    /** {@code first} is what is known before the first answer. */
    Asked(Supplier<CompletionStage<T>> question, T first) {
        this.question = question;
        this.latest = first;
    }

    /** The latest answer; one that failed leaves the one before it. */
    @Override
    public T get() {
        if (System.nanoTime() - askedAtNanos >= FRESH_NANOS && asking.compareAndSet(false, true)) {
            askedAtNanos = System.nanoTime();
            question.get().whenComplete((answer, failure) -> {
                if (answer != null) {
                    latest = answer;
                }
                asking.set(false);
            });
        }
        return latest;
    }
}
