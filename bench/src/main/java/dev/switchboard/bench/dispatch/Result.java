package dev.switchboard.bench.dispatch;

/**
 * One line of the raw file. Immutable.
 *
 * @param round from 1
 */
record Result(int round, String contender, String load, int workers, Measured measured) {
    static final String COLUMNS = "round\tcontender\tload\tworkers\t" + Measured.COLUMNS;
    private static final int BEFORE_FIGURES = 4;

    String toLine() {
        return round + "\t" + contender + "\t" + load + "\t" + workers + "\t" + measured.toLine();
    }

    /**
     * Reads what {@link #toLine} wrote.
     *
     * @throws IllegalArgumentException that names the line
     */
    static Result parse(String line) {
        String[] parts = line.split("\t", BEFORE_FIGURES + 1);
        if (parts.length <= BEFORE_FIGURES) {
            throw new IllegalArgumentException("not a line of results: " + line);
        }
        return new Result(
                Integer.parseInt(parts[0]),
                parts[1],
                Load.parse(parts[2]).name(),
                Integer.parseInt(parts[3]),
                Measured.parse(parts[BEFORE_FIGURES]));
    }
}
