package dev.switchboard.dispatcher;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many lanes may keep a processor busy with waiting at one time, over all dispatchers of this Java process: one less
 * than there are processors, so that whoever brings the work always finds one. Thread-safe.
 */
final class SpinSlots {
    /** The slots of this process. */
    static final SpinSlots OF_PROCESS = new SpinSlots(Runtime.getRuntime().availableProcessors() - 1);

    private final int slots;
    private final AtomicInteger taken = new AtomicInteger();

    SpinSlots(int slots) {
        this.slots = slots;
    }

    /** Whether the caller got a slot; it must give it back. */
    boolean tryAcquire() {
        int now = taken.get();
        while (now < slots) {
            if (taken.compareAndSet(now, now + 1)) {
                return true;
            }
            now = taken.get();
        }
        return false;
    }

    void release() {
        taken.decrementAndGet();
    }

    /** Whether there is a single processor, so that nobody may spin. */
    boolean none() {
        return slots <= 0;
    }

    int taken() {
        return taken.get();
    }
}
