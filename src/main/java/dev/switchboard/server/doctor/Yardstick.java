package dev.switchboard.server.doctor;

/**
 * Says whether a window's figure is out of the ordinary: against a baseline of the same load where there is one, else by
 * rules of thumb. Immutable.
 */
sealed interface Yardstick permits Yardstick.RulesOfThumb, Baseline {
    /** Whether the window's figure is beyond what is ordinary, in the direction that is worse. */
    boolean beyond(Measure measure, Window window);

    /** What was held against the figure, such as "ordinary: up to 1000". */
    String words(Measure measure, Window window);

    /**
     * Rules of thumb, each per core where that makes sense. They stand on what a switch costs: about 2 to 5 µs by itself,
     * and from nothing to more than 1 ms for the caches that it empties (Li, Ding and Shen, "Quantifying the cost of context
     * switch", ExpCS 2007). A thread that runs 100 µs at a time loses several per cent to that; at 500 switches a second
     * on each core the direct cost is below a quarter of a per cent, and nobody need look.
     */
    record RulesOfThumb() implements Yardstick {
        private static final double SWITCHES_OF_CORE = 500;
        private static final double INVOLUNTARY_OF_CORE = 50;
        private static final double SWITCHES_OF_THREAD = 1000;
        static final double SHORT_RUN_US = 100;
        private static final double READY_OF_CORE = 2;
        private static final double ACTIVE_OF_CORE = 8;

        @Override
        public boolean beyond(Measure measure, Window window) {
            double value = measure.of(window);
            double limit = limit(measure, window.cores());
            return measure.moreIsWorse() ? value >= limit : value <= limit;
        }

        @Override
        public String words(Measure measure, Window window) {
            return "rule of thumb: %s %.0f"
                    .formatted(measure.moreIsWorse() ? "look from" : "look below", limit(measure, window.cores()));
        }

        private static double limit(Measure measure, int cores) {
            return switch (measure) {
                case SWITCHES, VOLUNTARY -> SWITCHES_OF_CORE * cores;
                case INVOLUNTARY -> INVOLUNTARY_OF_CORE * cores;
                case BUSIEST_THREAD -> SWITCHES_OF_THREAD;
                case RUN_US -> SHORT_RUN_US;
                // Used cores are nothing to look at by themselves, and who waits for one may wait because of others.
                case CORES_USED, WAITING -> Double.POSITIVE_INFINITY;
                case READY -> READY_OF_CORE * cores;
                case ACTIVE_THREADS -> ACTIVE_OF_CORE * cores;
            };
        }
    }
}
