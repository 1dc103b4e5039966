package dev.switchboard.bench.dispatch;

import java.util.List;
import java.util.Locale;

/** The loads that can be asked for, by name: {@code idle}, {@code steady-RATE}, {@code bursts-RATE}, {@code flood}. */
sealed interface Load {
    /** The time from burst to burst. */
    long BURST_PERIOD_NS = 260_000;

    /** So many messages at most are on their way in a flood; the producer waits for a quarter of them to be handled. */
    int FLOOD_IN_FLIGHT = 16_384;

    /** The default run, in its order. */
    List<Load> ALL = List.of(
            new Idle(),
            new Steady(10_000),
            new Steady(50_000),
            new Steady(100_000),
            new Bursts(10_000),
            new Bursts(50_000),
            new Bursts(100_000),
            new Flood());

    /** The name by which it is asked for and reported. */
    String name();

    /** Nothing is sent. */
    record Idle() implements Load {
        @Override
        public String name() {
            return "idle";
        }
    }

    /** One message each {@code 1 s / rate}. */
    record Steady(int rate) implements Load {
        @Override
        public String name() {
            return "steady-" + rate;
        }
    }

    /** Each 0.26 ms the messages that a steady load of that rate would have in that time, all intended at once. */
    record Bursts(int rate) implements Load {
        @Override
        public String name() {
            return "bursts-" + rate;
        }
    }

    /** As fast as it goes, with a bound on what is in flight. */
    record Flood() implements Load {
        @Override
        public String name() {
            return "flood";
        }
    }

    /**
     * Reads a name.
     *
     * @throws IllegalArgumentException that names the text and what is allowed
     */
    static Load parse(String text) {
        String name = text.toLowerCase(Locale.ROOT).strip();
        if (name.equals("idle")) {
            return new Idle();
        }
        if (name.equals("flood")) {
            return new Flood();
        }
        int dash = name.indexOf('-');
        String kind = dash < 0 ? "" : name.substring(0, dash);
        String digits = name.substring(dash + 1);
        if (digits.matches("[1-9][0-9]{0,6}")) {
            int rate = Integer.parseInt(digits);
            if (kind.equals("steady")) {
                return new Steady(rate);
            }
            if (kind.equals("bursts")) {
                return new Bursts(rate);
            }
        }
        throw new IllegalArgumentException(
                "load '" + text + "': allowed are idle, steady-RATE, bursts-RATE (messages per second) and flood");
    }
}
