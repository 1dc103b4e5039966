package dev.switchboard.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.switchboard.testing.Stages;
import dev.switchboard.testing.TestCertificate;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL that takes TLS and a password only, by the operator's settings alone. */
class PostgresTlsTest {
    private static final String PASSWORD = "a secret & more";

    @TempDir
    static Path folder;

    private static EmbeddedPostgres server;
    private static TestCertificate right;
    private static TestCertificate other;

    @BeforeAll
    static void start() throws Exception {
        right = TestCertificate.of("localhost", folder);
        other = TestCertificate.of("elsewhere.example", folder);
        Path data = folder.resolve("data");
        server = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(true)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("ssl", "on")
                .setServerConfig("ssl_cert_file", right.certificate().toString())
                .setServerConfig("ssl_key_file", right.key().toString())
                .setServerConfig("password_encryption", "scram-sha-256")
                .start();
        try (Connection connection = server.getPostgresDatabase().getConnection()) {
            connection.createStatement().execute("CREATE ROLE switchboard LOGIN PASSWORD '" + PASSWORD + "'");
            connection.createStatement().execute("CREATE DATABASE hall OWNER switchboard");
            Files.writeString(data.resolve("pg_hba.conf"), """
                    local all postgres trust
                    hostnossl all postgres 127.0.0.1/32 trust
                    hostssl all switchboard all scram-sha-256
                    """);
            connection.createStatement().execute("SELECT pg_reload_conf()");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static Config config(String parameters, String password) {
        return ConfigFactory.parseString("switchboard.database { start-wait = 60s, connect-timeout = 20s }")
                .withValue(
                        "switchboard.database.url",
                        ConfigValueFactory.fromAnyRef(
                                "jdbc:postgresql://localhost:" + server.getPort() + "/hall" + parameters))
                .withValue("switchboard.database.user", ConfigValueFactory.fromAnyRef("switchboard"))
                .withValue("switchboard.database.password", ConfigValueFactory.fromAnyRef(password))
                .withFallback(ConfigFactory.load());
    }

    private static String verifying(Path root) {
        return "?sslmode=verify-full&sslrootcert=" + root;
    }

    @Test
    void shouldSpeakTlsOnEveryConnectionWhenTheUrlSaysSo() throws Exception {
        try (SqlStorage storage = SqlStorage.open(config(verifying(right.certificate()), PASSWORD))) {
            assertTrue(Stages.get(storage.ping()));
            try (Connection write = storage.writePool().getConnection();
                    Connection recovery = storage.recoveryPool().getConnection();
                    Connection postgres = server.getPostgresDatabase().getConnection()) {
                assertFalse(write.isClosed() || recovery.isClosed());
                try (ResultSet row = postgres.createStatement()
                        .executeQuery("SELECT count(*), count(*) FILTER (WHERE s.ssl) FROM pg_stat_activity a"
                                + " JOIN pg_stat_ssl s USING (pid) WHERE a.usename = 'switchboard'")) {
                    row.next();
                    assertTrue(row.getInt(1) >= 3, "a connection of each pool");
                    assertEquals(row.getInt(1), row.getInt(2));
                }
            }
        }
    }

    @Test
    void shouldRefuseACertificateItDoesNotTrustAtOnceAndInOneLine() {
        assertRefused(
                config(verifying(other.certificate()), PASSWORD),
                " doesn't show a certificate that is trusted: SSL error: PKIX path");
    }

    @Test
    void shouldRefuseACertificateOfAnotherHost() {
        Config wrongHost = config(verifying(right.certificate()), PASSWORD);
        String url = wrongHost.getString("switchboard.database.url").replace("//localhost:", "//127.0.0.1:");
        assertRefused(
                wrongHost.withValue("switchboard.database.url", ConfigValueFactory.fromAnyRef(url)),
                " doesn't show a certificate that is trusted: The hostname 127.0.0.1 could not be verified");
    }

    @Test
    void shouldNameAFileOfCertificatesThatIsMissing() {
        assertRefused(config(verifying(folder.resolve("nowhere.crt")), PASSWORD), "nowhere.crt");
    }

    @Test
    void shouldRefuseAWrongPasswordWithoutShowingIt() {
        String line = assertRefused(
                config(verifying(right.certificate()), "guess"), "password authentication failed for user");
        assertFalse(line.contains("guess"));
    }

    @Test
    void shouldNotConnectWithoutTlsWhereTheServerWantsIt() {
        assertRefused(config("?sslmode=disable", PASSWORD), "no pg_hba.conf entry");
    }

    /** Says it long before the time is over that a server is waited for: waiting wouldn't help. */
    private static String assertRefused(Config config, String why) {
        long began = System.nanoTime();
        String line = assertThrows(
                        StorageStartException.class,
                        () -> SqlStorage.open(config).close())
                .getMessage();
        assertTrue(Duration.ofNanos(System.nanoTime() - began).toSeconds() < 50, "it was waited for");
        assertTrue(line.contains(why), line);
        assertEquals(1, line.lines().count());
        assertFalse(line.contains(PASSWORD));
        return line;
    }
}
