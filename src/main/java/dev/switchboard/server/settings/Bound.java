package dev.switchboard.server.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigMemorySize;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a setting may be, as the last line of its comment in a {@code reference.conf} says. Immutable and thread-safe.
 *
 * <pre>
 * # &#64;bounds 1s..1h          a duration with a unit
 * # &#64;bounds 1KiB..16MiB     a size with a unit
 * # &#64;bounds 1..100000       a whole number
 * # &#64;bounds 0.0..1.0        a number
 * # &#64;one-of manual|auto     one of these words
 * # &#64;flag   # &#64;text   # &#64;list   # &#64;map
 * # &#64;internal             anything; not for operators, and so on no page
 * </pre>
 */
public sealed interface Bound {
    /** Empty when the value is allowed; else what is wrong with it, to be put after the key and the value. */
    Optional<String> objection(ConfigValue value);

    /** What is allowed, in words for a person. */
    String allowed();

    /** Reads the annotation. Throws IllegalArgumentException when it is none of the forms above. */
    static Bound parse(String annotation) {
        String text = annotation.strip();
        int space = text.indexOf(' ');
        String form = space < 0 ? text : text.substring(0, space);
        String rest = space < 0 ? "" : text.substring(space + 1).strip();
        return switch (form) {
            case "@bounds" -> Range.parse(rest);
            case "@one-of" -> new OneOf(List.of(rest.split("\\|")));
            case "@flag" -> new Flag();
            case "@text" -> new Text();
            case "@list" -> new Listing();
            case "@map" -> new FreeMap();
            case "@internal" -> new Internal();
            default -> throw new IllegalArgumentException("not a bound: " + annotation);
        };
    }

    /** The ends of a range, both included, and how its values are read. */
    record Range(Kind kind, double low, double high, String lowText, String highText) implements Bound {
        /** The kinds of quantity that a range can be of. */
        enum Kind {
            DURATION("a duration", "a duration with a unit, such as 500ms, 10s or 5m"),
            SIZE("a size", "a size with a unit, such as 64KiB or 4MiB"),
            WHOLE_NUMBER("a whole number", "a whole number"),
            NUMBER("a number", "a number");

            private final String label;
            private final String demand;

            Kind(String label, String demand) {
                this.label = label;
                this.demand = demand;
            }
        }

        private static final Pattern ENDS = Pattern.compile("(\\S+?)\\s*\\.\\.\\s*(\\S+)");
        private static final Pattern WHOLE = Pattern.compile("[+-]?\\d+");
        private static final Pattern DECIMAL = Pattern.compile("[+-]?\\d*\\.?\\d+([eE][+-]?\\d+)?");
        private static final Pattern WITH_UNIT = Pattern.compile("[+-]?\\d*\\.?\\d+\\s*[a-zA-Zµ]+");

        static Range parse(String text) {
            Matcher ends = ENDS.matcher(text);
            if (!ends.matches()) {
                throw new IllegalArgumentException("not a range: " + text);
            }
            String low = ends.group(1);
            String high = ends.group(2);
            for (Kind kind : List.of(Kind.WHOLE_NUMBER, Kind.NUMBER, Kind.DURATION, Kind.SIZE)) {
                Optional<Double> lowest = read(kind, low);
                Optional<Double> highest = read(kind, high);
                if (lowest.isPresent() && highest.isPresent()) {
                    return new Range(kind, lowest.get(), highest.get(), low, high);
                }
            }
            throw new IllegalArgumentException("not a range: " + text);
        }

        @Override
        public Optional<String> objection(ConfigValue value) {
            if (value.valueType() != ConfigValueType.NUMBER && value.valueType() != ConfigValueType.STRING) {
                return Optional.of("is not " + kind.demand);
            }
            Optional<Double> read = read(kind, String.valueOf(value.unwrapped()));
            if (read.isEmpty()) {
                return Optional.of("is not " + kind.demand);
            }
            return read.get() < low || read.get() > high ? Optional.of("is out of range") : Optional.empty();
        }

        @Override
        public String allowed() {
            return kind.label + " from " + lowText + " to " + highText;
        }

        private static Optional<Double> read(Kind kind, String raw) {
            String text = raw.strip();
            try {
                return switch (kind) {
                    case WHOLE_NUMBER ->
                        WHOLE.matcher(text).matches() ? Optional.of((double) Long.parseLong(text)) : Optional.empty();
                    case NUMBER ->
                        DECIMAL.matcher(text).matches() ? Optional.of(Double.parseDouble(text)) : Optional.empty();
                    case DURATION ->
                        WITH_UNIT.matcher(text).matches()
                                ? Optional.of(
                                        (double) single(text).getDuration("v").toNanos())
                                : Optional.empty();
                    case SIZE ->
                        WITH_UNIT.matcher(text).matches()
                                ? Optional.of(size(text).toBytesBigInteger().doubleValue())
                                : Optional.empty();
                };
            } catch (ConfigException | ArithmeticException | NumberFormatException e) {
                return Optional.empty();
            }
        }

        private static ConfigMemorySize size(String text) {
            return single(text).getMemorySize("v");
        }

        private static Config single(String text) {
            return ConfigFactory.parseMap(Map.of("v", text));
        }
    }

    /** One of some words. */
    record OneOf(List<String> words) implements Bound {
        public OneOf {
            words = List.copyOf(words);
        }

        @Override
        public Optional<String> objection(ConfigValue value) {
            String text = String.valueOf(value.unwrapped());
            boolean scalar = value.valueType() == ConfigValueType.STRING
                    || value.valueType() == ConfigValueType.NUMBER
                    || value.valueType() == ConfigValueType.BOOLEAN;
            return scalar && words.contains(text) ? Optional.empty() : Optional.of("is not known");
        }

        @Override
        public String allowed() {
            return "one of " + String.join(", ", words);
        }
    }

    /** Yes or no. */
    record Flag() implements Bound {
        private static final List<String> WORDS = List.of("true", "false", "on", "off", "yes", "no");

        @Override
        public Optional<String> objection(ConfigValue value) {
            boolean fits = value.valueType() == ConfigValueType.BOOLEAN
                    || WORDS.contains(String.valueOf(value.unwrapped()).toLowerCase(Locale.ROOT));
            return fits ? Optional.empty() : Optional.of("is neither true nor false");
        }

        @Override
        public String allowed() {
            return "true or false";
        }
    }

    /** Any text, also empty. */
    record Text() implements Bound {
        @Override
        public Optional<String> objection(ConfigValue value) {
            return switch (value.valueType()) {
                case STRING, NUMBER, BOOLEAN -> Optional.empty();
                default -> Optional.of("is not a text");
            };
        }

        @Override
        public String allowed() {
            return "a text";
        }
    }

    /** A list; where an environment variable sets it, separated by commas. */
    record Listing() implements Bound {
        @Override
        public Optional<String> objection(ConfigValue value) {
            return switch (value.valueType()) {
                case LIST, STRING -> Optional.empty();
                default -> Optional.of("is not a list");
            };
        }

        @Override
        public String allowed() {
            return "a list, such as [\"a\", \"b\"]";
        }

        /** The same list, written as a list: {@code "a, b"} becomes {@code ["a", "b"]}. */
        static List<String> split(String text) {
            return Arrays.stream(text.split(","))
                    .map(String::strip)
                    .filter(s -> !s.isEmpty())
                    .toList();
        }
    }

    /** An object whose keys the operator chooses; what is in it is checked by the part that reads it. */
    record FreeMap() implements Bound {
        @Override
        public Optional<String> objection(ConfigValue value) {
            return value.valueType() == ConfigValueType.OBJECT ? Optional.empty() : Optional.of("is not an object");
        }

        @Override
        public String allowed() {
            return "an object, such as { name { … } }";
        }
    }

    /** What the parts of the program tell each other by settings. */
    record Internal() implements Bound {
        @Override
        public Optional<String> objection(ConfigValue value) {
            return Optional.empty();
        }

        @Override
        public String allowed() {
            return "anything";
        }
    }
}
