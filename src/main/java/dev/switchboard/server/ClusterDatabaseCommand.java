package dev.switchboard.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Runs a PostgreSQL in a folder until its input ends, and says its URL in a file. A process of its own, so that a signal
 * to the nodes doesn't reach it before they have written their last.
 */
@Command(name = "cluster-database", hidden = true, description = "Run the database of `cluster`.")
final class ClusterDatabaseCommand implements Callable<Integer> {
    private static final String CONNECTIONS = "300";

    @Parameters(index = "0", description = "The folder of its data.")
    private Path folder;

    @Parameters(index = "1", description = "The file that is to hold its URL.")
    private Path urlFile;

    @Override
    public Integer call() throws IOException {
        // The program's own defaults turn durability off.
        try (EmbeddedPostgres database = EmbeddedPostgres.builder()
                .setDataDirectory(folder)
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", CONNECTIONS)
                .start()) {
            Path making = urlFile.resolveSibling(urlFile.getFileName() + ".new");
            Files.writeString(
                    making, database.getJdbcUrl("postgres", "postgres").replaceAll("\\?.*", ""));
            Files.move(making, urlFile);
            InputEnd.await();
        }
        return 0;
    }
}
