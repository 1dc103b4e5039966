package dev.switchboard.server.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * Follows one thread through a window. One thread uses it.
 *
 * <p>A thread that has not run has not switched either, and {@code schedstat} says for a tenth of the price of
 * {@code status} that it has not. So {@code status} is read only of threads that ran since the last look.
 */
final class ThreadTrack implements AutoCloseable {
    private final int tid;
    private final boolean born;
    private final Path folder;
    private final boolean timesKnown;
    private final ProcFile statFile;
    private final ProcFile statusFile;
    private final ProcFile timesFile;
    private final Map<WaitKind, Integer> waits = new EnumMap<>(WaitKind.class);

    private ProcText.TaskStat firstStat;
    private ProcText.TaskStat lastStat;
    private ProcText.Switches firstSwitches;
    private ProcText.Switches lastSwitches;
    private ProcText.RunTimes firstTimes;
    private ProcText.RunTimes lastTimes;
    private long switchesSinceLastLook;
    private double peakPerSecond;
    private boolean listed = true;
    private boolean seenToTheEnd;
    private boolean ended;

    /**
     * @param born whether it began within the window, so that all it has ever done counts
     * @param keepOpen whether its files may stay open from look to look
     * @param timesKnown whether the kernel keeps {@code schedstat}; without, times are those of {@code stat}
     */
    ThreadTrack(int tid, Path folder, boolean born, boolean keepOpen, boolean timesKnown) {
        this.tid = tid;
        this.folder = folder;
        this.born = born;
        this.timesKnown = timesKnown;
        this.statFile = new ProcFile(folder.resolve("stat"), keepOpen && !timesKnown);
        this.statusFile = new ProcFile(folder.resolve("status"), keepOpen);
        this.timesFile = new ProcFile(folder.resolve("schedstat"), keepOpen);
    }

    /**
     * Reads what it has done so far. Throws when it has ended or may not be read.
     *
     * @param seconds since the look before; 0 at the first
     */
    void look(ProcFile.Buffer buffer, double seconds) throws IOException {
        boolean first = lastSwitches == null;
        if (first || !timesKnown) {
            lastStat = ProcText.taskStat(buffer.bytes(), statFile.read(buffer));
        }
        ProcText.RunTimes times = timesKnown
                ? ProcText.runTimes(buffer.bytes(), timesFile.read(buffer))
                : new ProcText.RunTimes(lastStat.userNs() + lastStat.systemNs(), 0, 0);
        boolean ran = first || !timesKnown || !times.equals(lastTimes);
        ProcText.Switches switches = ran ? ProcText.switches(buffer.bytes(), statusFile.read(buffer)) : lastSwitches;
        if (first) {
            firstStat = born ? new ProcText.TaskStat("", 'R', 0, 0, false) : lastStat;
            firstSwitches = born ? new ProcText.Switches(0, 0) : switches;
            firstTimes = born ? new ProcText.RunTimes(0, 0, 0) : times;
            lastSwitches = firstSwitches;
        }
        switchesSinceLastLook = total(switches) - total(lastSwitches);
        if (seconds > 0) {
            peakPerSecond = Math.max(peakPerSecond, switchesSinceLastLook / seconds);
        }
        lastSwitches = switches;
        lastTimes = times;
    }

    /** Notes what it waits for at this moment. */
    void noteWait(ProcFile.Buffer buffer, String architecture) {
        String syscall = textOrNothing("syscall", buffer);
        String wchan = syscall.startsWith("running") ? "" : textOrNothing("wchan", buffer);
        waits.merge(WaitKind.of(syscall, wchan, architecture), 1, Integer::sum);
    }

    private String textOrNothing(String file, ProcFile.Buffer buffer) {
        try {
            return ProcFile.once(folder.resolve(file), buffer);
        } catch (IOException e) {
            // It has ended, or this user may not see it: both are no more than a missing hint.
            return "";
        }
    }

    /** Reads its name and its coarse times once more, at the end of a window. Throws when it has ended. */
    void lastLook(ProcFile.Buffer buffer) throws IOException {
        lastStat = ProcText.taskStat(buffer.bytes(), statFile.read(buffer));
        seenToTheEnd = true;
    }

    /** Whether the process's list of threads has it. */
    boolean isListed() {
        return listed;
    }

    void listed(boolean isInList) {
        listed = isInList;
    }

    void ended() {
        ended = true;
    }

    boolean hasBeenSeen() {
        return lastSwitches != null;
    }

    int tid() {
        return tid;
    }

    long switchesSinceLastLook() {
        return switchesSinceLastLook;
    }

    long voluntary() {
        return lastSwitches.voluntary() - firstSwitches.voluntary();
    }

    long involuntary() {
        return lastSwitches.involuntary() - firstSwitches.involuntary();
    }

    long cpuNs() {
        return lastTimes.cpuNs() - firstTimes.cpuNs();
    }

    long waitNs() {
        return lastTimes.waitNs() - firstTimes.waitNs();
    }

    ThreadFigures figures() {
        return new ThreadFigures(
                tid,
                lastStat.name(),
                voluntary(),
                involuntary(),
                cpuNs(),
                timesKnown ? waitNs() : ThreadFigures.UNKNOWN,
                seenToTheEnd ? lastStat.userNs() - firstStat.userNs() : ThreadFigures.UNKNOWN,
                seenToTheEnd ? lastStat.systemNs() - firstStat.systemNs() : ThreadFigures.UNKNOWN,
                peakPerSecond,
                born,
                ended,
                waits);
    }

    private static long total(ProcText.Switches switches) {
        return switches.voluntary() + switches.involuntary();
    }

    @Override
    public void close() throws IOException {
        statFile.close();
        statusFile.close();
        timesFile.close();
    }
}
