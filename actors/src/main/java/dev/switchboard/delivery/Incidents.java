package dev.switchboard.delivery;

import dev.switchboard.ports.Unreadable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Extension;
import org.apache.pekko.actor.typed.ExtensionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node could not read of its conversations and desks. Thread-safe. Each incident is one line of the log,
 * however often it is met again, until {@link #REMIND_AFTER} has passed; its id follows from what is wrong, so every
 * node and every restart gives the same fault the same id. Bounded: the incidents met longest ago are forgotten first,
 * and then only told anew.
 */
public final class Incidents implements Extension {
    /** How long an incident that goes on isn't told again. */
    static final Duration REMIND_AFTER = Duration.ofHours(1);

    /** How many incidents are remembered. */
    static final int MAX_KNOWN = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Incidents.class);
    private static final Id ID = new Id();
    private static final Duration FIRST_RETRY = Duration.ofSeconds(2);
    private static final Duration LAST_RETRY = Duration.ofMinutes(1);
    private static final int ID_BYTES = 6;

    /**
     * One thing that can't be read.
     *
     * @param id what users are told and the log says
     * @param retryAfter after how long it may be read again, in case it was mended
     */
    record Incident(String id, Duration retryAfter) {}

    private static final class Known {
        private String id;
        private int reads;
        private long toldNanos;
    }

    private final Map<String, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    private Incidents() {}

    /** The incidents of that node. */
    static Incidents of(ActorSystem<?> system) {
        return system.registerExtension(ID);
    }

    /** How many conversations and desks could not be read when they were last needed. For figures. */
    public synchronized int open() {
        return known.size();
    }

    /** It can't be read; told to the log if that is new. */
    Incident met(Unreadable damage) {
        String id = idOf(damage);
        long now = System.nanoTime();
        int reads;
        boolean tell;
        synchronized (this) {
            Known before = known.computeIfAbsent(damage.persistenceId(), unused -> new Known());
            boolean same = id.equals(before.id);
            tell = !same || now - before.toldNanos >= REMIND_AFTER.toNanos();
            before.id = id;
            before.reads = same ? before.reads + 1 : 1;
            before.toldNanos = tell ? now : before.toldNanos;
            reads = before.reads;
        }
        if (tell) {
            LOG.error(
                    "Incident {}: {} can't be read, at sequence number {}: {}",
                    id,
                    damage.persistenceId(),
                    damage.sequenceNr(),
                    damage.reason());
        }
        long doubled = FIRST_RETRY.toNanos() << Math.min(10, reads - 1);
        return new Incident(id, Duration.ofNanos(Math.min(doubled, LAST_RETRY.toNanos())));
    }

    /** It was read. */
    void readable(String persistenceId) {
        Known ended;
        synchronized (this) {
            ended = known.remove(persistenceId);
        }
        if (ended != null) {
            LOG.info(
                    "Incident {} has ended after {} s: {} can be read",
                    ended.id,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - ended.toldNanos),
                    persistenceId);
        }
    }

    private static String idOf(Unreadable damage) {
        String what = damage.persistenceId() + '\n' + damage.sequenceNr() + '\n' + damage.reason();
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(what.getBytes(StandardCharsets.UTF_8));
            return "u-" + HexFormat.of().formatHex(digest, 0, ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static final class Id extends ExtensionId<Incidents> {
        @Override
        public Incidents createExtension(ActorSystem<?> system) {
            return new Incidents();
        }
    }
}
