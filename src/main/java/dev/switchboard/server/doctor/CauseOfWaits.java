package dev.switchboard.server.doctor;

import dev.switchboard.server.doctor.Diagnosis.Cause;
import dev.switchboard.server.doctor.Diagnosis.Sureness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Why threads give up their cores by themselves; pure functions. Stacks of a Java process decide where there are any: the
 * kernel shows a lock, a condition and a park as the same futex. Without them, threads were woken together when they queue
 * for a core much longer than they then run, or push the one who wakes them off its core again and again; of a lock's waiters
 * only one is woken at a time.
 */
final class CauseOfWaits {
    private CauseOfWaits() {}

    /** A cause, how sure it is, and what it stands on. */
    record Found(Cause cause, Sureness sure, List<String> evidence) {
        Found {
            evidence = List.copyOf(evidence);
        }
    }

    /**
     * @param wokenTogether whether many threads are woken at a time
     */
    static Found of(Herd herd, boolean wokenTogether) {
        Optional<JavaStack.Doing> byStacks = herd.mostDo();
        return byStacks.isPresent() ? ofStacks(herd, byStacks.get(), wokenTogether) : ofKernel(herd, wokenTogether);
    }

    private static Found ofStacks(Herd herd, JavaStack.Doing doing, boolean wokenTogether) {
        List<String> evidence = new ArrayList<>();
        evidence.add(herd.waitingFor(doing) + " of the " + herd.stacks().size()
                + " stacks of the threads that switch most " + words(doing));
        return switch (doing) {
            case WAITS_FOR_LOCK -> {
                Optional<JavaStack> common = herd.commonLock();
                common.ifPresent(stack -> evidence.add("most wait for " + stack.lock() + " at " + stack.place()));
                yield new Found(common.isPresent() ? Cause.ONE_LOCK : Cause.LOCKS, Sureness.HIGH, evidence);
            }
            case WAITS_FOR_SIGNAL -> {
                herd.stacks().stream()
                        .filter(stack -> stack.doing() == doing)
                        .findFirst()
                        .ifPresent(stack -> evidence.add("such as at " + stack.place()));
                if (wokenTogether) {
                    evidence.add(
                            "they are woken together: they queue for a core, or push the one who wakes them off its own");
                }
                yield herd.isCrowd()
                        ? new Found(Cause.WAKE_UP_STORM, wokenTogether ? Sureness.HIGH : Sureness.MEDIUM, evidence)
                        : new Found(Cause.SIGNALS, Sureness.MEDIUM, evidence);
            }
            case WAITS_FOR_TIME -> new Found(Cause.SHORT_SLEEPS, Sureness.HIGH, evidence);
            case WAITS_FOR_IO -> new Found(Cause.INPUT_OUTPUT, Sureness.HIGH, evidence);
            case RUNS -> new Found(Cause.UNKNOWN, Sureness.LOW, evidence);
        };
    }

    private static Found ofKernel(Herd herd, boolean wokenTogether) {
        Optional<WaitKind> byKernel = herd.mostWaitFor();
        if (byKernel.isEmpty()) {
            return new Found(Cause.UNKNOWN, Sureness.LOW, List.of("what the threads wait for could not be seen"));
        }
        List<String> evidence =
                List.of("they were mostly seen waiting for " + byKernel.get().words());
        return switch (byKernel.get()) {
            case SIGNAL -> {
                Cause cause = !herd.isCrowd() ? Cause.SIGNALS : wokenTogether ? Cause.WAKE_UP_STORM : Cause.LOCKS;
                yield new Found(cause, herd.isCrowd() ? Sureness.MEDIUM : Sureness.LOW, evidence);
            }
            case TIMED -> new Found(Cause.SHORT_SLEEPS, Sureness.HIGH, evidence);
            case POLL, IO, DISK -> new Found(Cause.INPUT_OUTPUT, Sureness.HIGH, evidence);
            case RUNNING, OTHER, HIDDEN -> new Found(Cause.UNKNOWN, Sureness.LOW, evidence);
        };
    }

    /** The same for one thread that is apart from the rest. What it was seen waiting for many times tells most. */
    static Cause ofOne(ThreadFigures thread, Herd herd) {
        Optional<WaitKind> seen = Herd.ofOne(thread).mostWaitFor();
        if (seen.isPresent() && seen.get() == WaitKind.TIMED) {
            return Cause.SHORT_SLEEPS;
        } else if (seen.isPresent() && seen.get() != WaitKind.SIGNAL) {
            return Cause.INPUT_OUTPUT;
        }
        return herd.mostDo()
                .map(doing -> switch (doing) {
                    case WAITS_FOR_LOCK -> Cause.ONE_LOCK;
                    case WAITS_FOR_SIGNAL -> Cause.SIGNALS;
                    case WAITS_FOR_TIME -> Cause.SHORT_SLEEPS;
                    case WAITS_FOR_IO -> Cause.INPUT_OUTPUT;
                    case RUNS -> Cause.UNKNOWN;
                })
                .orElse(seen.isPresent() ? Cause.SIGNALS : Cause.UNKNOWN);
    }

    /** A sentence about the cause. */
    static String words(Cause cause) {
        return switch (cause) {
            case ONE_LOCK -> "They stand in line at one lock.";
            case LOCKS -> "They wait for each other, most likely for locks.";
            case WAKE_UP_STORM ->
                "Many are woken at a time, find little or nothing to do, and sleep again: a storm of wake-ups.";
            case SHORT_SLEEPS -> "It sleeps for very short times: it asks again and again instead of being told.";
            case INPUT_OUTPUT -> "They wait for sockets, files or disks, a little at a time.";
            case SIGNALS -> "It waits for signals of other threads and gets them a little at a time.";
            case BUSY_LOOP -> "It never waits.";
            case TOO_MANY_RUNNABLE -> "Too many are ready at once.";
            case NONE -> "";
            case UNKNOWN -> "What they wait for could not be seen.";
        };
    }

    /** What to look at next. */
    static List<String> next(Cause cause) {
        return switch (cause) {
            case ONE_LOCK, LOCKS ->
                List.of(
                        "Look at what is done under the lock: shorten it, split the lock, or hand the work to one thread.",
                        "For Java: jcmd PID Thread.print -l shows who holds it.");
            case WAKE_UP_STORM ->
                List.of(
                        "Wake one thread for each piece of work (signal, not signalAll; unpark one).",
                        "Fewer waiting threads make each wake-up cheaper.");
            case SHORT_SLEEPS ->
                List.of(
                        "Let it be woken when there is work instead of looking for it; or sleep longer.",
                        "Its stack says which loop it is.");
            case INPUT_OUTPUT ->
                List.of(
                        "Read and write more at a time: buffers, batches, fewer flushes.",
                        "Look at iowait and blocked (below) to tell disks from sockets.");
            case SIGNALS -> List.of("Look at who wakes it: hand over more at a time.");
            case BUSY_LOOP, TOO_MANY_RUNNABLE, NONE -> List.of();
            case UNKNOWN ->
                List.of("Run the doctor as the process's owner or as root: then it sees what threads wait for.");
        };
    }

    private static String words(JavaStack.Doing doing) {
        return switch (doing) {
            case WAITS_FOR_LOCK -> "wait for a lock";
            case WAITS_FOR_SIGNAL -> "wait to be woken";
            case WAITS_FOR_TIME -> "sleep or wait with a time limit";
            case WAITS_FOR_IO -> "wait for input or output";
            case RUNS -> "run";
        };
    }
}
