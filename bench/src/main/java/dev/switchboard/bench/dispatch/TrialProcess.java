package dev.switchboard.bench.dispatch;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The process of one contender in one round: warms up, then measures one load after the other and prints a line for
 * each. Started by {@link Rounds}; one thread.
 */
public final class TrialProcess {
    /** What a line of results begins with; other lines are for people. */
    static final String RESULT = "RESULT";

    /** The options of every measuring process; the same collector as the server's, and room for no collection. */
    static final List<String> JAVA_OPTIONS = List.of(
            "-XX:+UseG1GC",
            "-Xms1g",
            "-Xmx1g",
            "-Xmn768m",
            "-XX:+AlwaysPreTouch",
            "-XX:-UseDynamicNumberOfCompilerThreads",
            "-XX:-UseDynamicNumberOfGCThreads");

    private TrialProcess() {}

    /** Starts a process that does that, with its errors among its output. */
    static Process start(Order order) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(JAVA_OPTIONS);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), TrialProcess.class.getName()));
        line.addAll(order.toArguments());
        return new ProcessBuilder(line).redirectErrorStream(true).start();
    }

    /**
     * What a process is to do.
     *
     * @param workers of bursts, idle and floods
     * @param steadyWorkers of steady loads
     * @param workBytes bytes of payload to mix, found by {@link Work#bytesFor}
     */
    record Order(
            String contender,
            List<Load> loads,
            int workers,
            int steadyWorkers,
            long warmUpMs,
            long settleMs,
            long measureMs,
            int workBytes) {
        List<String> toArguments() {
            return List.of(
                    contender,
                    String.join(",", loads.stream().map(Load::name).toList()),
                    String.valueOf(workers),
                    String.valueOf(steadyWorkers),
                    String.valueOf(warmUpMs),
                    String.valueOf(settleMs),
                    String.valueOf(measureMs),
                    String.valueOf(workBytes));
        }

        static Order parse(String... arguments) {
            return new Order(
                    arguments[0],
                    Arrays.stream(arguments[1].split(",", -1)).map(Load::parse).toList(),
                    Integer.parseInt(arguments[2]),
                    Integer.parseInt(arguments[3]),
                    Long.parseLong(arguments[4]),
                    Long.parseLong(arguments[5]),
                    Long.parseLong(arguments[6]),
                    Integer.parseInt(arguments[7]));
        }

        /** The same for another contender. */
        Order of(String other) {
            return new Order(other, loads, workers, steadyWorkers, warmUpMs, settleMs, measureMs, workBytes);
        }

        int workersFor(Load load) {
            return load instanceof Load.Steady ? steadyWorkers : workers;
        }
    }

    /** Arguments are those of {@link Order#toArguments}. Ends the process with 0 when all went well. */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try {
            run(Order.parse(arguments), out);
            System.exit(0);
        } catch (InterruptedException | RuntimeException e) {
            out.println(arguments[0] + ": " + e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Order order, PrintStream out) throws InterruptedException {
        double workNs = Work.measuredNs(order.workBytes());
        Trial trial = new Trial(Contenders.named(order.contender()), order.workBytes(), workNs);
        warmUp(trial, order);
        for (Load load : order.loads()) {
            int workers = order.workersFor(load);
            Measured measured = trial.run(
                    load,
                    workers,
                    TimeUnit.MILLISECONDS.toNanos(order.settleMs()),
                    TimeUnit.MILLISECONDS.toNanos(order.measureMs()));
            out.println(RESULT + "\t" + load.name() + "\t" + workers + "\t" + measured.toLine());
        }
    }

    /**
     * What the measured loads will look like, twice: the compiler drops what it made for one kind of load when another
     * takes paths it took for impossible.
     */
    private static void warmUp(Trial trial, Order order) throws InterruptedException {
        List<Load> loads = List.of(new Load.Flood(), new Load.Steady(100_000), new Load.Bursts(100_000));
        long eachNs = TimeUnit.MILLISECONDS.toNanos(order.warmUpMs()) / (2L * loads.size());
        if (eachNs == 0) {
            return;
        }
        for (int turn = 0; turn < 2; turn++) {
            for (Load load : loads) {
                Measured unused = trial.run(load, order.workersFor(load), eachNs, 0);
            }
        }
    }
}
