package dev.switchboard.dispatcher;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * What Pekko sees of the lanes from one start to one shutdown. Thread-safe.
 *
 * <p>A task is refused only before it is taken: once it is in a lane's queue it runs, even if the shutdown comes at the
 * same moment. So nobody who was refused has to fear that the task runs all the same, and no mailbox that was taken stays
 * scheduled for ever.
 */
final class LaneExecutor extends AbstractExecutorService {
    private final Lanes lanes;
    private volatile boolean shutDown;

    LaneExecutor(Lanes lanes) {
        this.lanes = lanes;
    }

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            throw new RejectedExecutionException("the dispatcher's executor was shut down");
        }
        lanes.execute(task);
    }

    @Override
    public void shutdown() {
        synchronized (this) {
            if (shutDown) {
                return;
            }
            shutDown = true;
        }
        lanes.close();
    }

    /** As {@link #shutdown}: what was taken still runs, since only a lane's own thread may take from its queue. */
    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown && lanes.ended();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return shutDown && lanes.awaitEnd(System.nanoTime() + unit.toNanos(timeout));
    }
}
