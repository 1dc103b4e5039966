package dev.switchboard.bench.dispatch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs the rounds: in each, every contender once, in a fresh process, one after the other. The contender that begins
 * changes from round to round, so that none is always measured after the same other. One thread uses it.
 */
final class Rounds {
    private static final long MARGIN_MS = 120_000;

    private final List<String> contenders;
    private final TrialProcess.Order order;
    private final Results results;
    private final PrintWriter out;

    /** {@code order} is what each process is to do; its contender is replaced. */
    Rounds(List<String> contenders, TrialProcess.Order order, Results results, PrintWriter out) {
        this.contenders = contenders;
        this.order = order;
        this.results = results;
        this.out = out;
    }

    /**
     * Runs that many rounds.
     *
     * @throws IOException when a process failed, with what it printed: a message lost, doubled, stuck or out of order
     */
    void run(int rounds) throws IOException, InterruptedException {
        int first = results.nextRound();
        for (int round = first; round < first + rounds; round++) {
            List<String> turns = new ArrayList<>(contenders);
            Collections.rotate(turns, -((round - 1) * 5 % turns.size()));
            for (String contender : turns) {
                runOne(round, contender);
            }
        }
    }

    private void runOne(int round, String contender) throws IOException, InterruptedException {
        Process process = TrialProcess.start(order.of(contender));
        Thread ender = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(ender);
        CompletableFuture<Void> limit = CompletableFuture.runAsync(
                process::destroyForcibly, CompletableFuture.delayedExecutor(limitMs(), TimeUnit.MILLISECONDS));
        List<String> said = new ArrayList<>();
        int code;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(TrialProcess.RESULT + "\t")) {
                    take(round, contender, line);
                } else {
                    said.add(line);
                }
            }
            code = process.waitFor();
        } finally {
            limit.cancel(false);
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(ender);
        }
        if (code != 0) {
            throw new IOException(contender + " ended with " + code + ": " + String.join("\n", said));
        }
        said.forEach(this::say);
    }

    private void take(int round, String contender, String line) throws IOException {
        Result result = Result.parse(round + "\t" + contender + line.substring(TrialProcess.RESULT.length()));
        results.add(result);
        Measured measured = result.measured();
        say(
                "round %d %-18s %-13s p50 %8.1f µs, p99 %8.1f µs, CPU %5.1f %%, beside %5.1f %%, switches %6.0f/s, %8.0f messages/s"
                        .formatted(
                                round,
                                contender,
                                result.load(),
                                measured.p50(),
                                measured.p99(),
                                measured.cpu(),
                                measured.cpuBeside(),
                                measured.switches(),
                                measured.throughput()));
    }

    private long limitMs() {
        return order.warmUpMs() + order.loads().size() * (order.settleMs() + order.measureMs()) + MARGIN_MS;
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
