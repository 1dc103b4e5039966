package dev.switchboard.bench.dispatch;

import dev.switchboard.bench.Machine;
import dev.switchboard.bench.Medians;
import java.util.List;
import java.util.Locale;

/** The measurement as Markdown: how it was taken, the table, and what must be reached. Stateless. */
final class Report {
    private Report() {}

    static String of(Results results, DispatchBench.Plan plan) {
        Results.Table table = results.medians();
        return head(results, plan, table)
                + figures(table)
                + goals(Goals.of(table, plan.workers(), plan.steadyWorkers()));
    }

    private static String head(Results results, DispatchBench.Plan plan, Results.Table table) {
        int fewest = table.rounds().values().stream().mapToInt(i -> i).min().orElse(0);
        int most = table.rounds().values().stream().mapToInt(i -> i).max().orElse(0);
        double[] work = results.all().stream()
                .mapToDouble(result -> result.measured().workNs())
                .sorted()
                .toArray();
        return """
                # Ways of handing messages to sessions

                Messages of %d bytes for 1000 sessions, from one producer that keeps a schedule; latency is from the
                intended arrival to the end of the message's handling, so a delay of the producer counts. Each contender
                is measured in a fresh process in each round, the rounds interleaved; the figures are medians of %s
                rounds. A session's order was checked in every measurement: had a message been lost, doubled, stuck or out
                of order, there would be no table.

                Machine: %s. Processes run with `%s`.

                The work of a message, measured by itself in each process: %s ns (median; %s to %s). Bursts come each
                %s ms and hold what a steady load of the same rate has in that time; in a flood at most %d messages are on
                their way. Idle is idle after traffic, with all sessions in memory. Steady loads have %d worker%s, as the
                producer needs a processor to be on time; the others have %d.

                CPU is percent of one processor, of the process and of it without the producer. Switches are per
                second: of all threads beside the producer, because they waited (vol.) and because their processor was
                taken (inv.), and the producer's own. The thread that measures is left out, and so are Java's compilers, whose work
                a server has behind it soon after its start (median here %s %%). Late is the producer's own delay, which no contender can
                be better than.

                ```
                %s
                ```

                """.formatted(
                        Payloads.BYTES,
                        fewest == most ? String.valueOf(most) : fewest + " to " + most,
                        Machine.description(),
                        String.join(" ", TrialProcess.JAVA_OPTIONS),
                        number("%.0f", Medians.of(work)),
                        work.length == 0 ? "?" : number("%.0f", work[0]),
                        work.length == 0 ? "?" : number("%.0f", work[work.length - 1]),
                        number("%.2f", Load.BURST_PERIOD_NS / 1e6),
                        Load.FLOOD_IN_FLIGHT,
                        plan.steadyWorkers(),
                        plan.steadyWorkers() == 1 ? "" : "s",
                        plan.workers(),
                        number(
                                "%.1f",
                                Medians.of(results.all().stream()
                                        .mapToDouble(result -> result.measured().compilers())
                                        .toArray())),
                        String.join("\n", results.commands()));
    }

    private static String figures(Results.Table table) {
        StringBuilder text = new StringBuilder("""
                | load | workers | contender | p50 µs | p99 µs | p99.9 µs | max µs | CPU % | beside % | vol./s | inv./s \
                | producer's/s | late p50 µs | late p99 µs | messages/s |
                |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
                """);
        table.medians()
                .forEach((cell, figures) -> text.append("| ")
                        .append(String.join(
                                " | ",
                                List.of(
                                        cell.load(),
                                        String.valueOf(cell.workers()),
                                        cell.contender(),
                                        number("%.1f", figures.p50()),
                                        number("%.1f", figures.p99()),
                                        number("%.1f", figures.p999()),
                                        number("%.0f", figures.max()),
                                        number("%.1f", figures.cpu()),
                                        number("%.1f", figures.cpuBeside()),
                                        number("%.0f", figures.voluntary()),
                                        number("%.0f", figures.involuntary()),
                                        number("%.0f", figures.producerSwitches()),
                                        number("%.1f", figures.lateP50()),
                                        number("%.1f", figures.lateP99()),
                                        number("%.0f", figures.throughput()))))
                        .append(" |\n"));
        return text.append('\n').toString();
    }

    private static String goals(List<Goal> goals) {
        StringBuilder text = new StringBuilder("""
                ## Must reach

                Processor time is that of the process where the producer sleeps, and that beside the producer under
                steady loads, where it burns a processor to keep its times. Switches are those beside the producer.
                What was tried where a goal is missed: [dispatch-notes.md](dispatch-notes.md).

                | goal | measured | from | must be | |
                |---|---|---|---|---|
                """);
        for (Goal goal : goals) {
            text.append("| %s | %s | %s | %s | %s |%n"
                    .formatted(goal.what(), goal.measured(), goal.from(), goal.limit(), goal.outcome().text));
        }
        return text.toString();
    }

    private static String number(String format, double value) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, format, value);
    }
}
