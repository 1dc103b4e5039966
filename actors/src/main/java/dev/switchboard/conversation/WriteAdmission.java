package dev.switchboard.conversation;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Extension;
import org.apache.pekko.actor.typed.ExtensionId;

/**
 * How many persistent actors of this node may write at once. Thread-safe and lock-free; never waits.
 *
 * <p>An actor holds a {@link WritePermit} from before it persists until the journal has answered. What people ask for is
 * refused with {@code overload} once {@code at-once} actors write; steps between actors, deadlines and watermarks have
 * {@code head-room} beyond that, so that no flood of requests can starve them, and past it they wait and try again. The
 * journal's queue takes at least as many writes as there are permits, so a write that was begun always finds room there.
 */
public final class WriteAdmission implements Extension {
    private static final Id ID = new Id();

    /** Who wants to write. */
    public enum Share {
        /** Somebody waits for the answer, and can ask again. */
        REQUESTS,
        /** The node itself: a step of another actor, a deadline, watermarks. */
        STEPS
    }

    /** Why a request was refused, or a step had to wait. */
    public enum Reason {
        /** As many actors write as may. */
        WRITES_AT_ONCE("writes-at-once"),
        /** As many requests wait for the one actor as may. */
        WAITING_FOR_ONE("waiting-for-one"),
        /** The journal failed the write, which may have got through. */
        NOT_WRITTEN("not-written"),
        /** The actor couldn't be recovered from the journal and tries again. */
        NOT_RECOVERED("not-recovered");

        private final String wireName;

        Reason(String wireName) {
            this.wireName = wireName;
        }

        /** The name in figures. */
        public String wireName() {
            return wireName;
        }
    }

    private final int atOnce;
    private final int headRoom;
    private final int waitingForOne;
    private final Duration retryAfter;
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger mostHeld = new AtomicInteger();
    private final Map<Reason, LongAdder> refused = new EnumMap<>(Reason.class);
    private final LongAdder stepsPutOff = new LongAdder();

    /** Reads {@code switchboard.writes}. */
    public WriteAdmission(Config config) {
        this(
                config.getInt("at-once"),
                config.getInt("head-room"),
                config.getInt("waiting-for-one"),
                config.getDuration("retry-after"));
    }

    WriteAdmission(int atOnce, int headRoom, int waitingForOne, Duration retryAfter) {
        this.atOnce = atOnce;
        this.headRoom = headRoom;
        this.waitingForOne = waitingForOne;
        this.retryAfter = retryAfter;
        for (Reason reason : Reason.values()) {
            refused.put(reason, new LongAdder());
        }
    }

    /** The admission of that actor system. */
    public static WriteAdmission of(ActorSystem<?> system) {
        return ID.apply(system);
    }

    /** Takes a permit if there is room for that share. */
    boolean enter(Share share) {
        int bound = share == Share.REQUESTS ? atOnce : limit();
        int now = held.get();
        while (now < bound) {
            if (held.compareAndSet(now, now + 1)) {
                if (now + 1 > mostHeld.get()) {
                    mostHeld.accumulateAndGet(now + 1, Math::max);
                }
                return true;
            }
            now = held.get();
        }
        return false;
    }

    /** Gives back a permit that was taken. */
    void leave() {
        held.decrementAndGet();
    }

    /** Counts a refusal and says it; the hint is spread, so that those who were refused don't come back together. */
    Refusal refuse(Reason reason) {
        refused.get(reason).increment();
        long hint = retryAfter.toMillis();
        Duration spread = Duration.ofMillis(hint + ThreadLocalRandom.current().nextLong(hint + 1));
        return switch (reason) {
            case WRITES_AT_ONCE ->
                Refusal.of(ErrorCode.OVERLOAD, "Too many conversations write at once; send it again.")
                        .retryAfter(spread);
            case WAITING_FOR_ONE ->
                Refusal.of(ErrorCode.OVERLOAD, "Too many requests wait for this conversation; send it again.")
                        .retryAfter(spread);
            case NOT_WRITTEN ->
                Refusal.of(
                                ErrorCode.JOURNAL_UNAVAILABLE,
                                "The journal can't be written now; send it again with the same id.")
                        .retryAfter(spread);
            case NOT_RECOVERED ->
                Refusal.of(ErrorCode.JOURNAL_UNAVAILABLE, "The journal can't be read now; send it again.")
                        .retryAfter(spread);
        };
    }

    /** Counts a step that found no room and tries again later; after how long. */
    Duration putOff() {
        stepsPutOff.increment();
        return Duration.ofMillis(100 + ThreadLocalRandom.current().nextLong(100));
    }

    /** How many commands may wait for one actor. */
    int waitingForOne() {
        return waitingForOne;
    }

    /** How many actors may write at once in all. */
    public int limit() {
        return atOnce + headRoom;
    }

    /** How many actors write now. */
    public int held() {
        return held.get();
    }

    /** How many wrote at once at most since the start. */
    public int mostHeld() {
        return mostHeld.get();
    }

    /** How many requests were refused for that reason since the start. */
    public long refused(Reason reason) {
        return refused.get(reason).sum();
    }

    /** How often a step had to wait since the start. */
    public long stepsPutOff() {
        return stepsPutOff.sum();
    }

    private static final class Id extends ExtensionId<WriteAdmission> {
        @Override
        public WriteAdmission createExtension(ActorSystem<?> system) {
            return new WriteAdmission(system.settings().config().getConfig("switchboard.writes"));
        }
    }
}
