package dev.switchboard.server.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks at all threads of one process again and again, and adds up what each did since the first look. One thread uses it.
 */
final class ProcessSampler implements AutoCloseable {
    /** Threads whose files stay open; beyond, files are opened for each look, which costs more time but no handles. */
    private static final int MOST_KEPT_OPEN = 1024;

    /** Threads that ended and are kept one by one; a program that starts a thread for every task has more. */
    private static final int MOST_ENDED = 5000;

    /** The threads whose switches are read at each look are those that switch most, and no more. */
    private static final int READ_EACH_LOOK = 64;

    private static final Comparator<ThreadTrack> BY_SWITCHES =
            Comparator.comparingLong(ThreadTrack::switchesSinceLastLook).reversed();

    /** The threads that switch most are asked what they wait for: as many at each look. */
    private static final int SUSPECTS = 16;

    private final Path tasks;
    private final long pid;
    private final String architecture = System.getProperty("os.arch");
    private final ProcFile.Buffer buffer = new ProcFile.Buffer();
    private final Map<Integer, ThreadTrack> live = new LinkedHashMap<>();
    private final List<ThreadTrack> ended = new ArrayList<>();
    private final boolean timesKnown;
    private boolean begun;
    private int unreadable;
    private int forgotten;

    /** The sums over all threads since the first look; those of ended threads are as of the last look at them. */
    record Sums(int threads, long voluntary, long involuntary, long cpuNs, long waitNs) {}

    /**
     * @param proc where the kernel shows its processes, {@code /proc}
     */
    ProcessSampler(Path proc, long pid) {
        this.pid = pid;
        this.tasks = proc.resolve(Long.toString(pid)).resolve("task");
        this.timesKnown = Files.exists(tasks.resolve(Long.toString(pid)).resolve("schedstat"));
    }

    /**
     * Looks at each thread once.
     *
     * @param seconds since the look before; 0 at the first
     * @param all whether to read the switches of all threads that ran, and not only of those that ran most
     * @throws ExaminationFailure when the process has ended or may not be looked at
     */
    Sums look(double seconds, boolean all) {
        String[] tids = tids();
        live.values().forEach(track -> track.listed(false));
        for (String text : tids) {
            int tid = Integer.parseInt(text);
            ThreadTrack track = live.get(tid);
            if (track == null) {
                track = new ThreadTrack(tid, tasks.resolve(text), begun, live.size() < MOST_KEPT_OPEN, timesKnown);
                live.put(tid, track);
            }
            track.listed(true);
        }
        for (Iterator<ThreadTrack> tracks = live.values().iterator(); tracks.hasNext(); ) {
            ThreadTrack track = tracks.next();
            if (!track.isListed() || !read(track, seconds)) {
                tracks.remove();
                lost(track);
            }
        }
        if (live.isEmpty()) {
            throw noThreads();
        }
        begun = true;
        readSwitches(all);
        return sums();
    }

    private boolean read(ThreadTrack track, double seconds) {
        try {
            track.look(buffer, seconds);
            return true;
        } catch (IOException e) {
            // It has ended.
            return false;
        }
    }

    private void readSwitches(boolean all) {
        Collection<ThreadTrack> wanted = all
                ? live.values()
                : live.values().stream()
                        .filter(track -> track.switchesSinceLastLook() > 0)
                        .sorted(BY_SWITCHES)
                        .limit(READ_EACH_LOOK)
                        .toList();
        for (ThreadTrack track : wanted) {
            try {
                track.readSwitches(buffer);
            } catch (IOException e) {
                // It has ended just now: the next look finds out.
                track.ended();
            }
        }
    }

    private String[] tids() {
        String[] tids = new File(tasks.toString()).list();
        if (tids == null || tids.length == 0 || (tids.length == 1 && isDead(tids[0]))) {
            throw noThreads();
        }
        return tids;
    }

    /** A process that has ended keeps its number, and one thread, until its parent has asked how it ended. */
    private boolean isDead(String tid) {
        try (ProcFile stat = new ProcFile(tasks.resolve(tid).resolve("stat"), false)) {
            char state = ProcText.taskStat(buffer.bytes(), stat.read(buffer)).state();
            return state == 'Z' || state == 'X';
        } catch (IOException e) {
            return true;
        }
    }

    private ExaminationFailure noThreads() {
        if (!Files.exists(tasks.getParent())) {
            return begun ? ExaminationFailure.ended(pid) : ExaminationFailure.noSuchProcess(pid);
        }
        return begun ? ExaminationFailure.ended(pid) : ExaminationFailure.noPermission(pid);
    }

    private void lost(ThreadTrack track) {
        close(track);
        if (!track.hasBeenSeen()) {
            unreadable++;
        } else if (ended.size() < MOST_ENDED) {
            track.ended();
            ended.add(track);
        } else {
            forgotten++;
        }
    }

    /** Notes what the threads wait for that switched most since the look before. */
    void noteWaits() {
        List<ThreadTrack> suspects = live.values().stream()
                .filter(track -> track.switchesSinceLastLook() > 0)
                .sorted(BY_SWITCHES)
                .limit(SUSPECTS)
                .toList();
        // The fewer they are, the more often each is asked.
        for (int asked = 0; asked < SUSPECTS; asked += Math.max(1, suspects.size())) {
            suspects.forEach(track -> track.noteWait(buffer, architecture));
        }
    }

    /** What each thread did from the first look to the last. */
    List<ThreadFigures> figures() {
        List<ThreadFigures> figures = new ArrayList<>(live.size() + ended.size());
        live.values().forEach(track -> figures.add(track.figures()));
        ended.forEach(track -> figures.add(track.figures()));
        return figures;
    }

    private Sums sums() {
        long voluntary = 0;
        long involuntary = 0;
        long cpuNs = 0;
        long waitNs = 0;
        for (ThreadTrack track : live.values()) {
            voluntary += track.voluntary();
            involuntary += track.involuntary();
            cpuNs += track.cpuNs();
            waitNs += track.waitNs();
        }
        for (ThreadTrack track : ended) {
            voluntary += track.voluntary();
            involuntary += track.involuntary();
            cpuNs += track.cpuNs();
            waitNs += track.waitNs();
        }
        return new Sums(live.size(), voluntary, involuntary, cpuNs, waitNs);
    }

    /** Whether the kernel tells how long threads wait for a core. */
    boolean timesKnown() {
        return timesKnown;
    }

    /** Threads of which nothing is known: they ended before they could be read, or too many ended. */
    int missed() {
        return unreadable + forgotten;
    }

    private static void close(ThreadTrack track) {
        try {
            track.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        live.values().forEach(ProcessSampler::close);
    }
}
