package dev.switchboard.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Data folders that are thrown away. Stateless and thread-safe. */
final class TemporaryFolder {
    private TemporaryFolder() {}

    /** A new, empty folder. Throws StartFailure when there can be none. */
    static Path make(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new StartFailure("a temporary folder can't be made: " + e.getMessage(), e);
        }
    }

    /** Deletes the folder and all that is in it. */
    static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
