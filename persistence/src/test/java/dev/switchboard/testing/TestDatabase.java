package dev.switchboard.testing;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A fresh database for one test class, of either kind. Not thread-safe. */
public final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static EmbeddedPostgres postgres;

    private final String url;
    private final String user;
    private final Path folder;

    private TestDatabase(String url, String user, Path folder) {
        this.url = url;
        this.user = user;
        this.folder = folder;
    }

    /** In a file of a new temporary folder. */
    public static TestDatabase h2() {
        try {
            Path folder = Files.createTempDirectory("switchboard-test");
            return new TestDatabase("jdbc:h2:file:" + folder.resolve("switchboard"), "", folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new database of a server that all tests of this process share, durable as a deployment's. */
    public static TestDatabase postgresql() {
        String name = "test" + NUMBER.incrementAndGet();
        EmbeddedPostgres server = server();
        try (Connection connection = server.getPostgresDatabase().getConnection()) {
            connection.createStatement().execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new TestDatabase(server.getJdbcUrl("postgres", name).replaceAll("\\?.*", ""), "postgres", null);
    }

    /** The URL of a server of its own that doesn't sync; it ends with the process. */
    public static String unsafePostgresql() {
        return start("off").getJdbcUrl("postgres", "postgres").replaceAll("\\?.*", "");
    }

    private static synchronized EmbeddedPostgres server() {
        if (postgres == null) {
            postgres = start("on");
        }
        return postgres;
    }

    private static EmbeddedPostgres start(String fsync) {
        try {
            return EmbeddedPostgres.builder()
                    .setServerConfig("fsync", fsync)
                    .setServerConfig("synchronous_commit", "on")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        return url;
    }

    public boolean isH2() {
        return folder != null;
    }

    /** The whole configuration of an actor system on this database. */
    public Config config() {
        return config("");
    }

    /** The same with more settings before it. */
    public Config config(String more) {
        return ConfigFactory.parseString(more)
                .withFallback(ConfigFactory.parseMap(Map.of(
                        "switchboard.database.url", url,
                        "switchboard.database.user", user,
                        "pekko.loglevel", "WARNING",
                        "pekko.actor.provider", "local",
                        "pekko.jvm-exit-on-fatal-error", "off",
                        "pekko.coordinated-shutdown.run-by-jvm-shutdown-hook", "off")))
                .withFallback(ConfigFactory.load());
    }

    /** A connection of its own, beside the storage's. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(
                isH2() ? url + ";DATABASE_TO_UPPER=FALSE;DB_CLOSE_ON_EXIT=FALSE" : url, isH2() ? "sa" : user, "");
    }

    @Override
    public void close() {
        if (folder != null) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
