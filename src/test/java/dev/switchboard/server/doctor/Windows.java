package dev.switchboard.server.doctor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes windows of 10 s on two cores, for tests: threads by their figures per second. For one thread at a time. */
final class Windows {
    static final double SECONDS = 10;
    private static final int LOOKS = 10;

    private final List<ThreadFigures> threads = new ArrayList<>();
    private String program = "program";
    private long otherSwitches;
    private double otherCores;
    private long systemSwitches = -1;
    private int nextTid = 100;

    /** Adds so many threads, each with these figures per second. */
    Windows threads(
            int count, String name, double voluntary, double involuntary, double cpu, double wait, WaitKind seen) {
        for (int i = 0; i < count; i++) {
            threads.add(new ThreadFigures(
                    nextTid++,
                    name + "-" + i,
                    Math.round(voluntary * SECONDS),
                    Math.round(involuntary * SECONDS),
                    Math.round(cpu * SECONDS * 1e9),
                    Math.round(wait * SECONDS * 1e9),
                    voluntary + involuntary,
                    false,
                    false,
                    seen == null ? Map.of() : Map.of(seen, 5)));
        }
        return this;
    }

    Windows program(String name) {
        program = name;
        return this;
    }

    Windows others(double switchesPerSecond, double cores) {
        otherSwitches = Math.round(switchesPerSecond * SECONDS);
        otherCores = cores;
        return this;
    }

    Windows system(long switches) {
        systemSwitches = switches;
        return this;
    }

    Window window() {
        long voluntary = threads.stream().mapToLong(ThreadFigures::voluntary).sum();
        long involuntary =
                threads.stream().mapToLong(ThreadFigures::involuntary).sum();
        long cpuNs = threads.stream().mapToLong(ThreadFigures::cpuNs).sum();
        long waitNs = threads.stream().mapToLong(ThreadFigures::waitNs).sum();
        long all = systemSwitches < 0 ? voluntary + involuntary + otherSwitches : systemSwitches;
        List<Window.Look> looks = new ArrayList<>();
        for (int i = 1; i <= LOOKS; i++) {
            looks.add(new Window.Look(
                    i * SECONDS / LOOKS,
                    SECONDS / LOOKS,
                    threads.size(),
                    voluntary / LOOKS,
                    involuntary / LOOKS,
                    cpuNs / LOOKS,
                    waitNs / LOOKS,
                    totals(all / LOOKS)));
        }
        return new Window(
                new Window.Target(4711, program, true),
                Instant.parse("2026-11-30T12:00:00Z"),
                SECONDS,
                2,
                looks,
                threads,
                totals(all),
                new LoadAverages(1, 1, 1),
                0.5,
                new Others(
                        new Others.Part(otherSwitches, Math.round(otherCores * SECONDS * 1e9)),
                        new Others.Part(500, 0),
                        new Others.Part(20, 0),
                        List.of(new Others.Busy(99, "other", otherSwitches, 0)),
                        true),
                true,
                0,
                false);
    }

    private static SystemTotals totals(long switches) {
        return new SystemTotals(new SystemTotals.Cpu(8, 4, 6, 1, 0, 1, 0), 2, switches, 1000, 900, 3, 2, 0);
    }
}
