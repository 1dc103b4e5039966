package dev.switchboard.bench.dispatch;

import dev.switchboard.bench.dispatch.Goal.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What the affinity dispatcher must reach, worked out from the medians of one run. A ratio is judged as it is shown, to
 * two decimals. One thread uses it.
 *
 * <p>Processor time is that of the whole process where the producer sleeps, and that beside the producer under steady
 * loads, where the producer burns a processor to keep its times. Switches are those beside the producer.
 */
final class Goals {
    private static final double UNREMARKED_US = 1000;
    private static final double WHOLE_PROCESSOR = 100;
    /** Idle processes differ by about so much from start to start, whatever their dispatcher. */
    private static final double IDLE_NOISE = 0.05;

    private static final List<String> PROFILES =
            List.of(Contenders.LOW_LATENCY, Contenders.BALANCED, Contenders.EFFICIENT);

    private static final Figure CPU = new Figure("CPU", "%", Measured::cpu);
    private static final Figure CPU_BESIDE = new Figure("CPU beside the producer", "%", Measured::cpuBeside);
    private static final Figure SWITCHES = new Figure("switches", "/s", Measured::switches);
    private static final Figure P50 = new Figure("p50", "µs", Measured::p50);
    private static final Figure P99 = new Figure("p99", "µs", Measured::p99);
    private static final Figure THROUGHPUT = new Figure("messages", "/s", Measured::throughput);

    private final Results.Table table;
    private final int workers;
    private final int steadyWorkers;
    private final List<Goal> goals = new ArrayList<>();

    private record Figure(String name, String unit, ToDoubleFunction<Measured> of) {
        String text(Measured measured) {
            double value = of.applyAsDouble(measured);
            return (value >= 1000 ? number("%,.0f", value) : number("%.1f", value)) + " " + unit;
        }
    }

    private Goals(Results.Table table, int workers, int steadyWorkers) {
        this.table = table;
        this.workers = workers;
        this.steadyWorkers = steadyWorkers;
    }

    /** All goals; those whose figures are missing say so. */
    static List<Goal> of(Results.Table table, int workers, int steadyWorkers) {
        Goals all = new Goals(table, workers, steadyWorkers);
        for (String profile : PROFILES) {
            all.atMost(profile, "idle", CPU, 1 + IDLE_NOISE, Contenders.FORK_JOIN);
            all.atMost(profile, "idle", SWITCHES, 1 + IDLE_NOISE, Contenders.FORK_JOIN);
        }
        all.balanced();
        all.lowLatency();
        all.loads().forEach(all::efficientIsCheapest);
        for (String profile : PROFILES) {
            all.atLeast(profile, "flood", THROUGHPUT, 1.1, Contenders.FORK_JOIN);
        }
        all.loads().forEach(all::nobodyBeatsUs);
        return all.goals;
    }

    private void balanced() {
        atMost(Contenders.BALANCED, "bursts-100000", CPU, 0.75, Contenders.FORK_JOIN);
        atMost(Contenders.BALANCED, "bursts-100000", SWITCHES, 0.25, Contenders.FORK_JOIN);
        atMost(Contenders.BALANCED, "bursts-100000", P99, 1.0, Contenders.FORK_JOIN);
        atMost(Contenders.BALANCED, "bursts-10000", CPU, 1.0, Contenders.FORK_JOIN);
        atMost(Contenders.BALANCED, "bursts-10000", SWITCHES, 0.6, Contenders.FORK_JOIN);
        for (String load : List.of("steady-50000", "steady-100000")) {
            atMost(Contenders.BALANCED, load, CPU_BESIDE, 0.9, Contenders.FORK_JOIN);
            atMost(Contenders.BALANCED, load, SWITCHES, 0.4, Contenders.FORK_JOIN);
            within(Contenders.BALANCED, load, P50, Contenders.BALANCED_BUDGET_US);
        }
    }

    private void lowLatency() {
        atMost(Contenders.LOW_LATENCY, "steady-100000", P50, 1.0, Contenders.AFFINITY_5);
        within(Contenders.LOW_LATENCY, "steady-100000", SWITCHES, 500);
        // What an idle actor system takes, its timer above all, is no waiting of the lanes.
        double idle =
                find("idle", Contenders.FORK_JOIN).map(Measured::cpuBeside).orElse(0.0);
        loads().forEach(load -> within(Contenders.LOW_LATENCY, load, CPU_BESIDE, WHOLE_PROCESSOR + idle));
        within(Contenders.LOW_LATENCY, "idle", CPU_BESIDE, WHOLE_PROCESSOR + idle);
    }

    /** Loads with messages at a rate: in the others there is no latency, or it is the depth of the queue. */
    private Stream<String> loads() {
        return Load.ALL.stream()
                .filter(load -> load instanceof Load.Steady || load instanceof Load.Bursts)
                .map(Load::name);
    }

    private void atMost(String contender, String load, Figure figure, double limit, String other) {
        ratio(contender, load, figure, limit, other, true);
    }

    private void atLeast(String contender, String load, Figure figure, double limit, String other) {
        ratio(contender, load, figure, limit, other, false);
    }

    private void ratio(String contender, String load, Figure figure, double limit, String other, boolean most) {
        String what = "%s, %s: %s".formatted(contender, load, figure.name());
        String bound = "%s %s × %s".formatted(most ? "≤" : "≥", number("%.2f", limit), other);
        Optional<Measured> own = find(load, contender);
        Optional<Measured> others = find(load, other);
        if (own.isEmpty() || others.isEmpty()) {
            goals.add(Goal.notMeasured(what, bound));
            return;
        }
        double ratio = figure.of().applyAsDouble(own.get()) / figure.of().applyAsDouble(others.get());
        double shown = Math.round(ratio * 100) / 100.0;
        goals.add(new Goal(
                what,
                number("%.2f ×", shown),
                figure.text(own.get()) + " to " + figure.text(others.get()),
                bound,
                Outcome.of(most ? shown <= limit : shown >= limit)));
    }

    private void within(String contender, String load, Figure figure, double limit) {
        String what = "%s, %s: %s".formatted(contender, load, figure.name());
        String bound = "≤ %s %s".formatted(number("%.0f", limit), figure.unit());
        goals.add(find(load, contender)
                .map(own -> new Goal(
                        what,
                        figure.text(own),
                        "",
                        bound,
                        Outcome.of(figure.of().applyAsDouble(own) <= limit)))
                .orElseGet(() -> Goal.notMeasured(what, bound)));
    }

    private void efficientIsCheapest(String load) {
        Figure cpu = cpuAt(load);
        String what = "%s, %s: %s, of those with p99 < 1 ms beyond the producer's"
                .formatted(Contenders.EFFICIENT, load, cpu.name());
        Optional<Measured> own = find(load, Contenders.EFFICIENT);
        Optional<Map.Entry<Results.Cell, Measured>> cheapest = others(load)
                .filter(other -> isUnremarked(other.getValue()))
                .min((a, b) -> Double.compare(
                        cpu.of().applyAsDouble(a.getValue()), cpu.of().applyAsDouble(b.getValue())));
        if (own.isEmpty() || cheapest.isEmpty()) {
            goals.add(Goal.notMeasured(what, "the lowest"));
            return;
        }
        Measured best = cheapest.get().getValue();
        double ratio = cpu.of().applyAsDouble(own.get()) / cpu.of().applyAsDouble(best);
        double shown = Math.round(ratio * 100) / 100.0;
        goals.add(new Goal(
                what,
                number("%.2f ×", shown) + " the next" + (isUnremarked(own.get()) ? "" : ", but its p99 is higher"),
                "%s to %s of %s"
                        .formatted(
                                cpu.text(own.get()),
                                cpu.text(best),
                                cheapest.get().getKey().contender()),
                "the lowest",
                Outcome.of(shown <= 1 && isUnremarked(own.get()))));
    }

    private void nobodyBeatsUs(String load) {
        Figure cpu = cpuAt(load);
        String what = "%s: nobody has both less %s and a lower p50 than ours".formatted(load, cpu.name());
        List<Measured> ours = PROFILES.stream()
                .flatMap(profile -> find(load, profile).stream())
                .toList();
        if (ours.size() < PROFILES.size() || others(load).findAny().isEmpty()) {
            goals.add(Goal.notMeasured(what, "nobody"));
            return;
        }
        List<String> beatAll = new ArrayList<>();
        List<String> beatOne = new ArrayList<>();
        others(load).forEach(other -> {
            Measured figures = other.getValue();
            for (int i = 0; i < ours.size(); i++) {
                if (beats(figures, ours.get(i), cpu)) {
                    beatOne.add(other.getKey().contender() + " beats " + PROFILES.get(i));
                }
            }
            if (ours.stream().allMatch(own -> beats(figures, own, cpu))) {
                beatAll.add(other.getKey().contender());
            }
        });
        goals.add(new Goal(
                what,
                beatAll.isEmpty() ? "nobody" : String.join(", ", beatAll),
                beatOne.isEmpty() ? "nor than a single profile" : "single profiles: " + String.join("; ", beatOne),
                "nobody",
                Outcome.of(beatAll.isEmpty())));
    }

    private static boolean beats(Measured other, Measured own, Figure cpu) {
        return cpu.of().applyAsDouble(other) < cpu.of().applyAsDouble(own) && other.p50() < own.p50();
    }

    private static boolean isUnremarked(Measured measured) {
        return measured.p99() - measured.lateP99() < UNREMARKED_US;
    }

    private static Figure cpuAt(String load) {
        return Load.parse(load) instanceof Load.Steady ? CPU_BESIDE : CPU;
    }

    private Stream<Map.Entry<Results.Cell, Measured>> others(String load) {
        return table.medians().entrySet().stream()
                .filter(entry -> entry.getKey().load().equals(load)
                        && entry.getKey().workers() == workersAt(load)
                        && !Contenders.isOurs(entry.getKey().contender()));
    }

    private Optional<Measured> find(String load, String contender) {
        return Optional.ofNullable(table.medians().get(new Results.Cell(load, workersAt(load), contender)));
    }

    private int workersAt(String load) {
        return Load.parse(load) instanceof Load.Steady ? steadyWorkers : workers;
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value).replace(',', ' ');
    }
}
