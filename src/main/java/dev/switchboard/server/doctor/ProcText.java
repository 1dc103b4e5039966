package dev.switchboard.server.doctor;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads the texts of {@code /proc}; stateless. The formats are those of proc(5) and of the kernel's
 * Documentation/filesystems/proc.rst, Documentation/scheduler/sched-stats.rst and Documentation/accounting/psi.rst.
 *
 * <p>What is read for every thread at every look works on bytes and makes no strings, since that is what the doctor's own
 * cost is made of. A text that isn't what it should be is an {@link IllegalArgumentException} that shows it.
 */
final class ProcText {
    /** The kernel shows times in ticks of USER_HZ, which is 100 on everything that Java runs on. */
    static final long NS_PER_TICK = 10_000_000L;

    /** Set in a task's flags when it is the kernel's own (PF_KTHREAD). */
    private static final long KERNEL_THREAD = 0x0020_0000L;

    private static final byte[] INVOLUNTARY = ascii("nonvoluntary_ctxt_switches:");
    private static final byte[] VOLUNTARY = ascii("voluntary_ctxt_switches:");

    private ProcText() {}

    /**
     * A task's line of figures, from the file of that name.
     *
     * @param name at most 15 bytes, may hold blanks and brackets
     * @param state as ps shows it: R runs or may run, S sleeps, D sleeps uninterruptibly, …
     */
    record TaskStat(String name, char state, long userNs, long systemNs, boolean ofKernel) {}

    /** How often a task gave up its core by itself, and how often it was taken away. */
    record Switches(long voluntary, long involuntary) {}

    /** A task's {@code schedstat}: time on a core, time ready but without one, and how often it was given one. */
    record RunTimes(long cpuNs, long waitNs, long runs) {}

    static TaskStat taskStat(byte[] text, int length) {
        int open = indexOf(text, length, (byte) '(', 0);
        int close = lastIndexOf(text, length, (byte) ')');
        if (open < 0 || close < open || close + 2 >= length) {
            throw unknown("stat", text, length);
        }
        String name = new String(text, open + 1, close - open - 1, StandardCharsets.UTF_8);
        Cursor rest = new Cursor(text, length, close + 2);
        char state = (char) rest.letter();
        rest.skip(5);
        long flags = rest.number();
        rest.skip(4);
        long user = rest.number();
        long system = rest.number();
        return new TaskStat(name, state, user * NS_PER_TICK, system * NS_PER_TICK, (flags & KERNEL_THREAD) != 0);
    }

    /** Both are the last lines of a {@code status}, so they are looked for from its end. */
    static Switches switches(byte[] text, int length) {
        int involuntary = lastLine(text, length, INVOLUNTARY);
        int voluntary = lastLine(text, length, VOLUNTARY);
        if (involuntary < 0 || voluntary < 0) {
            throw unknown("status", text, length);
        }
        return new Switches(
                new Cursor(text, length, voluntary + VOLUNTARY.length).number(),
                new Cursor(text, length, involuntary + INVOLUNTARY.length).number());
    }

    /** The name in the first line of a {@code status}. */
    static String name(byte[] text, int length) {
        int start = indexOf(text, length, (byte) '\t', 0) + 1;
        int end = indexOf(text, length, (byte) '\n', start);
        if (start == 0 || end < 0) {
            throw unknown("status", text, length);
        }
        return new String(text, start, end - start, StandardCharsets.UTF_8);
    }

    static RunTimes runTimes(byte[] text, int length) {
        Cursor numbers = new Cursor(text, length, 0);
        return new RunTimes(numbers.number(), numbers.number(), numbers.number());
    }

    /** The system's totals, of {@code /proc/stat}. What an old kernel doesn't show is 0. */
    static SystemTotals systemTotals(byte[] text, int length) {
        long[] cpu = new long[8];
        int processors = 0;
        long switches = 0;
        long interrupts = 0;
        long softInterrupts = 0;
        long forks = 0;
        int running = 0;
        int blocked = 0;
        for (int line = 0; line < length; line = nextLine(text, length, line)) {
            if (startsWith(text, length, line, "cpu ")) {
                Cursor numbers = new Cursor(text, length, line + 4);
                for (int i = 0; i < cpu.length && numbers.more(); i++) {
                    cpu[i] = numbers.number() * NS_PER_TICK;
                }
            } else if (startsWith(text, length, line, "cpu")) {
                processors++;
            } else if (startsWith(text, length, line, "intr ")) {
                interrupts = new Cursor(text, length, line + 5).number();
            } else if (startsWith(text, length, line, "ctxt ")) {
                switches = new Cursor(text, length, line + 5).number();
            } else if (startsWith(text, length, line, "processes ")) {
                forks = new Cursor(text, length, line + 10).number();
            } else if (startsWith(text, length, line, "procs_running ")) {
                running = (int) new Cursor(text, length, line + 14).number();
            } else if (startsWith(text, length, line, "procs_blocked ")) {
                blocked = (int) new Cursor(text, length, line + 14).number();
            } else if (startsWith(text, length, line, "softirq ")) {
                softInterrupts = new Cursor(text, length, line + 8).number();
            }
        }
        if (processors == 0) {
            throw unknown("/proc/stat", text, length);
        }
        return new SystemTotals(
                new SystemTotals.Cpu(cpu[0] + cpu[1], cpu[2], cpu[3], cpu[4], cpu[5], cpu[6], cpu[7]),
                processors,
                switches,
                interrupts,
                softInterrupts,
                forks,
                running,
                blocked);
    }

    /** The load averages over 1, 5 and 15 minutes. */
    static LoadAverages loadAverages(String text) {
        String[] fields = text.strip().split(" ", -1);
        return new LoadAverages(
                Double.parseDouble(fields[0]), Double.parseDouble(fields[1]), Double.parseDouble(fields[2]));
    }

    /** For how many microseconds so far at least one task waited for a core, of {@code /proc/pressure/cpu}. */
    static long pressureUs(String text) {
        for (String line : text.split("\n", -1)) {
            int total = line.indexOf("total=");
            if (line.startsWith("some ") && total > 0) {
                return Long.parseLong(line.substring(total + 6).strip());
            }
        }
        throw new IllegalArgumentException("not the text of a pressure file: " + text);
    }

    /** The value of a line such as {@code Threads: 12}; empty when there is no such line. */
    static String statusValue(String status, String key) {
        for (String line : status.split("\n", -1)) {
            if (line.startsWith(key) && line.startsWith(":", key.length())) {
                return line.substring(key.length() + 1).strip();
            }
        }
        return "";
    }

    /** How many numbers a list such as {@code 0-3,8} names. */
    static int sizeOfList(String list) {
        int size = 0;
        for (String range : list.split(",", -1)) {
            String[] ends = range.strip().split("-", -1);
            if (!ends[0].isEmpty()) {
                size += ends.length == 1 ? 1 : Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
            }
        }
        return size;
    }

    private static int lastLine(byte[] text, int length, byte[] key) {
        for (int at = length - key.length; at >= 0; at--) {
            if ((at == 0 || text[at - 1] == '\n') && matches(text, at, key)) {
                return at;
            }
        }
        return -1;
    }

    private static boolean matches(byte[] text, int at, byte[] key) {
        for (int i = 0; i < key.length; i++) {
            if (text[at + i] != key[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean startsWith(byte[] text, int length, int at, String key) {
        if (at + key.length() > length) {
            return false;
        }
        for (int i = 0; i < key.length(); i++) {
            if (text[at + i] != key.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static int nextLine(byte[] text, int length, int from) {
        int end = indexOf(text, length, (byte) '\n', from);
        return end < 0 ? length : end + 1;
    }

    private static int indexOf(byte[] text, int length, byte wanted, int from) {
        for (int i = from; i < length; i++) {
            if (text[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int lastIndexOf(byte[] text, int length, byte wanted) {
        for (int i = length - 1; i >= 0; i--) {
            if (text[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static IllegalArgumentException unknown(String what, byte[] text, int length) {
        String shown = new String(text, 0, Math.min(length, 200), StandardCharsets.UTF_8);
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "not the text of a %s file: %s", what, shown.strip()));
    }

    /** Walks over numbers with blanks between them. One thread uses it. */
    private static final class Cursor {
        private final byte[] text;
        private final int length;
        private int at;

        Cursor(byte[] text, int length, int from) {
            this.text = text;
            this.length = length;
            this.at = from;
        }

        boolean more() {
            blanks();
            return at < length && text[at] != '\n';
        }

        byte letter() {
            blanks();
            return text[at++];
        }

        void skip(int fields) {
            for (int i = 0; i < fields; i++) {
                blanks();
                while (at < length && text[at] != ' ') {
                    at++;
                }
            }
        }

        long number() {
            blanks();
            long value = 0;
            int start = at;
            while (at < length && text[at] >= '0' && text[at] <= '9') {
                value = value * 10 + (text[at++] - '0');
            }
            if (at == start) {
                throw unknown("/proc", text, length);
            }
            return value;
        }

        private void blanks() {
            while (at < length && (text[at] == ' ' || text[at] == '\t')) {
                at++;
            }
        }
    }
}
