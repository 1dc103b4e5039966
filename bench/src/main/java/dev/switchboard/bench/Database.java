package dev.switchboard.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.Map;

/** A database for a server under test. Not thread-safe. */
public sealed interface Database extends AutoCloseable {
    String title();

    /** The environment that makes the server use it. */
    Map<String, String> settings();

    /** The process whose time counts as the database's, or −1 when it works inside the server. */
    long pid();

    @Override
    void close() throws IOException;

    /** The embedded one, in a file. */
    record H2() implements Database {
        @Override
        public String title() {
            return "H2, file";
        }

        @Override
        public Map<String, String> settings() {
            return Map.of();
        }

        @Override
        public long pid() {
            return -1;
        }

        @Override
        public void close() {
            // The server's data folder holds it, and goes with it.
        }
    }

    /** A PostgreSQL of its own on this machine, with its defaults: every commit is flushed to the disk. */
    final class Postgres implements Database {
        private final EmbeddedPostgres running;
        private final long pid;

        public Postgres() throws IOException {
            // Zonky's own defaults turn durability off; what is measured must keep what it answered.
            running = EmbeddedPostgres.builder()
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    .setServerConfig("max_connections", "100")
                    .start();
            pid = ProcessHandle.allProcesses()
                    .filter(process -> process.info()
                            .arguments()
                            .map(Postgres::isPostmaster)
                            .orElse(false))
                    .mapToLong(ProcessHandle::pid)
                    .max()
                    .orElse(-1);
        }

        private static boolean isPostmaster(String[] arguments) {
            for (String argument : arguments) {
                if (argument.equals("-D")) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String title() {
            return "PostgreSQL, fsync on";
        }

        @Override
        public Map<String, String> settings() {
            return Map.of(
                    "SWITCHBOARD_DB_URL", running.getJdbcUrl("postgres", "postgres"),
                    "SWITCHBOARD_DB_USER", "postgres",
                    "SWITCHBOARD_DB_PASSWORD", "postgres");
        }

        @Override
        public long pid() {
            return pid;
        }

        @Override
        public void close() throws IOException {
            running.close();
        }
    }
}
