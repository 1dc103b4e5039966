package dev.switchboard.journal;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The process that {@link H2KillTest} kills: writes without end, and says each write on its standard output as soon as
 * the journal has acknowledged it.
 */
public final class KilledWriter {
    private static final int CONVERSATIONS = 20;

    private KilledWriter() {}

    /** Takes the database's URL, a number that makes this run's ids its own, and the pause between rounds in ms. */
    public static void main(String[] args) {
        TestJournal journal = new TestJournal(ConfigFactory.parseMap(Map.of(
                        "switchboard.database.url",
                        args[0],
                        "pekko.loglevel",
                        "ERROR",
                        "pekko.actor.provider",
                        "local"))
                .withFallback(ConfigFactory.load()));
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        out.println("started");
        for (long seq = 1; ; seq++) {
            List<TestJournal.Begun> begun = new ArrayList<>();
            for (int i = 0; i < CONVERSATIONS; i++) {
                begun.add(journal.begin(id(args[1], i), TestJournal.WRITER, seq, Samples.message("k", seq, "text")));
            }
            for (int i = 0; i < CONVERSATIONS; i++) {
                if (begun.get(i).outcome() instanceof Outcome.Written) {
                    out.println(id(args[1], i) + " " + seq);
                }
            }
            LockSupport.parkNanos(Long.parseLong(args[2]) * 1_000_000);
        }
    }

    private static String id(String run, int i) {
        return "conversation|c-kill-" + run + "-" + i;
    }
}
