package dev.switchboard.bench;

import dev.switchboard.server.demo.CountedTraffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench restart}: kills a server in the middle of counted traffic, starts it again on the same data, and
 * compares what was accepted with what arrived. The number that matters is in the last line: accepted = delivered,
 * once each and in order.
 */
final class Restart {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final CountedTraffic.Plan plan;
    private final int kills;
    private final PrintWriter out;

    Restart(int customers, int agents, int messages, int kills, PrintWriter out) {
        this.plan = new CountedTraffic.Plan("restart", customers, agents, messages / customers);
        this.kills = kills;
        this.out = out;
    }

    /** True when nothing was lost, doubled or out of order. */
    boolean run(String databaseName) throws IOException, InterruptedException {
        try (Database database = databaseName.equals("postgres") ? new Database.Postgres() : new Database.H2();
                ServerUnderTest server = new ServerUnderTest(database.settings())) {
            server.start();
            say("server ready after " + server.readyAfterMs() + " ms on " + database.title());
            try (CountedTraffic traffic = new CountedTraffic(server.uri(), plan)) {
                long startNs = System.nanoTime();
                traffic.start();
                for (int kill = 1; kill <= kills; kill++) {
                    long at = traffic.planned() * kill / (kills + 1);
                    awaitAccepted(traffic, at);
                    server.kill();
                    say("killed with " + traffic.accepted() + " of " + traffic.planned() + " accepted");
                    server.start();
                    say("ready again after " + server.readyAfterMs() + " ms");
                }
                boolean finished = traffic.awaitDone(PATIENCE);
                say("traffic took " + (System.nanoTime() - startNs) / 1_000_000_000 + " s");
                CountedTraffic.Report report = traffic.report();
                Reports.write("restart", text(database, report, finished), out);
                return finished && report.isClean();
            }
        }
    }

    private void awaitAccepted(CountedTraffic traffic, long count) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (traffic.accepted() < count) {
            if (never.await(5, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                throw new IllegalStateException("only " + traffic.accepted() + " of " + count + " accepted");
            }
        }
    }

    private String text(Database database, CountedTraffic.Report report, boolean finished) {
        return """
                # Nothing accepted is lost by a kill

                %d customers post %d messages to %d agents; the server is killed (SIGKILL) %d time(s) on the way and
                started again on the same data. Everybody resumes and repeats what was not answered. On %s.

                Machine: %s.

                ```
                ./switchboard bench restart
                ```

                | | |
                |---|---|
                | accepted | %d |
                | delivered to agents, different ones | %d |
                | in the histories | %d |
                | lost | %d |
                | doubled | %d |
                | out of order | %d |
                | gaps | %d |
                | refused for good | %d |
                | posts repeated by clients | %d |
                | entries sent again and dropped by clients | %d |

                %s
                """.formatted(
                        plan.customers(),
                        plan.customers() * plan.messagesEach(),
                        plan.agents(),
                        kills,
                        database.title(),
                        Machine.description(),
                        report.accepted(),
                        report.delivered(),
                        report.inHistories(),
                        report.lost(),
                        report.doubled(),
                        report.disordered(),
                        report.gaps(),
                        report.refused(),
                        report.repeatedPosts(),
                        report.resent(),
                        finished && report.isClean()
                                ? "Accepted = delivered, once each and in order."
                                : violated(report, finished));
    }

    private static String violated(CountedTraffic.Report report, boolean finished) {
        return "**VIOLATED**" + (finished ? "" : ", not finished in time") + ": " + report.examples();
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
