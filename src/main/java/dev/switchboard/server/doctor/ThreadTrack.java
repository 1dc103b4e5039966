package dev.switchboard.server.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * Follows one thread through a window. One thread uses it.
 *
 * <p>{@code schedstat} costs a tenth of what {@code status} costs, and its third number, how often the thread was given a
 * core, grows with the thread's switches. So {@code status} is read at the first look and the last, and in between of the
 * threads that switch most; of others the last known share of voluntary switches stands until it is read again. A thread
 * that has not run has not switched either, and is not read at all.
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

    private String name;
    private ProcText.Switches firstSwitches;
    private ProcText.Switches readSwitches;
    private ProcText.RunTimes firstTimes;
    private ProcText.RunTimes lastTimes;
    private long runsWhenRead;
    private long cpuNsWhenRead;
    private long switchesSinceLastLook;
    private double peakPerSecond;
    private boolean listed = true;
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
     * Reads how often and how long it has run so far. Throws when it has ended or may not be read.
     *
     * @param seconds since the look before; 0 at the first
     */
    void look(ProcFile.Buffer buffer, double seconds) throws IOException {
        boolean first = lastTimes == null;
        if (!timesKnown) {
            lookWithoutTimes(buffer, seconds);
            return;
        }
        ProcText.RunTimes times = ProcText.runTimes(buffer.bytes(), timesFile.read(buffer));
        if (first) {
            firstTimes = born ? new ProcText.RunTimes(0, 0, 0) : times;
            lastTimes = firstTimes;
            readSwitches(buffer, times);
        }
        noteSwitches(times.runs() - lastTimes.runs(), seconds);
        lastTimes = times;
    }

    private void lookWithoutTimes(ProcFile.Buffer buffer, double seconds) throws IOException {
        ProcText.TaskStat stat = ProcText.taskStat(buffer.bytes(), statFile.read(buffer));
        ProcText.RunTimes times = new ProcText.RunTimes(stat.userNs() + stat.systemNs(), 0, 0);
        long before = readSwitches == null ? 0 : total(readSwitches);
        if (firstTimes == null) {
            firstTimes = born ? new ProcText.RunTimes(0, 0, 0) : times;
            readSwitches(buffer, times);
            before = total(firstSwitches);
        } else {
            readSwitches(buffer, times);
        }
        noteSwitches(total(readSwitches) - before, seconds);
        lastTimes = times;
    }

    private void noteSwitches(long switches, double seconds) {
        switchesSinceLastLook = switches;
        if (seconds > 0) {
            peakPerSecond = Math.max(peakPerSecond, switches / seconds);
        }
    }

    /** Reads its switches, if it has run since they were read. Throws when it has ended. */
    void readSwitches(ProcFile.Buffer buffer) throws IOException {
        // One that ran at the last reading and sleeps since has switched without having been given a core again.
        if (unread() != 0 || lastTimes.cpuNs() != cpuNsWhenRead) {
            readSwitches(buffer, lastTimes);
        }
    }

    private void readSwitches(ProcFile.Buffer buffer, ProcText.RunTimes times) throws IOException {
        int length = statusFile.read(buffer);
        readSwitches = ProcText.switches(buffer.bytes(), length);
        if (firstSwitches == null) {
            firstSwitches = born ? new ProcText.Switches(0, 0) : readSwitches;
        }
        // It may have taken another name since.
        name = ProcText.name(buffer.bytes(), length);
        runsWhenRead = times.runs();
        cpuNsWhenRead = times.cpuNs();
    }

    private long unread() {
        return lastTimes.runs() - runsWhenRead;
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
        return name != null && lastTimes != null;
    }

    int tid() {
        return tid;
    }

    long switchesSinceLastLook() {
        return switchesSinceLastLook;
    }

    long voluntary() {
        long known = readSwitches.voluntary() - firstSwitches.voluntary();
        return known + Math.round(unread() * shareVoluntary());
    }

    long involuntary() {
        long known = readSwitches.involuntary() - firstSwitches.involuntary();
        return known + unread() - Math.round(unread() * shareVoluntary());
    }

    private double shareVoluntary() {
        long known = total(readSwitches);
        return known == 0 ? 1 : readSwitches.voluntary() / (double) known;
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
                name,
                voluntary(),
                involuntary(),
                cpuNs(),
                timesKnown ? waitNs() : ThreadFigures.UNKNOWN,
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
