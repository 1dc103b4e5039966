package dev.switchboard.directory;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.testing.HoldingProcess;
import dev.switchboard.testing.TcpProxy;
import dev.switchboard.testing.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A start on a database that can't be used says in one line what is wrong. */
class SqlStorageStartTest {
    private static String whyNot(Config config) {
        String message = assertThrows(StorageStartException.class, () -> SqlStorage.open(config))
                .getMessage();
        assertEquals(1, message.lines().count(), message);
        return message;
    }

    private static Config config(String url) {
        return ConfigFactory.parseMap(Map.of(
                        "switchboard.database.url",
                        url,
                        "switchboard.database.connect-timeout",
                        "1s",
                        "switchboard.database.start-wait",
                        "0s"))
                .withFallback(ConfigFactory.load());
    }

    @Test
    void shouldSayThatTheDataFolderIsInUse(@TempDir Path folder) throws Exception {
        String url = "jdbc:h2:file:" + folder.resolve("switchboard");
        try (HoldingProcess holder = HoldingProcess.start(url)) {
            String message = whyNot(config(url));
            assertTrue(message.startsWith("the data folder is in use by another process: " + folder), message);
        }
        SqlStorage.open(config(url)).close();
    }

    @Test
    void shouldSayThatTheDatabaseIsOutOfReach() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        String url = "jdbc:postgresql://localhost:" + port + "/switchboard";
        String message = whyNot(config(url + "?password=secret"));
        assertTrue(message.startsWith("the database is out of reach: " + url + " ("), message);
        assertFalse(message.contains("secret"), message);
    }

    @Test
    void shouldWaitForADatabaseThatComesLater() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            URI direct = URI.create(database.url().substring("jdbc:".length()));
            try (TcpProxy proxy = new TcpProxy(direct.getPort())) {
                proxy.turnAway(true);
                Config config = ConfigFactory.parseString("switchboard.database.start-wait = 60s")
                        .withFallback(config(
                                "jdbc:postgresql://localhost:" + proxy.port() + direct.getPath() + "?user=postgres"));
                CompletableFuture<SqlStorage> opened = CompletableFuture.supplyAsync(() -> SqlStorage.open(config));
                await().atMost(20, TimeUnit.SECONDS).until(() -> proxy.turnedAway() >= 2);
                assertFalse(opened.isDone());
                proxy.turnAway(false);
                opened.get(30, TimeUnit.SECONDS).close();
            }
        }
    }

    @Test
    void shouldNameTheSettingForAnotherKindOfDatabase() {
        assertTrue(whyNot(config("jdbc:mysql://localhost/switchboard"))
                .startsWith("switchboard.database.url must begin with jdbc:h2: or jdbc:postgresql:"));
        assertTrue(whyNot(config("jdbc:h2:tcp://localhost/switchboard")).contains("embedded only"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"synchronous_commit"})
    void shouldRefuseAPostgresThatMayLoseWhatItAcknowledged(String parameter) throws SQLException {
        try (TestDatabase database = TestDatabase.postgresql()) {
            String name = database.url().substring(database.url().lastIndexOf('/') + 1);
            try (Connection connection = database.connect()) {
                connection.createStatement().execute("ALTER DATABASE " + name + " SET " + parameter + " = off");
            }
            String message = whyNot(database.config());
            assertTrue(message.contains(parameter + " off"), message);
        }
    }

    @Test
    void shouldRefuseAPostgresThatDoesNotSync() {
        String url = TestDatabase.unsafePostgresql();
        String message = whyNot(ConfigFactory.parseMap(Map.of("switchboard.database.user", "postgres"))
                .withFallback(config(url)));
        assertTrue(message.contains("fsync off"), message);
    }

    @Test
    void shouldOpenTheSameDatabaseAgainWithItsLogId(@TempDir Path folder) throws Exception {
        String url = "jdbc:h2:file:" + folder.resolve("switchboard");
        String first;
        try (SqlStorage storage = SqlStorage.open(config(url))) {
            first = storage.storage().directory().logId().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
        try (SqlStorage storage = SqlStorage.open(config(url))) {
            assertEquals(
                    first,
                    storage.storage().directory().logId().toCompletableFuture().get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldTakeARelativeFolder() {
        String url =
                DatabaseSettings.of(config("jdbc:h2:file:data/switchboard")).url();
        assertTrue(url.startsWith("jdbc:h2:file:" + Path.of("data/switchboard").toAbsolutePath() + ";"), url);
        assertTrue(DatabaseSettings.of(config("jdbc:h2:mem:x;DATABASE_TO_UPPER=FALSE"))
                .url()
                .matches("jdbc:h2:mem:x;DATABASE_TO_UPPER=FALSE;DB_CLOSE_ON_EXIT=FALSE;QUERY_CACHE_SIZE=64"));
    }
}
