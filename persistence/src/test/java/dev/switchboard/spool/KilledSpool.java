package dev.switchboard.spool;

import dev.switchboard.ports.Spool;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The process that {@link SpoolKillTest} kills: keeps posts without end, and says each as soon as it is forced. */
public final class KilledSpool {
    private static final int AT_ONCE = 20;

    private KilledSpool() {}

    /** Takes the folder and a word that makes this run's posts its own. */
    public static void main(String[] args) {
        Spool spool = MvSpool.open(Path.of(args[0]), new SpoolLimits(1L << 30, Duration.ofHours(1)), Clock.systemUTC());
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        for (int round = 0; ; round++) {
            List<Spool.Keeping> under = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                String id = args[1] + "-" + (round * AT_ONCE + i);
                under.add(spool.keep(Posts.of("carol", id, "text of " + id)).orElseThrow());
            }
            for (int i = 0; i < AT_ONCE; i++) {
                under.get(i).forced().toCompletableFuture().join();
                out.println("kept " + args[1] + "-" + (round * AT_ONCE + i));
                if (i % 4 == 3) {
                    spool.accepted(under.get(i - 3).number());
                }
            }
        }
    }
}
