package dev.switchboard.bench.dispatch;

import dev.switchboard.bench.Reports;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The measurement of ways to hand messages to sessions: {@code ./switchboard bench dispatch}. One thread uses it.
 *
 * <p><b>A process for each contender and round.</b> In one process the compiler would see the handling of a message
 * called by a dozen contenders and compile it for all of them, worse for those that come later; a contender's threads,
 * garbage and timers would be there while the next is measured. A fresh process has none of that, and repeated starts
 * also bring the differences between one compilation and the next into the medians. So each round starts each contender
 * anew, warms it up with every kind of load and measures all loads in turn. The price is the warming up.
 *
 * <p><b>Workers.</b> Under steady loads the producer burns a processor to be on time; on two processors one is left,
 * so the default is one worker there and two elsewhere, where the producer sleeps.
 *
 * <p><b>In pieces.</b> Every result is a line of the raw file at once. With {@code --keep} a run adds its rounds to
 * those in the file, and with {@code --rounds=0} only the tables are made anew.
 */
@Command(
        name = "dispatch",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = "Queues, Pekko's dispatchers, the Disruptor and the affinity dispatcher: latency, CPU, switches.")
public final class DispatchBench implements Callable<Integer> {
    private static final double WORK_NS = 500;
    private static final long SETTLE_MS = 800;
    private static final int QUICK_ROUNDS = 1;
    private static final int QUICK_MS = 500;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--contenders", split = ",", description = "Which ones; all without it: see the table for names.")
    private List<String> contenders = Contenders.names();

    @Option(
            names = "--loads",
            split = ",",
            description =
                    "Which ones: idle, steady-RATE, bursts-RATE (messages/s), flood; without it those of the table.")
    private List<String> loads = Load.ALL.stream().map(Load::name).toList();

    @Option(names = "--rounds", defaultValue = "5", description = "Rounds; 0 makes the tables from the raw file alone.")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "1.5", description = "Seconds of each measurement.")
    private double seconds;

    @Option(names = "--warm-up", defaultValue = "3", description = "Seconds of warming up each process.")
    private double warmUpSeconds;

    @Option(
            names = "--workers",
            defaultValue = "2",
            description = "Workers, or lanes at most, of bursts, idle and floods.")
    private int workers;

    @Option(names = "--steady-workers", defaultValue = "1", description = "Workers, or lanes at most, of steady loads.")
    private int steadyWorkers;

    @Option(names = "--quick", description = "One round of half a second each: a look, not a measurement.")
    private boolean quick;

    @Option(names = "--keep", description = "Adds to the results in the raw file instead of beginning anew.")
    private boolean keep;

    @Option(
            names = "--raw",
            description = "The file of all results, line by line; bench/target/dispatch.tsv without it.")
    private Path raw;

    @Option(
            names = "--profile",
            description =
                    "Only shows where the time goes, for the contenders and loads given; else ours-balanced, flood.")
    private boolean profile;

    /** What the report tells of how it was measured. */
    record Plan(int workers, int steadyWorkers) {}

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getParent().getOut();
        contenders.forEach(Contenders::named);
        List<Load> wanted = loads.stream().map(Load::parse).toList();
        if (profile) {
            profile(wanted, out);
            return 0;
        }
        Path file = raw == null ? Reports.home().resolve("bench/target/dispatch.tsv") : raw;
        Results results = Results.in(file, keep || rounds == 0);
        if (rounds > 0) {
            results.begin("./switchboard bench "
                    + String.join(" ", spec.commandLine().getParseResult().originalArgs()));
            new Rounds(contenders, order(wanted), results, out).run(quick ? QUICK_ROUNDS : rounds);
        }
        Reports.write("dispatch", Report.of(results, new Plan(workers, steadyWorkers)), out);
        return 0;
    }

    private void profile(List<Load> wanted, PrintWriter out) throws IOException, InterruptedException {
        boolean all = contenders.equals(Contenders.names());
        boolean everyLoad = wanted.equals(Load.ALL);
        Reports.write(
                "dispatch-profile",
                HotPath.of(
                        all ? List.of(Contenders.BALANCED) : contenders,
                        everyLoad ? List.of(new Load.Flood()) : wanted,
                        order(wanted)),
                out);
    }

    private TrialProcess.Order order(List<Load> wanted) {
        return new TrialProcess.Order(
                "",
                wanted,
                workers,
                steadyWorkers,
                Math.round(warmUpSeconds * 1000),
                SETTLE_MS,
                quick ? QUICK_MS : Math.round(seconds * 1000),
                Work.bytesFor(WORK_NS));
    }
}
