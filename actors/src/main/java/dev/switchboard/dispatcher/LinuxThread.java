package dev.switchboard.dispatcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Linux lets a thread say about itself without a native library. Each method speaks for the calling thread; where
 * the system doesn't offer it, nothing happens but a line in the log.
 */
final class LinuxThread {
    private static final Logger LOG = LoggerFactory.getLogger(LinuxThread.class);
    private static final Path SELF = Path.of("/proc/thread-self");
    private static final long TASKSET_SECONDS = 5;

    private LinuxThread() {}

    /**
     * By how much the kernel may delay the end of this thread's timed sleeps, to join it with other timers. Linux starts
     * threads with 50 microseconds, so that a park of one microsecond lasts more than fifty. See proc_pid_timerslack_ns(5).
     */
    static boolean setTimerSlack(long nanos) {
        try {
            Files.writeString(Path.of("/proc", id(), "timerslack_ns"), Long.toString(nanos));
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("The timer slack stays as it is: {}", e.toString());
            return false;
        }
    }

    /** Ties this thread to a processor with {@code taskset} of util-linux. */
    static boolean pin(int processor) {
        try {
            Process taskset = new ProcessBuilder("taskset", "-p", "-c", Integer.toString(processor), id())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (taskset.waitFor(TASKSET_SECONDS, TimeUnit.SECONDS) && taskset.exitValue() == 0) {
                return true;
            }
            taskset.destroy();
            LOG.warn("`pin` is on, but taskset could not tie {} to processor {}", Thread.currentThread(), processor);
        } catch (IOException e) {
            LOG.warn("`pin` is on, but there is no taskset here: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** The kernel's number of this thread. */
    static String id() throws IOException {
        return Files.readSymbolicLink(SELF).getFileName().toString();
    }
}
