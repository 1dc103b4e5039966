package dev.switchboard.bench.journal;

import com.typesafe.config.Config;
import dev.switchboard.bench.Machine;
import dev.switchboard.bench.Medians;
import dev.switchboard.bench.Reports;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.journal.StorageSetup;
import java.io.PrintWriter;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.pekko.actor.ActorSystem;

/**
 * {@code bench recovery}: how long a long conversation takes from being needed to its first answer, when it isn't in
 * memory. Prints tables and writes them to {@code docs/measurements/recovery.md}.
 */
public final class RecoveryBench {
    /**
     * What to measure.
     *
     * @param entries entries of a conversation before its snapshot
     * @param tail how many events at most lie after it: conversations have from none to so many
     * @param inFlight numbers of recoveries under way at once
     */
    public record Plan(
            List<String> databases,
            int conversations,
            int entries,
            int tail,
            List<Integer> inFlight,
            int warmUpSeconds,
            int rounds,
            int roundSeconds) {}

    /** One round; times are milliseconds, processor time microseconds a recovery. */
    private record Figures(double perSecond, double p50Ms, double p99Ms, double jvmUs, double databaseUs) {}

    private final Plan plan;
    private final PrintWriter out;

    public RecoveryBench(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    /** Measures on each database and reports. */
    public void run() throws Exception {
        StringBuilder report = new StringBuilder("""
                # Recovery

                %d conversations of %d entries, each with a snapshot behind the last of them and from none to %d events
                after that (the longest tail that the setting `snapshot-every` leaves; half of that on average). One recovery
                is: a conversation's actor is made, reads its snapshot and its tail, and answers who asked for it; then it is
                stopped. So many are under way at all times; the database has what is read in its memory, and shares the
                processors with the JVM. Events of 512 serialized bytes.

                Median of %d rounds of %d s after %d s of warming up; the numbers in flight take turns in each round.

                Machine: %s.

                ```
                ./switchboard bench recovery
                ```
                """.formatted(
                        plan.conversations(),
                        plan.entries(),
                        plan.tail(),
                        plan.rounds(),
                        plan.roundSeconds(),
                        plan.warmUpSeconds(),
                        Machine.description()));
        for (String database : plan.databases()) {
            try (Store store = Store.of(database)) {
                report.append('\n').append(measure(store));
            }
        }
        Reports.write("recovery", report.toString(), out);
    }

    private String measure(Store store) throws Exception {
        String url = store.newDatabase("recovery");
        Config config = PluginContender.base(url, store.user());
        try (SqlStorage storage = SqlStorage.open(config)) {
            LongConversations filled = new LongConversations(plan.conversations(), plan.entries(), plan.tail());
            try (Connection connection = store.connect(url)) {
                long began = System.nanoTime();
                filled.write(connection);
                say(store.title() + ": filled in " + (System.nanoTime() - began) / 1_000_000_000 + " s, snapshots of "
                        + filled.snapshotBytes() + " bytes");
            }
            ActorSystem system = ActorSystem.create("bench", StorageSetup.of(storage, config));
            try (RecoveryLoad load = new RecoveryLoad(system, storage, plan.conversations())) {
                round(store, load, plan.inFlight().get(plan.inFlight().size() - 1), plan.warmUpSeconds());
                List<List<Figures>> figures = new ArrayList<>();
                plan.inFlight().forEach(number -> figures.add(new ArrayList<>()));
                for (int i = 1; i <= plan.rounds(); i++) {
                    for (int k = 0; k < plan.inFlight().size(); k++) {
                        Figures each = round(store, load, plan.inFlight().get(k), plan.roundSeconds());
                        figures.get(k).add(each);
                        say(store.title() + ", round " + i + ": "
                                + row(plan.inFlight().get(k), each));
                    }
                }
                return table(store, filled, figures);
            } finally {
                system.terminate();
                system.getWhenTerminated().toCompletableFuture().get(60, TimeUnit.SECONDS);
            }
        }
    }

    private static Figures round(Store store, RecoveryLoad load, int inFlight, int seconds) throws Exception {
        long own = ProcessHandle.current().pid();
        double jvm = Machine.cpuSecondsOfOne(own);
        double database = store.pid() < 0 ? 0 : Machine.cpuSeconds(store.pid());
        long began = System.nanoTime();
        Histogram latencies = load.run(inFlight, seconds);
        double took = (System.nanoTime() - began) / 1e9;
        double recoveries = latencies.getTotalCount();
        return new Figures(
                recoveries / took,
                latencies.getValueAtPercentile(50) / 1e6,
                latencies.getValueAtPercentile(99) / 1e6,
                (Machine.cpuSecondsOfOne(own) - jvm) * 1e6 / recoveries,
                store.pid() < 0 ? 0 : (Machine.cpuSeconds(store.pid()) - database) * 1e6 / recoveries);
    }

    private String table(Store store, LongConversations conversations, List<List<Figures>> figures) {
        StringBuilder table = new StringBuilder(
                "## " + store.title() + "\n\nA snapshot has "
                        + conversations.snapshotBytes() + " bytes.\n\n"
                        + "| in flight | recoveries/s | p50 ms | p99 ms | JVM CPU µs | database CPU µs |\n|---|---|---|---|---|---|\n");
        for (int k = 0; k < figures.size(); k++) {
            List<Figures> rounds = figures.get(k);
            table.append(row(
                            plan.inFlight().get(k),
                            new Figures(
                                    Medians.of(rounds, Figures::perSecond),
                                    Medians.of(rounds, Figures::p50Ms),
                                    Medians.of(rounds, Figures::p99Ms),
                                    Medians.of(rounds, Figures::jvmUs),
                                    Medians.of(rounds, Figures::databaseUs))))
                    .append('\n');
        }
        return table.toString();
    }

    private static String row(int inFlight, Figures f) {
        return "| %d | %.0f | %.1f | %.1f | %.0f | %s |"
                .formatted(
                        inFlight,
                        f.perSecond(),
                        f.p50Ms(),
                        f.p99Ms(),
                        f.jvmUs(),
                        f.databaseUs() == 0 ? "–" : "%.0f".formatted(f.databaseUs()));
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
