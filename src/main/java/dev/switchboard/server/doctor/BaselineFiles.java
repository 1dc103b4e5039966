package dev.switchboard.server.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Baselines as JSON files, one each, in one folder. Thread-safe; a file appears whole or not at all. */
final class BaselineFiles {
    /** Grows when a file of before can't be read as it stands. */
    private static final int FORM = 1;

    private static final String ENDING = ".json";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path folder;

    BaselineFiles(Path folder) {
        this.folder = folder;
    }

    /** Throws {@link IllegalArgumentException} for a name that is no safe file name. */
    Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a baseline's name has up to 64 letters, digits, dots, dashes and underscores: " + name);
        }
        return folder.resolve(name + ENDING);
    }

    static void write(Path file, Baseline baseline) {
        try {
            Path whole = file.toAbsolutePath();
            Files.createDirectories(whole.getParent());
            Path draft = Files.createTempFile(whole.getParent(), ".baseline", ".tmp");
            Files.writeString(draft, json(baseline).toPrettyString() + "\n");
            Files.move(draft, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the baseline can't be written to " + file + ": " + e.getMessage(), e);
        }
    }

    /** Throws {@link IllegalArgumentException} when it isn't the file of a baseline that this version can read. */
    static Baseline read(Path file) {
        try {
            return baseline(MAPPER.readTree(Files.readString(file)), file);
        } catch (JsonProcessingException | DateTimeParseException e) {
            throw new IllegalArgumentException(file + " is no baseline: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("there is no baseline that can be read at " + file, e);
        }
    }

    /** The baselines of a program in the folder; those that can't be read are left out. */
    List<Baseline> ofProgram(String program) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<Baseline> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(ENDING)).sorted().toList()) {
                readable(file).filter(b -> b.program().equals(program)).ifPresent(found::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static Optional<Baseline> readable(Path file) {
        try {
            return Optional.of(read(file));
        } catch (IllegalArgumentException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    /** Of the program's baselines the one whose load was nearest, by the cores it used; empty when there is none. */
    Optional<Baseline> nearest(Window window) {
        double used = Math.max(0.01, window.coresUsed());
        return ofProgram(window.target().program()).stream()
                .filter(b -> b.measures().containsKey(Measure.CORES_USED))
                .min(Comparator.comparingDouble(b -> Math.abs(Math.log(used
                        / Math.max(0.01, b.measures().get(Measure.CORES_USED).mean())))));
    }

    private static ObjectNode json(Baseline baseline) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("form", FORM);
        root.put("name", baseline.name());
        root.put("program", baseline.program());
        root.put("startedAt", baseline.savedAt().toString());
        root.put("seconds", baseline.seconds());
        root.put("looks", baseline.looks());
        root.put("cores", baseline.cores());
        ObjectNode measures = root.putObject("measures");
        for (Measure measure : Measure.values()) {
            Baseline.Spread spread = baseline.measures().get(measure);
            if (spread != null) {
                measures.set(measure.wireName(), spread(spread));
            }
        }
        return root;
    }

    static ObjectNode spread(Baseline.Spread spread) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("mean", spread.mean());
        node.put("deviation", spread.deviation());
        node.put("least", spread.least());
        node.put("most", spread.most());
        return node;
    }

    private static Baseline baseline(JsonNode root, Path file) {
        int form = root.path("form").asInt();
        if (form != FORM) {
            throw new IllegalArgumentException(
                    file + " is no baseline of form " + FORM + " but of " + root.path("form"));
        }
        Map<Measure, Baseline.Spread> measures = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            JsonNode node = root.path("measures").path(measure.wireName());
            if (node.isObject()) {
                measures.put(
                        measure,
                        new Baseline.Spread(
                                node.path("mean").asDouble(),
                                node.path("deviation").asDouble(),
                                node.path("least").asDouble(),
                                node.path("most").asDouble()));
            }
        }
        return new Baseline(
                root.path("name").asText(),
                root.path("program").asText(),
                Instant.parse(root.path("startedAt").asText()),
                root.path("seconds").asDouble(),
                root.path("looks").asInt(),
                root.path("cores").asInt(),
                measures);
    }
}
