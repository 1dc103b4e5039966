package dev.switchboard.server.doctor;

import dev.switchboard.server.doctor.Diagnosis.Cause;
import dev.switchboard.server.doctor.Diagnosis.Finding;
import dev.switchboard.server.doctor.Diagnosis.Kind;
import dev.switchboard.server.doctor.Diagnosis.Sureness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Judges a window; a pure function of the window, the stacks and the yardstick.
 *
 * <p>The questions are those that pidstat(1) and the kernel's scheduler documents teach one to ask. A thread that waits
 * gives its core up (voluntary); one that is taken off it would have gone on (involuntary). Many involuntary switches and a
 * long wait for a core ({@code run_delay}, Documentation/scheduler/sched-stats.rst) mean more ready threads than cores; many
 * voluntary ones mean waiting for each other, for time or for devices; and when threads run for microseconds at a time, the
 * cores look idle while the service is slow.
 *
 * <p>On a machine that others use too, totals say nothing about one process. So each rule stands on figures of the process's
 * own threads that others' load changes little: the share of voluntary switches, the length of a run, how many of its own
 * threads are ready at once, and how its threads differ from each other.
 */
final class Classifier {
    private static final double MOSTLY = 0.85;
    private static final double HALF = 0.5;

    /** One thread is apart when it makes this share of all switches, and the next one a quarter of its. */
    private static final double APART_SHARE = 0.6;

    /** Of its window, a thread that ran or was ready for so much never really waits for anything but a core. */
    private static final double ALWAYS_READY = 0.9;

    /** Compilers and collectors work hard for a while, and that is what they are for. */
    private static final Pattern OF_THE_JVM = Pattern.compile("^(C1 Comp|C2 Comp|GC Thread|G1 )");

    /** Of so few threads none is left aside. */
    private static final int FEW = 4;

    /** Woken threads that queue for so many times what they then run for were woken all at once. */
    private static final double QUEUED_PER_RUN = 3;

    private final Window window;
    private final Yardstick yardstick;
    private final Herd herd;
    private final List<Finding> findings = new ArrayList<>();

    private Classifier(Window window, Map<Integer, JavaStack> stacks, Yardstick yardstick) {
        this.window = window;
        this.yardstick = yardstick;
        this.herd = Herd.of(window, stacks);
    }

    /**
     * @param stacks by native thread id; empty when none were taken
     */
    static Diagnosis diagnose(Window window, Map<Integer, JavaStack> stacks, Yardstick yardstick) {
        Classifier classifier = new Classifier(window, stacks, yardstick);
        classifier.judge();
        List<Finding> sorted = classifier.findings.stream()
                .sorted(Comparator.comparing(Finding::kind))
                .toList();
        return new Diagnosis(sorted, yardstick instanceof Baseline baseline ? baseline.name() : "");
    }

    /** Whether stacks would make this verdict surer. */
    static boolean wantsStacks(Diagnosis diagnosis) {
        return switch (diagnosis.verdict().kind()) {
            case MOSTLY_VOLUNTARY, ONE_THREAD_APART, OVERLOAD, SWITCHES_WITHOUT_WORK -> true;
            case MOSTLY_INVOLUNTARY, HEALTHY, MANY_THREADS, OTHERS_TAKE_THE_CORES -> false;
        };
    }

    private void judge() {
        boolean crowded = crowded();
        double voluntaryShare = typicalVoluntaryShare();
        boolean switching = yardstick.beyond(Measure.SWITCHES, window);
        // Who is handed a lock pushes the one that hands it over off its core: that looks like overload, but isn't.
        boolean inLineAtLocks = herd.isCrowd()
                && herd.mostDo()
                        .filter(d -> d == JavaStack.Doing.WAITS_FOR_LOCK)
                        .isPresent();
        boolean shortRuns = yardstick.beyond(Measure.RUN_US, window);
        if (crowded && voluntaryShare < HALF && !inLineAtLocks) {
            findings.add(involuntary());
        } else if (crowded && voluntaryShare < MOSTLY && switching && !inLineAtLocks) {
            findings.add(overload());
        }
        boolean apart = !crowded && oneThreadApart();
        boolean waiting = yardstick.beyond(Measure.VOLUNTARY, window);
        if (!apart && switching && shortRuns && ((crowded && !inLineAtLocks) ? voluntaryShare >= MOSTLY : waiting)) {
            findings.add(voluntary());
        }
        if (!crowded && switching && shortRuns && window.coresUsed() < 0.75 * window.cores()) {
            findings.add(withoutWork());
        }
        if (findings.isEmpty()) {
            findings.add(healthy());
        }
        remarks();
    }

    /** Whether more of its own threads are ready at once than the cores can run. */
    private boolean crowded() {
        return window.waitsKnown()
                ? yardstick.beyond(Measure.READY, window) && ready() > window.cores()
                : yardstick.beyond(Measure.INVOLUNTARY, window) && window.voluntaryShare() < HALF;
    }

    /**
     * The share of voluntary switches without the thread that was pushed off its core most: one that wakes others is pushed
     * off by each of them, and that is no sign of too many ready threads.
     */
    private double typicalVoluntaryShare() {
        List<ThreadFigures> running = window.threads().stream()
                .filter(t -> t.switches() >= window.seconds())
                .toList();
        long pushed = running.size() < FEW
                ? 0
                : running.stream().mapToLong(ThreadFigures::involuntary).max().orElse(0);
        long voluntary = running.stream().mapToLong(ThreadFigures::voluntary).sum();
        long involuntary =
                running.stream().mapToLong(ThreadFigures::involuntary).sum() - pushed;
        return voluntary / Math.max(1.0, (double) (voluntary + involuntary));
    }

    /** Threads that ran or were ready to, on average. */
    private double ready() {
        return Measure.READY.of(window);
    }

    private Finding involuntary() {
        return new Finding(
                Kind.MOSTLY_INVOLUNTARY,
                Cause.TOO_MANY_RUNNABLE,
                ready() >= 2.0 * window.cores() ? Sureness.HIGH : Sureness.MEDIUM,
                "Too many threads want a core at once: on average " + Wording.number(ready())
                        + " were ready for " + window.cores()
                        + " cores, and most switches were made by taking the core from one that would have gone on.",
                List.of(readyWords(), shareWords()),
                List.of(
                        "Bound the threads that compute: a pool of about as many as there are cores.",
                        "Look at which threads used the cores (below), and whether that work is wanted at all.",
                        "More cores help here; faster disks or fewer locks don't."));
    }

    private Finding overload() {
        return new Finding(
                Kind.OVERLOAD,
                Cause.TOO_MANY_RUNNABLE,
                Sureness.MEDIUM,
                "Overload: " + Wording.number(ready()) + " threads were ready for " + window.cores()
                        + " cores on average, and threads both wait for each other and push each other off the cores.",
                List.of(readyWords(), shareWords(), switchWords(), runWords()),
                List.of(
                        "Take in less: bound requests in flight before the queues do it.",
                        "Then look again: what is left with fewer ready threads is locks or wake-ups."));
    }

    private boolean oneThreadApart() {
        if (herd.members().isEmpty()) {
            return false;
        }
        ThreadFigures first = herd.members().get(0);
        double share = first.voluntary() / Math.max(1.0, window.voluntaryPerSecond() * window.seconds());
        double runUs = first.cpuNs() / 1e3 / Math.max(1, first.switches());
        boolean hotWaits = share >= APART_SHARE
                && herd.members().size() == 1
                && yardstick.beyond(Measure.BUSIEST_THREAD, window)
                && first.voluntary() >= first.switches() * HALF
                && runUs <= Yardstick.RulesOfThumb.SHORT_RUN_US;
        if (hotWaits) {
            findings.add(apart(first, share, runUs));
            return true;
        }
        window.threads().stream()
                .filter(thread -> !OF_THE_JVM.matcher(thread.name()).find())
                .max(Comparator.comparingLong(ThreadFigures::cpuNs))
                .filter(this::loops)
                .ifPresent(thread -> findings.add(loop(thread)));
        return false;
    }

    /** Always ready, and uses most of what the process uses. */
    private boolean loops(ThreadFigures thread) {
        double ready = (thread.cpuNs() + Math.max(0, thread.waitNs())) / 1e9 / window.seconds();
        return ready >= ALWAYS_READY
                && thread.cpuNs() >= 2 * (window.coresUsed() * 1e9 * window.seconds() - thread.cpuNs())
                && !yardstick.beyond(Measure.SWITCHES, window)
                && (!(yardstick instanceof Baseline) || yardstick.beyond(Measure.CORES_USED, window));
    }

    private Finding loop(ThreadFigures thread) {
        return new Finding(
                Kind.ONE_THREAD_APART,
                Cause.BUSY_LOOP,
                Sureness.MEDIUM,
                "One thread always wants a core and uses most of what the process uses: " + named(thread)
                        + ". It is a loop that spins, or the one place that all work goes through.",
                List.of(named(thread) + " used " + Wording.percent(thread.cpuNs() / 1e9 / window.seconds())
                        + " of a core over " + Wording.number(window.seconds()) + " s"),
                List.of("Take its stack a few times: is the work useful, and can it be shared among threads?"));
    }

    private Finding apart(ThreadFigures thread, double share, double runUs) {
        Cause cause = CauseOfWaits.ofOne(thread, herd);
        boolean known = cause != Cause.UNKNOWN;
        return new Finding(
                Kind.ONE_THREAD_APART,
                cause,
                known ? Sureness.HIGH : Sureness.MEDIUM,
                "One thread is apart from the rest: " + named(thread) + " gives up its core "
                        + Wording.number(thread.voluntary() / window.seconds()) + " times a second, "
                        + Wording.percent(share) + " of all such switches of the process. " + CauseOfWaits.words(cause),
                List.of(
                        named(thread) + " runs " + Wording.number(runUs) + " µs at a time",
                        "it was seen waiting for " + thread.mostSeenWait().words(),
                        yardstick.words(Measure.BUSIEST_THREAD, window)),
                CauseOfWaits.next(cause));
    }

    private Finding voluntary() {
        CauseOfWaits.Found found = CauseOfWaits.of(herd, herd.waker() || queuedPerRun() >= QUEUED_PER_RUN);
        List<String> evidence = new ArrayList<>(List.of(shareWords(), switchWords(), runWords()));
        evidence.addAll(found.evidence());
        return new Finding(
                Kind.MOSTLY_VOLUNTARY,
                found.cause(),
                found.sure(),
                "Threads mostly give up their cores by themselves, and run only " + Wording.number(window.runUs())
                        + " µs at a time. " + CauseOfWaits.words(found.cause()),
                evidence,
                CauseOfWaits.next(found.cause()));
    }

    private double queuedPerRun() {
        return window.waitsKnown() ? window.waiting() / Math.max(1e-9, window.coresUsed()) : 0;
    }

    private Finding withoutWork() {
        return new Finding(
                Kind.SWITCHES_WITHOUT_WORK,
                Cause.UNKNOWN,
                Sureness.MEDIUM,
                "Many switches and little work: the process uses " + Wording.number(window.coresUsed()) + " of "
                        + window.cores() + " cores. The cores look idle while what it serves may be slow.",
                List.of(switchWords(), runWords()),
                List.of("Look at what the threads wait for, not at the cores: more cores don't help."));
    }

    private Finding healthy() {
        boolean held = yardstick instanceof Baseline;
        return new Finding(
                Kind.HEALTHY,
                Cause.NONE,
                window.looks().size() >= 3 ? Sureness.HIGH : Sureness.MEDIUM,
                held
                        ? "As in the baseline: nothing is worse than usual under this load."
                        : "Nothing to complain of: its threads get cores when they want them and use them when they have them.",
                List.of(switchWords(), runWords(), readyWords()),
                List.of());
    }

    private void remarks() {
        if (yardstick.beyond(Measure.ACTIVE_THREADS, window)) {
            findings.add(new Finding(
                    Kind.MANY_THREADS,
                    Cause.UNKNOWN,
                    Sureness.HIGH,
                    Wording.number(Measure.ACTIVE_THREADS.of(window)) + " threads ran at least once a second on "
                            + window.cores() + " cores: many times as many as can run at once.",
                    List.of(yardstick.words(Measure.ACTIVE_THREADS, window)),
                    List.of("Harmless while they sleep; each burst of work wakes them all. Try fewer.")));
        }
        double otherCores = window.others().processes().cpuNs() / 1e9 / window.seconds();
        boolean waits = window.waitsKnown() && window.waiting() > window.coresUsed() * HALF;
        if (waits && !crowded() && otherCores > window.coresUsed()) {
            findings.add(new Finding(
                    Kind.OTHERS_TAKE_THE_CORES,
                    Cause.NONE,
                    Sureness.MEDIUM,
                    "Other processes used " + Wording.number(otherCores)
                            + " cores; this process's threads waited for a core for much of the time they would have run.",
                    List.of(readyWords()),
                    List.of("Look at the other processes (below), or give this one cores of its own.")));
        }
    }

    private String readyWords() {
        return "on average " + Wording.number(window.coresUsed()) + " threads ran and "
                + Wording.number(window.waiting()) + " waited for a core (" + yardstick.words(Measure.READY, window)
                + ")";
    }

    private String shareWords() {
        return Wording.percent(window.voluntaryShare()) + " of the process's switches were voluntary, "
                + Wording.percent(typicalVoluntaryShare()) + " without the thread that was pushed off its core most";
    }

    private String switchWords() {
        return Wording.number(window.switchesPerSecond()) + " switches/s (" + yardstick.words(Measure.SWITCHES, window)
                + ")";
    }

    private String runWords() {
        return Wording.number(window.runUs()) + " µs of work between two switches ("
                + yardstick.words(Measure.RUN_US, window) + ")";
    }

    private static String named(ThreadFigures thread) {
        return "\"" + thread.name() + "\" (" + thread.tid() + ")";
    }
}
