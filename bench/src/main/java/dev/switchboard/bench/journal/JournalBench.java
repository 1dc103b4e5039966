package dev.switchboard.bench.journal;

import dev.switchboard.bench.Machine;
import dev.switchboard.bench.Medians;
import dev.switchboard.bench.Reports;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * {@code bench journal}: Switchboard's journal beside the plugin's own and beside what the database can take, in one
 * process, one after the other in each round, so that whatever the machine does meets all of them. Prints tables and
 * writes them to {@code docs/measurements/journal.md}.
 */
public final class JournalBench {
    /**
     * What to measure.
     *
     * @param conversations numbers of conversations, each with one write in flight
     * @param eventBytes the serialized size of a message's event
     * @param contenders which of {@code plugin}, {@code rewrite}, {@code switchboard} and {@code raw}
     */
    public record Plan(
            List<String> databases,
            List<Integer> conversations,
            int eventBytes,
            int warmUpSeconds,
            int rounds,
            int roundSeconds,
            List<String> contenders) {}

    /** One contender's round; processor times are microseconds an event, latencies milliseconds. */
    private record Figures(double eventsPerSecond, double jvmUs, double databaseUs, double p50Ms, double p99Ms) {}

    private final Plan plan;
    private final PrintWriter out;

    public JournalBench(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    /** Measures on each database and reports. */
    public void run() throws Exception {
        StringBuilder report = new StringBuilder("""
                # The journal

                Events of %d serialized bytes, written by conversations with one write in flight each; every twentieth
                event also changes the owner, and with it rows of the directory. The plugin's DAO writes the same events
                by the same serializer into the plugin's own tables, without our columns and without a directory, on the
                same dispatcher and without waiting for each other's answers; its queue was enlarged to hold all
                conversations. Raw is rows with our columns over the same keys, prepared beforehand, without anybody
                waiting. All write through the journal plugin's actor, as persistent actors do, but raw. JVM and database
                share the machine's processors with the load; the JVM's time includes the load's, which is two actors that
                make the events and take the answers.

                Median of %d rounds of %d s after %d s each of warming up; the contenders take turns in each round, on
                emptied tables. Ratios are medians of the rounds' own.

                Machine: %s.

                """.formatted(
                plan.eventBytes(), plan.rounds(), plan.roundSeconds(), plan.warmUpSeconds(), Machine.description()));
        report.append("```\n./switchboard bench journal\n```\n");
        for (String database : plan.databases()) {
            for (int conversations : plan.conversations()) {
                try (Store store = Store.of(database)) {
                    report.append('\n').append(measure(store, conversations));
                }
            }
        }
        Reports.write("journal", report.toString(), out);
    }

    private String measure(Store store, int conversations) throws Exception {
        EventSource events = new EventSource(plan.eventBytes());
        boolean postgres = store.pid() >= 0;
        List<Contender> contenders = new ArrayList<>();
        try {
            for (String name : plan.contenders()) {
                switch (name) {
                    case "plugin" ->
                        contenders.add(PluginContender.plugin(store, "plugin", false, conversations, events));
                    case "rewrite" -> {
                        if (postgres) {
                            contenders.add(PluginContender.plugin(store, "rewrite", true, conversations, events));
                        }
                    }
                    case "switchboard" -> contenders.add(PluginContender.ours(store, "ours", conversations, events));
                    case "raw" -> {
                        contenders.add(new RawContender(store, "raw1", 1, conversations, events));
                        if (postgres) {
                            contenders.add(new RawContender(store, "raw2", 2, conversations, events));
                        }
                    }
                    default -> throw new IllegalArgumentException("no such contender: " + name);
                }
            }
            for (Contender contender : contenders) {
                round(contender, store, plan.warmUpSeconds());
            }
            Map<String, List<Figures>> figures = new LinkedHashMap<>();
            for (int i = 1; i <= plan.rounds(); i++) {
                for (Contender contender : contenders) {
                    Figures each = round(contender, store, plan.roundSeconds());
                    figures.computeIfAbsent(contender.name(), name -> new ArrayList<>())
                            .add(each);
                    out.println(
                            store.title() + ", " + conversations + ", round " + i + ": " + row(contender.name(), each));
                    out.flush();
                }
            }
            return table(store.title() + ", " + conversations + " conversations", figures);
        } finally {
            for (Contender contender : contenders) {
                contender.close();
            }
        }
    }

    private static Figures round(Contender contender, Store store, int seconds) throws Exception {
        contender.clear();
        contender.start();
        // What comes first opens all conversations at once; it isn't what is to be measured.
        pause(500);
        contender.latencies();
        long own = ProcessHandle.current().pid();
        double jvm = Machine.cpuSecondsOfOne(own);
        double database = store.pid() < 0 ? 0 : Machine.cpuSeconds(store.pid());
        long before = contender.written();
        long began = System.nanoTime();
        pause(seconds * 1000L);
        double events = contender.written() - before;
        double took = (System.nanoTime() - began) / 1e9;
        double jvmUsed = Machine.cpuSecondsOfOne(own) - jvm;
        double databaseUsed = store.pid() < 0 ? 0 : Machine.cpuSeconds(store.pid()) - database;
        Histogram latencies = contender.latencies();
        contender.stop();
        return new Figures(
                events / took,
                jvmUsed * 1e6 / events,
                databaseUsed * 1e6 / events,
                latencies.getValueAtPercentile(50) / 1e6,
                latencies.getValueAtPercentile(99) / 1e6);
    }

    private static void pause(long millis) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }

    private static String table(String title, Map<String, List<Figures>> figures) {
        StringBuilder table = new StringBuilder("## " + title + "\n\n");
        table.append(
                "| written by | events/s | JVM CPU µs | database CPU µs | p50 ms | p99 ms |\n|---|---|---|---|---|---|\n");
        figures.forEach((name, rounds) -> table.append(row(
                        name,
                        new Figures(
                                Medians.of(rounds, Figures::eventsPerSecond),
                                Medians.of(rounds, Figures::jvmUs),
                                Medians.of(rounds, Figures::databaseUs),
                                Medians.of(rounds, Figures::p50Ms),
                                Medians.of(rounds, Figures::p99Ms))))
                .append('\n'));
        List<Figures> ours = figures.get("Switchboard");
        if (ours == null) {
            return table.toString();
        }
        table.append('\n');
        figures.forEach((name, rounds) -> {
            if (rounds != ours) {
                table.append("Switchboard writes %.2f × as many as %s.%n".formatted(ratio(ours, rounds), name))
                        .append('\n');
            }
        });
        return table.toString();
    }

    private static double ratio(List<Figures> ours, List<Figures> theirs) {
        double[] ratios = new double[ours.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours.get(i).eventsPerSecond() / theirs.get(i).eventsPerSecond();
        }
        return Medians.of(ratios);
    }

    private static String row(String name, Figures f) {
        return String.format(
                Locale.ROOT,
                "| %s | %.0f | %.1f | %.1f | %s | %s |",
                name,
                f.eventsPerSecond(),
                f.jvmUs(),
                f.databaseUs(),
                latency(f.p50Ms()),
                latency(f.p99Ms()));
    }

    private static String latency(double millis) {
        return millis == 0 ? "–" : String.format(Locale.ROOT, "%.1f", millis);
    }
}
