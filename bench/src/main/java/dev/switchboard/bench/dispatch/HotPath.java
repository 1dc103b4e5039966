package dev.switchboard.bench.dispatch;

import dev.switchboard.bench.Machine;
import dev.switchboard.bench.Profile;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Where processor time goes on the way of a message, by Java's flight recorder: a contender under one load in a process
 * of its own. One thread uses it.
 */
final class HotPath {
    private static final int WARM_UP_MS = 4_000;
    private static final int RECORD_SECONDS = 8;
    /** The load goes on for longer than the recording, whose start and end take time. */
    private static final int LOAD_MS = RECORD_SECONDS * 1000 + 8_000;

    private HotPath() {}

    /** Profiles each contender under each load and gives the result as Markdown. */
    static String of(List<String> contenders, List<Load> loads, TrialProcess.Order like)
            throws IOException, InterruptedException {
        StringBuilder text = new StringBuilder("""
                # Where the time of a message goes

                Samples of running threads by Java's flight recorder, which sees no kernel: a wake-up or a sleep shows as
                the native method that asks for it. Recorded for %d s each, in a process for each.

                Machine: %s.

                ```
                ./switchboard bench dispatch --profile
                ```
                """.formatted(RECORD_SECONDS, Machine.description()));
        for (String contender : contenders) {
            for (Load load : loads) {
                text.append("\n## ")
                        .append(contender)
                        .append(", ")
                        .append(load.name())
                        .append('\n');
                text.append(ofOne(contender, load, like));
            }
        }
        return text.toString();
    }

    private static String ofOne(String contender, Load load, TrialProcess.Order like)
            throws IOException, InterruptedException {
        Process process = TrialProcess.start(new TrialProcess.Order(
                contender,
                List.of(load),
                like.workers(),
                like.steadyWorkers(),
                WARM_UP_MS,
                like.settleMs(),
                LOAD_MS,
                like.workBytes()));
        Thread ender = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(ender);
        try {
            // The process says nothing before its result; by then its load would be over.
            boolean unused = new CountDownLatch(1).await(WARM_UP_MS + 3_000 + like.settleMs(), TimeUnit.MILLISECONDS);
            return Profile.record(process.pid(), RECORD_SECONDS);
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(ender);
        }
    }
}
