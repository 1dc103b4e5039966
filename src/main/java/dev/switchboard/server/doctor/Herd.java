package dev.switchboard.server.doctor;

import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The threads that give up their cores most: those that do it at least a quarter as often as the first of them; and what
 * they wait for. Immutable; a pure function of the window and the stacks.
 *
 * @param members the one with the most voluntary switches first
 * @param stacks of those members of which there is one
 * @param waker whether there is a thread outside that wakes them: each one that it wakes takes its core, so that it is
 *     pushed off about as often as they go to sleep, and hardly ever waits itself
 */
record Herd(List<ThreadFigures> members, List<JavaStack> stacks, boolean waker) {
    private static final double OF_THE_FIRST = 0.25;
    private static final double PUSHED_PER_SLEEP = 0.3;
    private static final double WAKER_SLEEPS = 0.05;

    /** From this many on it is a crowd that does the same thing. */
    private static final int CROWD = 8;

    Herd {
        members = List.copyOf(members);
        stacks = List.copyOf(stacks);
    }

    static Herd of(Window window, Map<Integer, JavaStack> stacks) {
        List<ThreadFigures> busiest = window.threads().stream()
                .filter(thread -> thread.voluntary() > 0)
                .sorted(Comparator.comparingLong(ThreadFigures::voluntary).reversed())
                .toList();
        List<ThreadFigures> members = busiest.stream()
                .filter(thread -> thread.voluntary() >= busiest.get(0).voluntary() * OF_THE_FIRST)
                .toList();
        List<JavaStack> known = members.stream()
                .filter(thread -> stacks.containsKey(thread.tid()))
                .map(thread -> stacks.get(thread.tid()))
                .toList();
        long sleeps = members.stream().mapToLong(ThreadFigures::voluntary).sum();
        boolean waker = window.threads().stream()
                .anyMatch(thread -> thread.involuntary() >= sleeps * PUSHED_PER_SLEEP
                        && thread.voluntary() <= sleeps * WAKER_SLEEPS);
        return new Herd(members, known, waker);
    }

    /** One thread alone, as far as the kernel shows it. */
    static Herd ofOne(ThreadFigures thread) {
        return new Herd(List.of(thread), List.of(), false);
    }

    boolean isCrowd() {
        return members.size() >= CROWD;
    }

    /** What most of the members do by their stacks, if most of them do one thing. Those that run say nothing. */
    Optional<JavaStack.Doing> mostDo() {
        Map<JavaStack.Doing, Integer> counts = new EnumMap<>(JavaStack.Doing.class);
        for (JavaStack stack : stacks) {
            if (stack.doing() != JavaStack.Doing.RUNS) {
                counts.merge(stack.doing(), 1, Integer::sum);
            }
        }
        return most(counts);
    }

    /** What most of the members were seen waiting for by the kernel, if it is one thing. */
    Optional<WaitKind> mostWaitFor() {
        Map<WaitKind, Integer> counts = new EnumMap<>(WaitKind.class);
        for (ThreadFigures member : members) {
            member.waits().forEach((kind, times) -> {
                if (kind != WaitKind.RUNNING && kind != WaitKind.HIDDEN && kind != WaitKind.OTHER) {
                    counts.merge(kind, times, Integer::sum);
                }
            });
        }
        return most(counts);
    }

    /** The lock that most of those who wait for a lock wait for. */
    Optional<JavaStack> commonLock() {
        List<JavaStack> waiting = stacks.stream()
                .filter(stack -> stack.doing() == JavaStack.Doing.WAITS_FOR_LOCK)
                .toList();
        Map<String, Integer> counts = new HashMap<>();
        waiting.forEach(stack -> counts.merge(stack.lock(), 1, Integer::sum));
        return most(counts)
                .flatMap(lock -> waiting.stream()
                        .filter(stack -> stack.lock().equals(lock))
                        .findFirst());
    }

    long waitingFor(JavaStack.Doing doing) {
        return stacks.stream().filter(stack -> stack.doing() == doing).count();
    }

    private static <K> Optional<K> most(Map<K, Integer> counts) {
        int all = sum(counts.values());
        return counts.entrySet().stream()
                .filter(count -> count.getValue() * 2 > all)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static int sum(Collection<Integer> counts) {
        return counts.stream().mapToInt(Integer::intValue).sum();
    }
}
