package dev.switchboard.spool;

import com.typesafe.config.Config;
import dev.switchboard.conversation.Person;
import dev.switchboard.directory.StorageStartException;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.SpooledPost;
import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.serialization.SpoolCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.Done;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spool on H2's MVStore. Thread-safe; never blocks its callers.
 *
 * <p>One thread of its own does everything with the file: it takes all that has come meanwhile, applies it, forces once,
 * and then answers each. So a force is shared by as many posts as came during the one before.
 *
 * <p>What a failing disk leaves is not known: the posts of that batch are answered as not kept, and are taken out again
 * as soon as the file can be opened; if it never can in this life of the node, they may be sent after the next start,
 * under their senders' own ids.
 */
public final class MvSpool implements Spool {
    private static final Logger LOG = LoggerFactory.getLogger(MvSpool.class);

    private static final int BATCH = 2_000;
    private static final int MAX_REFUSED = 100_000;
    private static final long IDLE_MS = 1_000;
    private static final long CLOSE_MS = 10_000;

    /** The file is rewritten when it is larger than this and four times what it keeps: so it stays near that at any pace. */
    private static final long ROOMY_BYTES = 32L << 20;

    /** Beside its text, what a post takes in the file and in memory. */
    private static final int OVERHEAD_BYTES = 128;

    /** What is known of a kept post without reading it. */
    private record Kept(String conv, Instant at, long bytes) {}

    private record RefusalKey(String conv, Person sender, String clientMsgId) {}

    /** Work for the file's thread. */
    private abstract static class Task<T> {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        T result;

        /** Does it; true when the file was changed by that. */
        abstract boolean apply() throws IOException;

        /** The number that is in doubt when the force after {@link #apply} fails; 0 for none. */
        long doubtful() {
            return 0;
        }
    }

    /** The last task: nothing comes after it. */
    private static final class Last extends Task<Done> {
        @Override
        boolean apply() {
            result = Done.getInstance();
            return false;
        }
    }

    private final SpoolLimits limits;
    private final Clock clock;
    private final SpoolFile file;
    private final Thread thread;
    private final LinkedBlockingQueue<Task<?>> tasks = new LinkedBlockingQueue<>();
    private final ConcurrentSkipListMap<Long, Kept> kept = new ConcurrentSkipListMap<>();
    private final Map<RefusalKey, RefusedPost> refusals = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<Long, RefusedPost> refusalsByNumber = new ConcurrentSkipListMap<>();
    private List<Stored> leftOver;

    // Guarded by this.
    private long nextNumber = 1;
    private long bytes;
    private boolean closed;

    // Only the file's thread's.
    private final List<Long> doubtful = new ArrayList<>();
    private boolean broken;

    /** True when the file may still hold bytes of posts that it keeps no more. */
    private boolean stale;

    private MvSpool(Path folder, SpoolLimits limits, Clock clock) {
        this.limits = limits;
        this.clock = clock;
        this.file = new SpoolFile(folder);
        leftOver = new ArrayList<>();
        file.found().posts().forEach((number, post) -> {
            remember(number, post, SpoolCodec.write(post).length);
            leftOver.add(new Stored(number, post));
            nextNumber = Math.max(nextNumber, number + 1);
        });
        file.found().refused().forEach((number, refused) -> {
            remember(number, refused);
            nextNumber = Math.max(nextNumber, number + 1);
        });
        stale = true;
        thread = new Thread(this::run, "switchboard-spool");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Opens the spool of the data folder, or makes it.
     *
     * @param config with {@code switchboard.data-dir} and {@code switchboard.spool}
     * @throws StorageStartException with one line that says what is wrong
     */
    public static MvSpool open(Config config) {
        return open(
                Path.of(config.getString("switchboard.data-dir")),
                SpoolLimits.of(config.getConfig("switchboard.spool")),
                Clock.systemUTC());
    }

    /** True when the data folder has a spool from an earlier life. */
    public static boolean isThere(Config config) {
        return SpoolFile.isThere(Path.of(config.getString("switchboard.data-dir")));
    }

    static MvSpool open(Path folder, SpoolLimits limits, Clock clock) {
        return new MvSpool(folder, limits, clock);
    }

    private void remember(long number, SpooledPost post, int length) {
        long size = length + (long) OVERHEAD_BYTES;
        kept.put(number, new Kept(post.conv(), post.at(), size));
        bytes += size;
    }

    private void remember(long number, RefusedPost refused) {
        refusalsByNumber.put(number, refused);
        refusals.put(new RefusalKey(refused.conv(), refused.sender(), refused.clientMsgId()), refused);
    }

    private synchronized void forget(long number) {
        Kept gone = kept.remove(number);
        if (gone != null) {
            bytes -= gone.bytes();
        }
    }

    // ---- what callers ask ----

    @Override
    public synchronized List<Stored> leftOver() {
        List<Stored> found = leftOver;
        leftOver = List.of();
        return found;
    }

    @Override
    public Optional<Keeping> keep(SpooledPost post) {
        byte[] written = SpoolCodec.write(post);
        synchronized (this) {
            if (closed || bytes + written.length + OVERHEAD_BYTES > limits.maxBytes()) {
                return Optional.empty();
            }
            long number = nextNumber++;
            remember(number, post, written.length);
            return Optional.of(new Keeping(number, submit(new Task<>() {
                @Override
                boolean apply() {
                    result = Done.getInstance();
                    file.put(number, written);
                    stale = true;
                    return true;
                }

                @Override
                long doubtful() {
                    return number;
                }
            })));
        }
    }

    @Override
    public CompletionStage<Optional<SpooledPost>> read(long number) {
        return submit(new Task<>() {
            @Override
            boolean apply() throws IOException {
                result = Optional.ofNullable(file.post(number));
                return false;
            }
        });
    }

    @Override
    public CompletionStage<Done> accepted(long number) {
        return submit(new Task<>() {
            @Override
            boolean apply() {
                result = Done.getInstance();
                file.remove(number);
                forget(number);
                return true;
            }
        });
    }

    @Override
    public CompletionStage<Done> refused(long number, String reason) {
        return submit(new Task<>() {
            @Override
            boolean apply() throws IOException {
                result = Done.getInstance();
                SpooledPost post = file.post(number);
                if (post != null) {
                    refuse(number, post, reason);
                }
                return true;
            }
        });
    }

    @Override
    public Optional<RefusedPost> refusal(String conv, Person sender, String clientMsgId) {
        return Optional.ofNullable(refusals.get(new RefusalKey(conv, sender, clientMsgId)));
    }

    @Override
    public CompletionStage<Integer> erase(String conv) {
        return submit(new Task<>() {
            @Override
            boolean apply() throws IOException {
                int erased = 0;
                for (Map.Entry<Long, Kept> each : kept.entrySet()) {
                    SpooledPost post = each.getValue().conv().equals(conv) ? file.post(each.getKey()) : null;
                    if (post != null) {
                        refuse(each.getKey(), post, "erased");
                        erased++;
                    }
                }
                result = erased;
                if (stale) {
                    file.rewrite();
                    stale = !kept.isEmpty();
                }
                return false;
            }
        });
    }

    @Override
    public synchronized Figures figures() {
        Map.Entry<Long, Kept> first = kept.firstEntry();
        return new Figures(
                kept.size(), bytes, first == null ? null : first.getValue().at());
    }

    private synchronized <T> CompletionStage<T> submit(Task<T> task) {
        if (closed) {
            task.answer.completeExceptionally(unavailable(null));
        } else {
            tasks.add(task);
        }
        return task.answer;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!closed) {
                // It ends the thread. An interrupt would close the file under a write.
                tasks.add(new Last());
                closed = true;
            }
        }
        try {
            thread.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the file's thread ----

    private void refuse(long number, SpooledPost post, String reason) {
        RefusedPost refused = new RefusedPost(post.conv(), post.sender(), post.clientMsgId(), reason, clock.instant());
        file.refuse(number, refused);
        forget(number);
        remember(number, refused);
        while (refusalsByNumber.size() > MAX_REFUSED
                || !refusalsByNumber
                        .firstEntry()
                        .getValue()
                        .at()
                        .plus(limits.refusedKept())
                        .isAfter(clock.instant())) {
            Map.Entry<Long, RefusedPost> oldest = refusalsByNumber.pollFirstEntry();
            RefusedPost old = oldest.getValue();
            refusals.remove(new RefusalKey(old.conv(), old.sender(), old.clientMsgId()), old);
            file.forgetRefusal(oldest.getKey());
            if (refusalsByNumber.isEmpty()) {
                return;
            }
        }
    }

    private void run() {
        List<Task<?>> batch = new ArrayList<>();
        do {
            batch.clear();
            take(batch);
            work(batch);
        } while (batch.isEmpty() || !(batch.get(batch.size() - 1) instanceof Last));
        try {
            file.close();
        } catch (MVStoreException | IOException e) {
            LOG.error("The spool's file could not be closed in order; what was forced is on the disk", e);
        }
    }

    /** Waits a while for work, and takes what there is. */
    private void take(List<Task<?>> batch) {
        try {
            Task<?> first = tasks.poll(IDLE_MS, TimeUnit.MILLISECONDS);
            if (first != null) {
                batch.add(first);
                tasks.drainTo(batch, BATCH - 1);
            }
        } catch (InterruptedException e) {
            // Nobody else knows this thread, and its file would not survive an interrupt while it writes.
            LOG.warn("The spool's thread was interrupted and goes on", e);
        }
    }

    private void work(List<Task<?>> batch) {
        List<Task<?>> done = new ArrayList<>(batch.size());
        try {
            mend();
            boolean changed = false;
            for (Task<?> task : batch) {
                try {
                    changed |= task.apply();
                    done.add(task);
                } catch (IOException e) {
                    LOG.error("The spool's file is damaged", e);
                    task.answer.completeExceptionally(unavailable(e));
                }
            }
            if (changed) {
                file.force();
            }
            boolean settled = batch.isEmpty() && stale && kept.isEmpty();
            if (settled || file.length() > ROOMY_BYTES + 4 * figures().bytes()) {
                // Nothing is left to keep: nor should anything be left to read. Or much came and went in a short time.
                file.rewrite();
                stale = !kept.isEmpty();
            }
        } catch (MVStoreException | IOException e) {
            fail(batch, e);
            return;
        }
        done.forEach(MvSpool::complete);
    }

    private static <T> void complete(Task<T> task) {
        task.answer.complete(task.result);
    }

    private void fail(List<Task<?>> batch, Exception failure) {
        LOG.error("The spool's file can't be written; posts are refused until it can", failure);
        broken = true;
        for (Task<?> task : batch) {
            long number = task.doubtful();
            if (number != 0) {
                doubtful.add(number);
                forget(number);
            }
            task.answer.completeExceptionally(unavailable(failure));
        }
    }

    /** After a failure: opens the file again, and takes out what its senders were told is not kept. */
    private void mend() throws IOException {
        if (broken) {
            file.reopen();
            doubtful.forEach(file::remove);
            file.force();
            doubtful.clear();
            broken = false;
            LOG.info("The spool's file can be written again");
        }
    }

    private static StorageUnavailableException unavailable(Exception cause) {
        return new StorageUnavailableException("the spool can't be used now", cause);
    }
}
