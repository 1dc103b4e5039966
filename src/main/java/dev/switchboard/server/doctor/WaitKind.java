package dev.switchboard.server.doctor;

import java.util.Locale;
import java.util.Map;

/**
 * What a thread that doesn't run is waiting for, as far as the kernel shows it in {@code /proc/<pid>/task/<tid>/syscall}
 * (needs the right to trace the process) and {@code wchan} (often hidden as well).
 */
enum WaitKind {
    /** A futex without a time limit: a lock, a condition, a park; the kernel can't tell these apart. */
    SIGNAL("a lock or a signal (futex)"),
    /** A sleep, or a wait with a time limit. */
    TIMED("a time (sleep or timed wait)"),
    POLL("sockets or files to become ready (poll)"),
    IO("a read or a write"),
    DISK("a disk"),
    RUNNING("nothing: it ran or was ready to each time"),
    OTHER("something else"),
    HIDDEN("not visible to this user");

    private static final Map<Integer, WaitKind> X86_64 = Map.ofEntries(
            Map.entry(0, IO),
            Map.entry(1, IO),
            Map.entry(7, POLL),
            Map.entry(17, IO),
            Map.entry(18, IO),
            Map.entry(19, IO),
            Map.entry(20, IO),
            Map.entry(23, POLL),
            Map.entry(35, TIMED),
            Map.entry(43, IO),
            Map.entry(44, IO),
            Map.entry(45, IO),
            Map.entry(46, IO),
            Map.entry(47, IO),
            Map.entry(74, DISK),
            Map.entry(75, DISK),
            Map.entry(230, TIMED),
            Map.entry(232, POLL),
            Map.entry(270, POLL),
            Map.entry(271, POLL),
            Map.entry(281, POLL),
            Map.entry(288, IO),
            Map.entry(441, POLL));
    private static final Map<Integer, WaitKind> AARCH64 = Map.ofEntries(
            Map.entry(22, POLL),
            Map.entry(63, IO),
            Map.entry(64, IO),
            Map.entry(65, IO),
            Map.entry(66, IO),
            Map.entry(67, IO),
            Map.entry(68, IO),
            Map.entry(72, POLL),
            Map.entry(73, POLL),
            Map.entry(82, DISK),
            Map.entry(83, DISK),
            Map.entry(101, TIMED),
            Map.entry(115, TIMED),
            Map.entry(202, IO),
            Map.entry(206, IO),
            Map.entry(207, IO),
            Map.entry(211, IO),
            Map.entry(212, IO),
            Map.entry(242, IO),
            Map.entry(441, POLL));
    private static final int FUTEX_OF_X86_64 = 202;
    private static final int FUTEX_OF_AARCH64 = 98;

    private final String words;

    WaitKind(String words) {
        this.words = words;
    }

    /** What follows "waits for". */
    String words() {
        return words;
    }

    /**
     * @param syscall the text of {@code syscall}, empty when it may not be read
     * @param wchan the text of {@code wchan}, empty when it may not be read
     * @param architecture as Java names it in {@code os.arch}
     */
    static WaitKind of(String syscall, String wchan, String architecture) {
        String[] call = syscall.strip().split(" ", -1);
        if (call[0].equals("running")) {
            return RUNNING;
        }
        boolean arm = architecture.equals("aarch64");
        if (!call[0].isEmpty() && (arm || architecture.equals("amd64"))) {
            int number = Integer.parseInt(call[0]);
            if (number == (arm ? FUTEX_OF_AARCH64 : FUTEX_OF_X86_64)) {
                return call.length > 4 && !call[4].equals("0x0") ? TIMED : SIGNAL;
            }
            WaitKind known = (arm ? AARCH64 : X86_64).get(number);
            if (known != null) {
                return known;
            }
        }
        return ofWchan(wchan.strip().toLowerCase(Locale.ROOT), call[0].isEmpty());
    }

    private static WaitKind ofWchan(String place, boolean callHidden) {
        if (place.isEmpty() || place.equals("0")) {
            return callHidden ? HIDDEN : OTHER;
        } else if (place.contains("futex")) {
            return SIGNAL;
        } else if (place.contains("nanosleep") || place.contains("hrtimer")) {
            return TIMED;
        } else if (place.contains("poll") || place.startsWith("ep_") || place.contains("select")) {
            return POLL;
        } else if (place.contains("io_schedule") || place.contains("folio") || place.contains("jbd2")) {
            return DISK;
        } else if (place.contains("pipe") || place.contains("sk") || place.contains("unix_") || place.contains("tcp")) {
            return IO;
        }
        return OTHER;
    }
}
