package dev.switchboard.server.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what HotSpot's {@code Thread.print} writes; a pure function. A thread's native id is {@code nid}: hexadecimal up
 * to Java 18, decimal after. It is the number under which {@code /proc} lists the thread.
 */
final class JavaStacks {
    private static final int FRAMES = 12;
    private static final Pattern HEADER = Pattern.compile("^\"(.*)\" .*\\bnid=(0x[0-9a-f]+|[0-9]+)\\b.*");
    private static final Pattern STATE = Pattern.compile("^\\s+java\\.lang\\.Thread\\.State: (\\w+)(?: \\((.*)\\))?.*");
    private static final Pattern FRAME = Pattern.compile("^\\s+at ([^(]+)\\((.*)\\).*");
    private static final Pattern WAITS = Pattern.compile(
            "^\\s+- (waiting to lock|parking to wait for|waiting on|waiting to re-lock in wait\\(\\))\\s+(<.*)");

    /** What only one thread, or one kind of threads, may hold. All else that threads park for are signals. */
    private static final Pattern LOCKS =
            Pattern.compile("ReentrantLock\\$\\w*Sync|ReentrantReadWriteLock\\$\\w*Sync|StampedLock");

    private static final Pattern NATIVE_WAITS = Pattern.compile(
            "sun\\.nio\\.ch\\.|sun\\.nio\\.fs\\.|java\\.net\\.|java\\.io\\.|EPoll|FileDispatcher|SocketDispatcher");

    private JavaStacks() {}

    /** The threads of a print, by native id. Lines that can't be read are left out. */
    static Map<Integer, JavaStack> parse(String print) {
        Map<Integer, JavaStack> stacks = new HashMap<>();
        Draft draft = null;
        for (String line : print.split("\n", -1)) {
            Matcher header = HEADER.matcher(line);
            if (header.matches()) {
                keep(draft, stacks);
                draft = new Draft(Long.decode(header.group(2)).intValue(), header.group(1));
            } else if (line.isBlank()) {
                keep(draft, stacks);
                draft = null;
            } else if (draft != null) {
                draft.add(line);
            }
        }
        keep(draft, stacks);
        return stacks;
    }

    private static void keep(Draft draft, Map<Integer, JavaStack> stacks) {
        if (draft != null) {
            stacks.put(draft.tid, draft.stack());
        }
    }

    /** One thread's lines as they come. */
    private static final class Draft {
        private final int tid;
        private final String name;
        private final List<String> frames = new ArrayList<>();
        private String state = "RUNNABLE";
        private String lock = "";
        private boolean again;
        private boolean nativeTop;

        Draft(int tid, String name) {
            this.tid = tid;
            this.name = name;
        }

        void add(String line) {
            Matcher matcher = STATE.matcher(line);
            if (matcher.matches()) {
                state = matcher.group(1);
                return;
            }
            matcher = FRAME.matcher(line);
            if (matcher.matches()) {
                if (frames.isEmpty()) {
                    nativeTop = matcher.group(2).contains("Native Method");
                }
                if (frames.size() < FRAMES) {
                    frames.add(matcher.group(1).strip());
                }
                return;
            }
            matcher = WAITS.matcher(line);
            if (matcher.matches() && lock.isEmpty()) {
                again = matcher.group(1).startsWith("waiting to re-lock");
                lock = matcher.group(2).strip();
            }
        }

        JavaStack stack() {
            return new JavaStack(tid, name, doing(), lock, frames);
        }

        private JavaStack.Doing doing() {
            if (state.equals("BLOCKED")) {
                boolean afterSignal = again;
                return afterSignal ? JavaStack.Doing.WAITS_FOR_SIGNAL : JavaStack.Doing.WAITS_FOR_LOCK;
            } else if (LOCKS.matcher(lock).find()) {
                return JavaStack.Doing.WAITS_FOR_LOCK;
            } else if (state.equals("TIMED_WAITING")) {
                return JavaStack.Doing.WAITS_FOR_TIME;
            } else if (state.equals("WAITING")) {
                return JavaStack.Doing.WAITS_FOR_SIGNAL;
            }
            boolean inIo = nativeTop && NATIVE_WAITS.matcher(frames.get(0)).find();
            return inIo ? JavaStack.Doing.WAITS_FOR_IO : JavaStack.Doing.RUNS;
        }
    }
}
