package dev.switchboard.bench.journal;

import dev.switchboard.bench.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Where contenders have a database each: of one PostgreSQL server, or files of one folder. Not thread-safe. */
sealed interface Store extends AutoCloseable {
    String title();

    /** A new, empty database: its URL without parameters. */
    String newDatabase(String name) throws SQLException;

    String user();

    /** The process that works for the database besides this one; −1 for none. */
    long pid();

    Connection connect(String url) throws SQLException;

    /** Empties tables, children first, and brings the database to rest, so that all begin alike. */
    void clear(String url, List<String> tables) throws SQLException;

    @Override
    void close() throws IOException;

    static Store of(String name) throws IOException {
        return name.equals("postgres") ? new Postgres() : new H2();
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** One server, with its own defaults: every commit is flushed to the disk. */
    final class Postgres implements Store {
        private final Database.Postgres server = new Database.Postgres();

        private Postgres() throws IOException {}

        @Override
        public String title() {
            return server.title();
        }

        private String url(String database) {
            Map<String, String> settings = server.settings();
            return settings.get("SWITCHBOARD_DB_URL").replaceAll("\\?.*", "").replaceAll("/[^/]*$", "/" + database);
        }

        @Override
        public String newDatabase(String name) throws SQLException {
            try (Connection connection = connect(url("postgres"))) {
                run(connection, "CREATE DATABASE " + name);
            }
            return url(name);
        }

        @Override
        public String user() {
            return "postgres";
        }

        @Override
        public long pid() {
            return server.pid();
        }

        @Override
        public Connection connect(String url) throws SQLException {
            return DriverManager.getConnection(url, "postgres", "postgres");
        }

        @Override
        public void clear(String url, List<String> tables) throws SQLException {
            try (Connection connection = connect(url)) {
                run(connection, "TRUNCATE " + String.join(", ", tables), "CHECKPOINT");
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    /** Files that only this process has open. */
    final class H2 implements Store {
        private final Path folder = Files.createTempDirectory("switchboard-bench");

        private H2() throws IOException {}

        @Override
        public String title() {
            return "H2, file";
        }

        @Override
        public String newDatabase(String name) {
            return "jdbc:h2:file:" + folder.resolve(name);
        }

        @Override
        public String user() {
            return "sa";
        }

        @Override
        public long pid() {
            return -1;
        }

        @Override
        public Connection connect(String url) throws SQLException {
            return DriverManager.getConnection(url + ";DATABASE_TO_UPPER=FALSE;DB_CLOSE_ON_EXIT=FALSE", "sa", "");
        }

        @Override
        public void clear(String url, List<String> tables) throws SQLException {
            try (Connection connection = connect(url)) {
                run(connection, "SET REFERENTIAL_INTEGRITY FALSE");
                for (String table : tables) {
                    run(connection, "TRUNCATE TABLE " + table);
                }
                run(connection, "SET REFERENTIAL_INTEGRITY TRUE", "CHECKPOINT");
            }
        }

        @Override
        public void close() {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
