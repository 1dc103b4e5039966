package dev.switchboard.dispatcher;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The block {@code affinity} of a dispatcher, with every default filled in. Immutable.
 *
 * @param profile see {@link Profile}
 * @param lanesMin how many lanes are always in use
 * @param lanesMax how many lanes may be in use
 * @param latencyBudgetNs by how much a message may start late, on average, because of how its lane waits
 * @param spinNs the longest spin step, for {@code custom} its length
 * @param yieldNs the longest yield step, for {@code custom} its length
 * @param napNs the longest nap, for {@code custom} its length
 * @param naps the most naps before parking, for {@code custom} their number
 * @param wakeUpCostNs what waking a parked lane takes; 0: measured at the start
 * @param growAt a backlog of that many messages takes another lane into use
 * @param shrinkBelow below a backlog of that many messages a lane may be given up
 * @param timerSlackNs by how much Linux may delay the end of a nap to join it with other timers; 0: as it is
 * @param sampleEvery the wait of every so manyth scheduling of a session is measured; a power of two
 * @param pin whether each lane is tied to a processor
 */
record AffinitySettings(
        Profile profile,
        int lanesMin,
        int lanesMax,
        long latencyBudgetNs,
        long spinNs,
        long yieldNs,
        long napNs,
        int naps,
        long wakeUpCostNs,
        int growAt,
        int shrinkBelow,
        long timerSlackNs,
        int sampleEvery,
        boolean pin) {
    /** Most lanes of one dispatcher. */
    static final int MOST_LANES = 1024;

    private static final String BLOCK = "affinity";
    private static final long SECOND_NS = 1_000_000_000L;
    private static final Set<String> KEYS = Set.of(
            "profile",
            "lanes-min",
            "lanes-max",
            "latency-budget",
            "spin",
            "yield",
            "nap",
            "naps",
            "wake-up-cost",
            "grow-at",
            "shrink-below",
            "timer-slack",
            "sample-every",
            "pin");

    /**
     * Reads a dispatcher's block. Throws ConfigException that names the key if one is unknown or its value can't be.
     *
     * @param dispatcher the dispatcher's block
     * @param processors how many processors there are
     */
    static AffinitySettings of(Config dispatcher, int processors) {
        Reader in = new Reader(dispatcher);
        for (String key : in.keys()) {
            if (!KEYS.contains(key)) {
                throw in.bad(key, "there is no such setting");
            }
        }
        Profile profile = in.profile();
        int lanesMin = in.integer("lanes-min", 1, 1, MOST_LANES);
        int lanesMax = in.integer("lanes-max", 0, 0, MOST_LANES);
        if (lanesMax == 0) {
            lanesMax = Math.max(lanesMin, Math.min(processors, MOST_LANES));
        }
        if (lanesMax < lanesMin) {
            throw in.bad("lanes-max", "must be at least lanes-min, which is " + lanesMin);
        }
        int sampleEvery = in.integer("sample-every", 64, 1, 1 << 20);
        if (Integer.bitCount(sampleEvery) != 1) {
            throw in.bad("sample-every", "must be a power of two");
        }
        long budget = in.nanos("latency-budget", 0, SECOND_NS);
        return new AffinitySettings(
                profile,
                lanesMin,
                lanesMax,
                budget == 0 ? profile.latencyBudgetNs : budget,
                in.nanos("spin", profile.spinNs, SECOND_NS),
                in.nanos("yield", profile.yieldNs, SECOND_NS),
                in.nanos("nap", profile.napNs, SECOND_NS),
                in.integer("naps", profile.naps, 0, 1_000_000),
                in.nanos("wake-up-cost", 0, SECOND_NS),
                in.integer("grow-at", 1000, 1, Integer.MAX_VALUE),
                in.integer("shrink-below", 50, 0, Integer.MAX_VALUE),
                in.nanos("timer-slack", 1_000, SECOND_NS),
                sampleEvery,
                in.flag("pin"));
    }

    /** Reads values and their bounds. */
    private record Reader(Config dispatcher) {
        Set<String> keys() {
            return dispatcher.hasPath(BLOCK) ? dispatcher.getObject(BLOCK).keySet() : Set.of();
        }

        private static String path(String key) {
            return BLOCK + "." + key;
        }

        Profile profile() {
            String name = dispatcher.hasPath(path("profile")) ? dispatcher.getString(path("profile")) : "balanced";
            return Arrays.stream(Profile.values())
                    .filter(p -> p.configName().equals(name))
                    .findFirst()
                    .orElseThrow(() -> bad("profile", "must be low-latency, balanced, efficient or custom"));
        }

        int integer(String key, int otherwise, int least, int most) {
            if (!dispatcher.hasPath(path(key))) {
                return otherwise;
            }
            int value = dispatcher.getInt(path(key));
            if (value < least || value > most) {
                throw bad(key, "must be from " + least + " to " + most);
            }
            return value;
        }

        long nanos(String key, long otherwise, long most) {
            if (!dispatcher.hasPath(path(key))) {
                return otherwise;
            }
            long value = dispatcher.getDuration(path(key), TimeUnit.NANOSECONDS);
            if (value < 0 || value > most) {
                throw bad(key, "must be from 0s to " + most / SECOND_NS + "s");
            }
            return value;
        }

        boolean flag(String key) {
            return dispatcher.hasPath(path(key)) && dispatcher.getBoolean(path(key));
        }

        ConfigException bad(String key, String why) {
            String value = dispatcher.getValue(path(key)).unwrapped().toString();
            return new ConfigException.BadValue(
                    dispatcher.origin(), path(key), "`" + value + "` is not allowed: " + why);
        }
    }
}
