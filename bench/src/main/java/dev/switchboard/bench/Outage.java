package dev.switchboard.bench;

import dev.switchboard.server.demo.OutageTraffic;
import dev.switchboard.server.demo.OutageTraffic.Report;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench outage}: stops PostgreSQL under steady posts for a while, and compares what the customers were told with
 * what is in the journal afterwards. Three times: with the spool, with the spool and a kill of the node in the middle,
 * and without the spool.
 */
final class Outage {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int BEFORE_SECONDS = 5;
    private static final int AFTER_SECONDS = 5;

    /** What is measured. {@code seconds}: how long the database is away. */
    record Plan(int seconds, int perSecond, int customers) {}

    private enum Variant {
        SPOOL("spool on"),
        SPOOL_AND_KILL("spool on, node killed in the middle"),
        NO_SPOOL("spool off");

        private final String title;

        Variant(String title) {
            this.title = title;
        }
    }

    private record Measured(Variant variant, boolean finished, long drainedMs, Report report) {
        boolean isClean() {
            return finished && report.isClean();
        }
    }

    private final Plan plan;
    private final PrintWriter out;

    Outage(Plan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    /** True when every promise was kept in every variant. */
    boolean run() throws IOException, InterruptedException {
        StringBuilder rows = new StringBuilder();
        boolean clean = true;
        for (Variant variant : Variant.values()) {
            Measured measured = run(variant);
            clean &= measured.isClean();
            rows.append(row(measured));
            say(variant.title + ": " + (measured.isClean() ? "every promise kept" : "VIOLATED") + " "
                    + measured.report());
        }
        Reports.write("outage", text(rows.toString(), clean), out);
        return clean;
    }

    private Measured run(Variant variant) throws IOException, InterruptedException {
        boolean spool = variant != Variant.NO_SPOOL;
        try (StoppablePostgres postgres = new StoppablePostgres()) {
            Map<String, String> settings = new HashMap<>(postgres.settings());
            settings.put("SWITCHBOARD_SPOOL_ENABLED", String.valueOf(spool));
            settings.put("SWITCHBOARD_DB_START_WAIT", "10m");
            try (ServerUnderTest server = new ServerUnderTest(settings);
                    OutageTraffic traffic = new OutageTraffic(
                            server.uri(), new OutageTraffic.Plan("o", plan.customers(), plan.perSecond(), spool))) {
                server.start();
                traffic.start();
                pause(BEFORE_SECONDS * 1_000L);
                postgres.stop();
                say(variant.title + ": PostgreSQL stopped with " + traffic.answered(false) + " posts accepted");
                CompletableFuture<Void> started = CompletableFuture.completedFuture(null);
                pause(plan.seconds() * 500L);
                if (variant == Variant.SPOOL_AND_KILL) {
                    server.kill();
                    say("node killed with " + traffic.answered(true) + " posts spooled");
                    started = CompletableFuture.runAsync(() -> startAgain(server));
                }
                pause(plan.seconds() * 500L);
                postgres.start();
                long backNanos = System.nanoTime();
                say("PostgreSQL back with " + traffic.answered(true) + " posts spooled");
                started.join();
                pause(AFTER_SECONDS * 1_000L);
                boolean finished = traffic.finish(PATIENCE);
                Report report = traffic.check(postgres.url(), "postgres", "postgres", PATIENCE);
                return new Measured(variant, finished, (System.nanoTime() - backNanos) / 1_000_000, report);
            }
        }
    }

    private static void startAgain(ServerUnderTest server) {
        try {
            server.start();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void pause(long millis) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }

    private static String row(Measured measured) {
        Report report = measured.report();
        return "| %s | %d | %d | %d | %s | %s | %d | %d | %d | %d | %d | %.1f s |%n"
                .formatted(
                        measured.variant().title,
                        report.posts(),
                        report.accepted(),
                        report.spooled(),
                        codes(report.refused()),
                        codes(report.refusedMeanwhile()),
                        report.unanswered(),
                        report.lost(),
                        report.doubled(),
                        report.disordered(),
                        report.refusedYetWritten(),
                        report.slowestMs() / 1e3);
    }

    private static String codes(Map<String, Integer> codes) {
        StringBuilder text = new StringBuilder();
        codes.forEach((code, count) ->
                text.append(text.isEmpty() ? "" : ", ").append(code).append(' ').append(count));
        return text.isEmpty() ? "0" : text.toString();
    }

    private String text(String rows, boolean clean) {
        return """
                # The database away for %d seconds

                %d customers post %d messages a second together, each one at a time and naming the one before (`after`).
                PostgreSQL is stopped for %d s and started again. With the spool on, a customer sends what is refused or not
                answered again under its id until it is accepted or spooled; in the second row the node is killed (SIGKILL)
                half-way and started at once, and waits for the database. With the spool off a refusal is final. Afterwards
                each answer is compared with the journal's table.

                Machine: %s. It had other work meanwhile: the counts matter here, not the times. A customer
                waits for each answer, so where answers are late fewer posts are sent than planned.

                ```
                ./switchboard bench outage --seconds %d --rate %d --customers %d
                ```

                | variant | posts | accepted | spooled | refused | sent again after | no answer | lost | doubled \
                | out of order | refused, yet written | slowest answer |
                |---|---|---|---|---|---|---|---|---|---|---|---|
                %s
                Lost: answered `accepted` or `spooled`, and not in the journal. Refused, yet written: the write was answered with
                a failure and had committed, or was sent already when its time was over; the same id would have got the first
                answer.

                %s
                """.formatted(
                        plan.seconds(),
                        plan.customers(),
                        plan.perSecond(),
                        plan.seconds(),
                        Machine.description(),
                        plan.seconds(),
                        plan.perSecond(),
                        plan.customers(),
                        rows,
                        clean
                                ? "Accepted + spooled = in the journal, once each and in order; every other post was refused"
                                        + " with a code."
                                : "**VIOLATED**: see above.");
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
