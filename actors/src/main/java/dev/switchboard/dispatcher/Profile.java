package dev.switchboard.dispatcher;

import java.util.Locale;

/**
 * What waiting may cost and how long it may make a message late. Each adaptive profile gives the budget for lateness and
 * the longest steps that its lanes may choose; {@code custom} gives the steps themselves. All are settings too.
 */
enum Profile {
    /** Stays awake while traffic flows, on as many processors as {@link SpinSlots} leave to it. */
    LOW_LATENCY(5_000, 50_000, 1_000_000, 0, 0),
    /** Lets messages gather for up to the budget where that saves processor time. */
    BALANCED(50_000, 20_000, 0, 1_000_000, 2),
    /** As balanced, with a budget that keeps nearly all messages below a millisecond, also where naps end late. */
    EFFICIENT(300_000, 20_000, 0, 1_000_000, 2),
    /** The same ladder each time. */
    CUSTOM(50_000, 20_000, 20_000, 50_000, 10);

    /** By how much a message may start late, on average, because of how its lane waits. */
    final long latencyBudgetNs;

    /** The longest spin step. */
    final long spinNs;

    /** The longest yield step. */
    final long yieldNs;

    /** The longest nap. */
    final long napNs;

    /** The most naps before parking. */
    final int naps;

    Profile(long latencyBudgetNs, long spinNs, long yieldNs, long napNs, int naps) {
        this.latencyBudgetNs = latencyBudgetNs;
        this.spinNs = spinNs;
        this.yieldNs = yieldNs;
        this.napNs = napNs;
        this.naps = naps;
    }

    /** The profile's name in the configuration. */
    String configName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
