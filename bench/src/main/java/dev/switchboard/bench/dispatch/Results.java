package dev.switchboard.bench.dispatch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All results so far, each also a line of a file as soon as it is there, so that a measurement can be taken in several
 * runs. One thread uses it.
 */
final class Results {
    private static final String REMARK = "# ";

    private final Path file;
    private final List<Result> all = new ArrayList<>();
    private final List<String> commands = new ArrayList<>();

    private Results(Path file) {
        this.file = file;
    }

    /** Begins with what the file holds, or anew. */
    static Results in(Path file, boolean keep) throws IOException {
        Results results = new Results(file);
        if (keep && Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(REMARK)) {
                    results.commands.add(line.substring(REMARK.length()));
                } else if (!line.equals(Result.COLUMNS)) {
                    results.all.add(Result.parse(line));
                }
            }
        } else {
            if (file.getParent() != null) {
                Files.createDirectories(file.getParent());
            }
            Files.writeString(file, Result.COLUMNS + "\n");
        }
        return results;
    }

    /** Notes the command that the following results come from. */
    void begin(String command) throws IOException {
        if (!commands.contains(command)) {
            commands.add(command);
            append(REMARK + command);
        }
    }

    void add(Result result) throws IOException {
        all.add(result);
        append(result.toLine());
    }

    /** The commands that made them, in order. */
    List<String> commands() {
        return List.copyOf(commands);
    }

    List<Result> all() {
        return List.copyOf(all);
    }

    /** The number of the round after the last. */
    int nextRound() {
        return all.stream().mapToInt(Result::round).max().orElse(0) + 1;
    }

    /** The medians over the rounds. */
    Table medians() {
        return Table.of(all);
    }

    private void append(String line) throws IOException {
        Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
    }

    /** A contender under a load with that many workers. */
    record Cell(String load, int workers, String contender) {}

    /** Medians by load, workers and contender, in the order of the default run. Immutable. */
    record Table(Map<Cell, Measured> medians, Map<Cell, Integer> rounds) {
        static Table of(List<Result> results) {
            Map<Cell, List<Measured>> byCell = results.stream()
                    .collect(Collectors.groupingBy(
                            result -> new Cell(result.load(), result.workers(), result.contender()),
                            LinkedHashMap::new,
                            Collectors.mapping(Result::measured, Collectors.toList())));
            Map<Cell, Measured> medians = new LinkedHashMap<>();
            Map<Cell, Integer> rounds = new LinkedHashMap<>();
            ordered(byCell.keySet().stream()).forEach(cell -> {
                medians.put(cell, Measured.median(byCell.get(cell)));
                rounds.put(cell, byCell.get(cell).size());
            });
            return new Table(medians, rounds);
        }

        private static Stream<Cell> ordered(Stream<Cell> cells) {
            List<String> loads = Load.ALL.stream().map(Load::name).toList();
            List<String> contenders = Contenders.names();
            return cells.sorted(java.util.Comparator.comparingInt((Cell cell) -> place(loads, cell.load()))
                    .thenComparing(Cell::load)
                    .thenComparingInt(Cell::workers)
                    .thenComparingInt(cell -> place(contenders, cell.contender())));
        }

        private static int place(List<String> names, String name) {
            int at = names.indexOf(name);
            return at < 0 ? names.size() : at;
        }
    }
}
