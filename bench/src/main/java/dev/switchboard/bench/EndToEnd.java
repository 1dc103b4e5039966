package dev.switchboard.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.WireClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;

/**
 * {@code bench end-to-end}: customers with one message in flight each and the agents who get them, over sockets,
 * against a server in a process of its own that shares the machine with the load. Prints one table and writes it to
 * {@code docs/measurements/end-to-end.md}.
 */
final class EndToEnd {
    /** What to measure. */
    record Plan(
            int customers,
            int agents,
            int textBytes,
            int warmUpSeconds,
            int rounds,
            int roundSeconds,
            boolean profile,
            Path peer) {}

    /** One round's figures; processor times are microseconds for each accepted message. */
    private record Figures(
            double acceptedPerSecond,
            double deliveredPerSecond,
            double replyP50Ms,
            double replyP99Ms,
            double replyP999Ms,
            double agentP50Ms,
            double agentP99Ms,
            double agentP999Ms,
            double serverUs,
            double databaseUs,
            double loadUs) {}

    private final Plan plan;
    private final PrintWriter out;

    EndToEnd(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    /** Measures on each database and reports. */
    void run(List<String> databases) throws IOException, InterruptedException {
        StringBuilder report = new StringBuilder();
        report.append("""
                # Messages end to end

                %d customers with one message of %d bytes in flight each, %d agents, everybody acknowledges; one server
                process; the load runs on the same machine. Latency is from writing the post to its reply, and to its
                entry at the agent. Processor time is for each accepted message. Each line is one round of %d s after
                %d s of warming up; the last is the median of each column.

                Machine: %s.

                ```
                ./switchboard bench end-to-end
                ```
                """.formatted(
                        plan.customers(),
                        plan.textBytes(),
                        plan.agents(),
                        plan.roundSeconds(),
                        plan.warmUpSeconds(),
                        Machine.description()));
        for (String name : databases) {
            try (Database database = name.equals("postgres") ? new Database.Postgres() : new Database.H2()) {
                report.append('\n').append(measure(database, database.title(), null));
            }
        }
        if (plan.peer() != null) {
            try (Database database = new Database.Postgres()) {
                String title = "The peer " + plan.peer() + ", " + database.title();
                report.append('\n').append(measure(database, title, plan.peer()));
            }
        }
        Reports.write("end-to-end", report.toString(), out);
    }

    private String measure(Database database, String title, Path program) throws IOException, InterruptedException {
        out.println("starting: " + title);
        out.flush();
        try (ServerUnderTest server = new ServerUnderTest(settings(database), program)) {
            server.start();
            prepare(server);
            try (LoadLoop loop = new LoadLoop(server.address())) {
                EndToEndLoad load = new EndToEndLoad(loop, plan.customers(), plan.textBytes());
                open(loop, load);
                loop.run(() -> load.post(true));
                pause(plan.warmUpSeconds());
                loop.call(load::nextRound);
                List<Figures> figures = new ArrayList<>();
                for (int round = 1; round <= plan.rounds(); round++) {
                    Figures one = round(server, database, loop, load);
                    figures.add(one);
                    out.println(row(String.valueOf(round), one));
                    out.flush();
                }
                String profile = plan.profile() && program == null ? profile(server, loop, load) : "";
                loop.run(() -> load.post(false));
                until(
                        loop,
                        load,
                        "every accepted message at its agent",
                        s -> s.inFlight() == 0 && s.delivered() == s.accepted());
                EndToEndLoad.Standing end = loop.call(load::standing);
                return table(title, figures)
                        + "\nAccepted %d, delivered %d, each once and in order.\n"
                                .formatted(end.accepted(), end.delivered())
                        + profile;
            } catch (IllegalStateException e) {
                throw new IllegalStateException(e.getMessage() + "\nthe server said:\n" + server.tail(), e);
            }
        }
    }

    private static Map<String, String> settings(Database database) {
        return database.settings();
    }

    /** Agents with room for all, in a queue that assigns without asking. */
    private void prepare(ServerUnderTest server) {
        ApiClient operator = new ApiClient(WireClient.http(), server.uri(), "dev:operator:op");
        int capacity = (plan.customers() + plan.agents() - 1) / plan.agents();
        ObjectNode queue = JsonNodeFactory.instance
                .objectNode()
                .put("autoAccept", true)
                .put("strategy", "least-loaded")
                .put("maxLength", plan.customers() * 2);
        expect(operator.put("/queues/default", queue));
        for (int agent = 0; agent < plan.agents(); agent++) {
            ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", capacity);
            profile.putArray("queues").add("default");
            profile.putArray("skills");
            expect(operator.put("/agents/agent" + agent + "/profile", profile));
        }
    }

    private static void expect(ApiClient.Answer answer) {
        if (answer.status() >= 300) {
            throw new IllegalStateException("the server answered " + answer.status() + ": " + answer.text());
        }
    }

    private void open(LoadLoop loop, EndToEndLoad load) throws InterruptedException {
        loop.run(() -> {
            for (int agent = 0; agent < plan.agents(); agent++) {
                load.openAgent("agent" + agent);
            }
        });
        until(loop, load, "every agent available", s -> s.agentsReady() == plan.agents());
        loop.run(() -> {
            for (int customer = 0; customer < plan.customers(); customer++) {
                load.openCustomer(customer, "customer" + customer);
            }
        });
        until(loop, load, "every customer welcome", s -> s.customersReady() == plan.customers());
        loop.run(load::firstMessages);
        until(loop, load, "every customer served", s -> s.customersServed() == plan.customers());
    }

    private static void until(LoadLoop loop, EndToEndLoad load, String what, Predicate<EndToEndLoad.Standing> holds)
            throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            EndToEndLoad.Standing now = loop.call(load::standing);
            if (now.trouble() != null) {
                throw new IllegalStateException(now.trouble());
            }
            if (holds.test(now)) {
                return;
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited a minute for " + what + ": " + now);
            }
            boolean unused = never.await(50, TimeUnit.MILLISECONDS);
        }
    }

    private static void pause(int seconds) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
    }

    private Figures round(ServerUnderTest server, Database database, LoadLoop loop, EndToEndLoad load)
            throws InterruptedException {
        long own = ProcessHandle.current().pid();
        double serverBefore = Machine.cpuSeconds(server.pid());
        double databaseBefore = database.pid() < 0 ? 0 : Machine.cpuSeconds(database.pid());
        double loadBefore = Machine.cpuSecondsOfOne(own);
        loop.call(load::nextRound);
        pause(plan.roundSeconds());
        EndToEndLoad.Round round = loop.call(load::nextRound);
        double serverUsed = Machine.cpuSeconds(server.pid()) - serverBefore;
        double databaseUsed = database.pid() < 0 ? 0 : Machine.cpuSeconds(database.pid()) - databaseBefore;
        double loadUsed = Machine.cpuSecondsOfOne(own) - loadBefore;
        String trouble = loop.call(load::standing).trouble();
        if (trouble != null) {
            throw new IllegalStateException(trouble);
        }
        if (!round.refusals().isEmpty()) {
            out.println("refused and repeated: " + round.refusals());
        }
        double seconds = round.durationNs() / 1e9;
        double messages = Math.max(1, round.accepted());
        return new Figures(
                round.accepted() / seconds,
                round.delivered() / seconds,
                ms(round.toReply(), 50),
                ms(round.toReply(), 99),
                ms(round.toReply(), 99.9),
                ms(round.toAgent(), 50),
                ms(round.toAgent(), 99),
                ms(round.toAgent(), 99.9),
                serverUsed * 1e6 / messages,
                databaseUsed * 1e6 / messages,
                loadUsed * 1e6 / messages);
    }

    private String profile(ServerUnderTest server, LoadLoop loop, EndToEndLoad load)
            throws IOException, InterruptedException {
        out.println("one more round with the profiler on");
        out.flush();
        String profile = Profile.record(server.pid(), plan.roundSeconds());
        loop.call(load::nextRound);
        return profile;
    }

    private static double ms(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e6;
    }

    private static final String HEAD = "| round | accepted/s | delivered/s | reply p50 ms | p99 | p99.9 "
            + "| agent p50 ms | p99 | p99.9 | server CPU µs | database CPU µs | load CPU µs |\n"
            + "|---|---|---|---|---|---|---|---|---|---|---|---|\n";

    private String table(String title, List<Figures> figures) {
        StringBuilder table = new StringBuilder("## " + title + "\n\n" + HEAD);
        for (int i = 0; i < figures.size(); i++) {
            table.append(row(String.valueOf(i + 1), figures.get(i))).append('\n');
        }
        Figures median = new Figures(
                Medians.of(figures, Figures::acceptedPerSecond),
                Medians.of(figures, Figures::deliveredPerSecond),
                Medians.of(figures, Figures::replyP50Ms),
                Medians.of(figures, Figures::replyP99Ms),
                Medians.of(figures, Figures::replyP999Ms),
                Medians.of(figures, Figures::agentP50Ms),
                Medians.of(figures, Figures::agentP99Ms),
                Medians.of(figures, Figures::agentP999Ms),
                Medians.of(figures, Figures::serverUs),
                Medians.of(figures, Figures::databaseUs),
                Medians.of(figures, Figures::loadUs));
        return table.append(row("**median**", median)).append('\n').toString();
    }

    private static String row(String name, Figures f) {
        return String.format(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f | %.0f |",
                name,
                f.acceptedPerSecond(),
                f.deliveredPerSecond(),
                f.replyP50Ms(),
                f.replyP99Ms(),
                f.replyP999Ms(),
                f.agentP50Ms(),
                f.agentP99Ms(),
                f.agentP999Ms(),
                f.serverUs(),
                f.databaseUs(),
                f.loadUs());
    }
}
