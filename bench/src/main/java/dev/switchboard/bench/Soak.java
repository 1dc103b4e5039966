package dev.switchboard.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench soak}: traffic with faults all the time, in which the server is killed twice; then what was accepted is
 * compared with what was acknowledged and what is dead, and the heap with what it was.
 */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = "Cut sockets, clients that stand still, terminals that refuse, a server that is killed twice:"
                + " accepted = acknowledged + dead, in order? Does the heap grow?")
final class Soak implements Callable<Integer> {
    private static final Duration SETTLED_WITHIN = Duration.ofMinutes(1);

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--database", defaultValue = "postgres", description = "h2 or postgres.")
    private String database;

    @Option(names = "--customers", defaultValue = "300", description = "Customers.")
    private int customers;

    @Option(names = "--agents", defaultValue = "30", description = "Agents.")
    private int agents;

    @Option(names = "--minutes", defaultValue = "15", description = "How long it lasts.")
    private int minutes;

    @Option(names = "--pace-ms", defaultValue = "2000", description = "A customer's time between messages, in ms.")
    private long paceMs;

    private long heapBefore;
    private long heapAfter;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Database on = database.equals("postgres") ? new Database.Postgres() : new Database.H2();
                ServerUnderTest server = new ServerUnderTest(on.settings())) {
            server.start();
            try (SoakTraffic traffic = new SoakTraffic(server.uri(), customers, agents, Duration.ofMillis(paceMs))) {
                boolean settled = soak(server, traffic);
                SoakTraffic.Report report = traffic.report();
                PrintWriter out = spec.commandLine().getParent().getOut();
                Reports.write("soak", text(on, report, settled), out);
                return settled && report.isClean() ? 0 : 1;
            }
        }
    }

    /** Kills in the first third, so that the heap has a long way to grow behind it. */
    private boolean soak(ServerUnderTest server, SoakTraffic traffic) throws IOException, InterruptedException {
        traffic.start();
        traffic.faults(true);
        long slice = TimeUnit.MINUTES.toMillis(minutes) / 6;
        for (int kill = 1; kill <= 2; kill++) {
            pass(slice);
            server.kill();
            server.start();
            say("killed and ready again after " + server.readyAfterMs() + " ms; " + traffic.accepted() + " accepted");
        }
        pass(slice);
        heapBefore = Memory.liveBytes(server);
        say("live heap " + (heapBefore >> 20) + " MiB; " + traffic.accepted() + " accepted");
        pass(3 * slice);
        heapAfter = Memory.liveBytes(server);
        say("live heap " + (heapAfter >> 20) + " MiB; " + traffic.accepted() + " accepted");
        traffic.faults(false);
        traffic.stopPosting();
        return traffic.awaitSettled(SETTLED_WITHIN);
    }

    private static void pass(long ms) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(ms, TimeUnit.MILLISECONDS);
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getParent().getOut();
        out.println(line);
        out.flush();
    }

    private String text(Database on, SoakTraffic.Report report, boolean settled) {
        return """
                # Nothing accepted is lost under faults

                %d customers post every %d ms to %d agents for %d minutes. Twice a second somebody's socket is cut or somebody
                stops reading for 8 s; agents refuse one message of 31 once and one of 97 always; the server is killed
                (SIGKILL) twice. Each accepted message must be acknowledged by an agent or be a dead letter. On %s.

                Machine: %s.

                ```
                ./switchboard bench soak --minutes=%d
                ```

                | | |
                |---|---|
                | accepted | %d |
                | acknowledged by agents, different ones | %d |
                | dead letters | %d |
                | lost: neither, or not in the history | %d |
                | doubled in the history | %d |
                | out of order, in the history or at an agent | %d |
                | refused for good | %d |
                | posts repeated by customers | %d |
                | refusals by agents | %d |
                | sockets cut by clients | %d |
                | clients that stopped reading | %d |
                | live heap in the middle, MiB | %.1f |
                | live heap at the end, MiB | %.1f (%.2f ×) |

                %s
                """.formatted(
                        customers,
                        paceMs,
                        agents,
                        minutes,
                        on.title(),
                        Machine.description(),
                        minutes,
                        report.accepted(),
                        report.acknowledged(),
                        report.dead(),
                        report.lost(),
                        report.doubled(),
                        report.disordered(),
                        report.refused(),
                        report.repeatedPosts(),
                        report.nacks(),
                        report.cuts(),
                        report.standStills(),
                        heapBefore / 1048576.0,
                        heapAfter / 1048576.0,
                        (double) heapAfter / heapBefore,
                        settled && report.isClean()
                                ? "Accepted = acknowledged + dead, in order."
                                : "**VIOLATED**" + (settled ? "" : ", not settled in time") + ": " + report.examples());
    }
}
