package dev.switchboard.server.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches its own process while somebody asks for it. Thread-safe; asking never blocks.
 *
 * <p>The first to ask starts a thread that watches one window after the other, and gets the first of them; who asks later
 * gets the last whole window at once. The thread ends when nobody has asked for a while, so that a server of which nobody
 * asks pays nothing.
 */
public final class OwnDoctor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnDoctor.class);
    private static final Path PROC = Path.of("/proc");
    private static final int KEPT = 6;

    private final BaselineFiles baselines;
    private final Duration window;
    private final Duration interval;
    private final long patienceNs;
    private final Deque<Examination> kept = new ArrayDeque<>();
    private final List<CompletableFuture<Doctor.Report>> waiting = new ArrayList<>();
    private Doctor.Report last;
    private SwitchDoctor watching;
    private boolean running;
    private boolean closed;
    private long askedAtNs;

    /**
     * @param baselines the folder with the baselines, which needn't be there
     * @param patience how long it goes on watching when nobody asks any more
     */
    public OwnDoctor(Path baselines, Duration window, Duration interval, Duration patience) {
        this.baselines = new BaselineFiles(baselines);
        this.window = window;
        this.interval = interval;
        this.patienceNs = patience.toNanos();
    }

    /**
     * The last whole window, or the first one as soon as it is over. The stage fails with {@link ExaminationFailure} where
     * there is no {@code /proc}.
     */
    public synchronized CompletionStage<Doctor.Report> ask() {
        askedAtNs = System.nanoTime();
        if (closed) {
            return CompletableFuture.failedFuture(new CancellationException("the server ends"));
        }
        if (running && last != null) {
            return CompletableFuture.completedFuture(last);
        }
        CompletableFuture<Doctor.Report> answer = new CompletableFuture<>();
        waiting.add(answer);
        if (!running) {
            running = true;
            Thread thread = new Thread(this::watch, "switch-doctor");
            thread.setDaemon(true);
            thread.start();
        }
        return answer;
    }

    private void watch() {
        try {
            Examiner examiner = new Examiner(StackSource.ofThisProcess());
            for (SwitchDoctor doctor = next(); doctor != null; doctor = next()) {
                Window seen = doctor.watch(window, interval);
                if (!isClosed()) {
                    keep(examiner.examine(
                            seen, interval, baselines.nearest(seen).orElse(null)));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            giveUp(e);
        } catch (RuntimeException e) {
            LOG.warn("the switch doctor gave up: {}", e.getMessage());
            giveUp(e);
        }
    }

    /** Who watches the next window; null when there is to be none. */
    private synchronized SwitchDoctor next() {
        boolean wanted = !waiting.isEmpty() || System.nanoTime() - askedAtNs < patienceNs;
        if (closed || !wanted) {
            running = false;
            // It is old by the time somebody asks again.
            last = null;
            return null;
        }
        watching = new SwitchDoctor(PROC, ProcessHandle.current().pid());
        return watching;
    }

    private void keep(Examination examination) {
        List<Examination> earlier = earlier();
        ObjectNode json = JsonReport.of(examination);
        ArrayNode windows = json.putArray("earlier");
        earlier.forEach(one -> windows.add(JsonReport.summary(one)));
        // Here, so that no thread that answers requests does it.
        String inWords = TextReport.of(examination);
        String inJson = json.toPrettyString();
        Doctor.Report report = new Doctor.Report(() -> inWords, () -> inJson, 0);
        List<CompletableFuture<Doctor.Report>> asked;
        synchronized (this) {
            kept.addFirst(examination);
            if (kept.size() > KEPT) {
                kept.removeLast();
            }
            last = report;
            asked = takeWaiting();
        }
        asked.forEach(answer -> answer.complete(report));
    }

    private synchronized List<Examination> earlier() {
        return List.copyOf(kept);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void giveUp(Exception why) {
        List<CompletableFuture<Doctor.Report>> asked;
        synchronized (this) {
            running = false;
            last = null;
            asked = takeWaiting();
        }
        asked.forEach(answer -> answer.completeExceptionally(why));
    }

    private synchronized List<CompletableFuture<Doctor.Report>> takeWaiting() {
        List<CompletableFuture<Doctor.Report>> asked = List.copyOf(waiting);
        waiting.clear();
        return asked;
    }

    /** Stops watching; who still waits for an answer gets a failure. */
    @Override
    public void close() {
        List<CompletableFuture<Doctor.Report>> asked;
        synchronized (this) {
            closed = true;
            asked = takeWaiting();
            if (watching != null) {
                watching.stop();
            }
        }
        asked.forEach(answer -> answer.completeExceptionally(new CancellationException("the server ends")));
    }
}
