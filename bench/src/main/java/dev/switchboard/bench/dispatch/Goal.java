package dev.switchboard.bench.dispatch;

/**
 * One goal and what was measured of it. Immutable.
 *
 * @param what the goal in words
 * @param measured the figure that decides, as text
 * @param from what the figure was made of
 * @param limit the bound, as text
 * @param outcome whether it holds
 */
record Goal(String what, String measured, String from, String limit, Outcome outcome) {
    enum Outcome {
        REACHED("reached"),
        MISSED("**missed**"),
        NOT_MEASURED("not measured");

        final String text;

        Outcome(String text) {
            this.text = text;
        }

        static Outcome of(boolean holds) {
            return holds ? REACHED : MISSED;
        }
    }

    static Goal notMeasured(String what, String limit) {
        return new Goal(what, "", "", limit, Outcome.NOT_MEASURED);
    }
}
