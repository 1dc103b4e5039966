package dev.switchboard.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.harness.Folders;
import dev.switchboard.harness.ServerInProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Rows that were damaged under a server's hands: whose they are gets a clear refusal with an incident that the log knows,
 * everybody else goes on, nothing is lost, and a mended row is found without a restart.
 */
class UnreadableRowsTest {
    private static final HttpClient HTTP = WireClient.http();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int MESSAGES = 5;

    /** What is done to a conversation's third event, which is its second message, by the customer whose it is. */
    private static final Map<String, String> DAMAGE = new TreeMap<>(Map.of(
            "manifest",
            "event_ser_manifest = 'c.entry:77'",
            "class",
            "event_payload = %s".formatted(bytes("ff7f0102")),
            "length",
            "event_payload = %s".formatted(bytes("67010102010101ffffffff07010203")),
            "serializer",
            "event_ser_id = 99",
            "empty",
            "event_payload = %s".formatted(bytes("")),
            "order",
            "event_payload = (SELECT other.event_payload FROM event_journal AS other WHERE"
                    + " other.persistence_id = event_journal.persistence_id AND other.sequence_number = 2)"));

    private final Queue<ILoggingEvent> log = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> listener = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            log.add(line);
        }
    };

    private ServerInProcess server;
    private String url;
    private String user;
    private long damagedSnapshots;

    @BeforeEach
    void listen() {
        listener.start();
        ((Logger) LoggerFactory.getLogger("ROOT")).addAppender(listener);
    }

    @AfterEach
    void stopListening() {
        ((Logger) LoggerFactory.getLogger("ROOT")).detachAppender(listener);
    }

    @Test
    void shouldHarmNobodyElseOnH2() throws Exception {
        Path folder = Folders.temporary("switchboard-unreadable-");
        url = "jdbc:h2:file:" + folder.resolve("switchboard");
        user = "sa";
        try {
            // As H2's file is this process's alone, the storage's own URL must stand in the settings.
            check(Map.of("switchboard.database.url", url));
        } finally {
            Folders.delete(folder);
        }
    }

    @Test
    void shouldHarmNobodyElseOnPostgreSql() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start()) {
            url = postgres.getJdbcUrl("postgres", "postgres").replaceAll("\\?.*", "");
            user = "postgres";
            check(Map.of("switchboard.database.url", url, "switchboard.database.user", user));
        }
    }

    private void check(Map<String, ?> settings) throws Exception {
        Map<String, Object> all = new TreeMap<>(settings);
        all.put("switchboard.conversation.snapshot-every", 10);
        server = ServerInProcess.start(all);
        try {
            assign("ann", "well-1");
            for (String customer : DAMAGE.keySet()) {
                say(customer, MESSAGES);
            }
            say("well-2", MESSAGES);
            say("gap", MESSAGES);
            say("huge", MESSAGES);
            say("snapshot", 25);
            agent("bob").close();
            awaitSnapshot();
            log.clear();
            damage();
            server.restart();
            othersGoOn();
            snapshotIsNotMissed();
            usersAreTold();
            oneLineAnIncident();
            historyCanBeRead();
            socketsAreTold();
            deskIsTold();
            mended();
        } finally {
            server.close();
        }
    }

    // ---- before ----

    private void say(String customer, int messages) {
        for (int i = 1; i <= messages; i++) {
            assertEquals(201, post(customer, "m" + i).status());
        }
    }

    private void assign(String agent, String customer) {
        try (WireClient terminal = agent(agent)) {
            terminal.must(Frames.status("available"));
            say(customer, MESSAGES);
            JsonNode offer = terminal.await(frame -> Frames.is(frame, "offer"), PATIENCE);
            terminal.must(Frames.accept(offer.path("offer").asText()));
            terminal.must(Frames.status("offline"));
        }
    }

    private void awaitSnapshot() {
        await().atMost(PATIENCE)
                .until(() ->
                        count("SELECT count(*) FROM snapshot WHERE persistence_id = 'conversation|c-snapshot'") > 0);
    }

    private void damage() throws SQLException {
        // As an operator would find them, in a backup.
        sql("CREATE TABLE kept_journal AS SELECT * FROM event_journal");
        for (Map.Entry<String, String> damage : DAMAGE.entrySet()) {
            sql("UPDATE event_journal SET " + damage.getValue() + " WHERE sequence_number = 3 AND persistence_id = '"
                    + id(damage.getKey()) + "'");
        }
        sql("DELETE FROM event_journal WHERE sequence_number = 3 AND persistence_id = '" + id("gap") + "'");
        // More than a row of ours ever has: it isn't to be loaded.
        String huge = url.startsWith("jdbc:h2")
                ? "CAST(REPEAT('00', 20000000) AS VARBINARY)"
                : "decode(repeat('00', 20000000), 'hex')";
        sql("UPDATE event_journal SET event_payload = " + huge + " WHERE sequence_number = 3 AND persistence_id = '"
                + id("huge") + "'");
        damagedSnapshots = count("SELECT count(*) FROM snapshot WHERE persistence_id = '" + id("snapshot") + "'");
        sql("UPDATE snapshot SET snapshot_payload = " + bytes("6b01ffffffff0f")
                + " WHERE persistence_id = 'conversation|c-snapshot'");
        sql("UPDATE event_journal SET event_ser_manifest = 'd.known:9' WHERE persistence_id = 'desk|bob'");
    }

    // ---- after ----

    private void othersGoOn() {
        for (String customer : List.of("well-1", "well-2", "new")) {
            assertEquals(201, post(customer, "after").status());
        }
    }

    private void snapshotIsNotMissed() {
        ApiClient.Answer answer = post("snapshot", "after");
        assertEquals(201, answer.status(), answer::text);
        assertEquals(26 + lifecycle("snapshot"), answer.json().path("seq").asInt());
        assertEquals(damagedSnapshots, lines("A snapshot of " + id("snapshot")));
        // The first answer to an old request is still known.
        assertEquals(200, post("snapshot", "m1").status());
    }

    private long lifecycle(String customer) {
        return entries(customer).stream()
                .filter(entry -> !entry.path("kind").asText().equals("message"))
                .count();
    }

    private void usersAreTold() {
        for (String customer : unreadable()) {
            ApiClient.Answer answer = post(customer, "after");
            assertEquals(503, answer.status(), () -> customer + ": " + answer.text());
            assertEquals("unreadable", answer.code());
            assertFalse(answer.json().path("retryable").asBoolean());
            String incident = answer.json().path("incident").asText();
            List<ILoggingEvent> told = log.stream()
                    .filter(line -> line.getFormattedMessage().contains(incident))
                    .toList();
            assertEquals(1, told.size(), () -> customer + ": " + told);
            assertTrue(
                    told.get(0).getFormattedMessage().contains(id(customer))
                            && told.get(0).getFormattedMessage().contains("sequence number 3:"),
                    () -> told.get(0).getFormattedMessage());
            ApiClient.Answer stranger = api("customer", "mallory").message("c-" + customer, "x", "x");
            assertEquals(404, stranger.status(), stranger::text);
        }
    }

    private void oneLineAnIncident() {
        for (int i = 0; i < 10; i++) {
            for (String customer : unreadable()) {
                assertEquals("unreadable", post(customer, "again").code());
            }
        }
        for (String customer : unreadable()) {
            assertEquals(1, lines(id(customer)), customer);
        }
    }

    private void historyCanBeRead() {
        for (String customer : DAMAGE.keySet()) {
            List<String> kinds = entries(customer).stream()
                    .map(entry -> entry.path("seq").asInt() + entry.path("kind").asText())
                    .toList();
            // One whose bytes are those of another event can be read; only the actor sees that it can't follow.
            String second = customer.equals("order") ? "1message" : "2unreadable";
            assertEquals(List.of("1message", second, "3message", "4message", "5message"), kinds, customer);
        }
        assertEquals("unreadable", entries("huge").get(1).path("kind").asText());
    }

    private void socketsAreTold() {
        try (WireClient customer = connect("customer", "manifest")) {
            assertTrue(customer.welcome().path("conversations").isEmpty());
            JsonNode error = customer.await("error");
            assertEquals("unreadable", error.path("code").asText());
            assertEquals("c-manifest", error.path("conv").asText());
            assertFalse(error.has("id"));
            assertEquals(
                    "unreadable",
                    customer.ask(Frames.post("c-manifest", "later", "later"))
                            .path("code")
                            .asText());
        }
        try (WireClient other = connect("customer", "well-2")) {
            assertEquals(
                    "c-well-2",
                    other.welcome().path("conversations").path(0).path("conv").asText());
        }
    }

    /** Bob's desk can't be read; Ann's can, and so she gets the work. */
    private void deskIsTold() {
        try (WireClient bob = agent("bob");
                WireClient ann = agent("ann")) {
            JsonNode error = bob.await("error");
            assertEquals("unreadable", error.path("code").asText());
            assertEquals(1, lines("desk|bob"));
            assertEquals(
                    "unreadable",
                    bob.ask(Frames.status("available")).path("code").asText());
            ann.must(Frames.status("available"));
            post("for-ann", "hello");
            JsonNode offer = ann.await(frame -> Frames.is(frame, "offer"), PATIENCE);
            ann.must(Frames.accept(offer.path("offer").asText()));
            ann.must(Frames.status("away"));
        }
    }

    private void mended() throws SQLException {
        sql("UPDATE event_journal SET event_ser_manifest = 'd.known:1' WHERE persistence_id = 'desk|bob' AND"
                + " sequence_number = 1");
        sql("DELETE FROM event_journal WHERE sequence_number = 3 AND persistence_id LIKE 'conversation|%'"
                + " AND persistence_id <> '" + id("snapshot") + "' AND persistence_id NOT LIKE '%well%'"
                + " AND persistence_id NOT LIKE '%ann' AND persistence_id NOT LIKE '%new'");
        sql("INSERT INTO event_journal SELECT * FROM kept_journal AS kept WHERE NOT EXISTS (SELECT 1 FROM event_journal"
                + " AS there WHERE there.persistence_id = kept.persistence_id AND there.sequence_number ="
                + " kept.sequence_number) AND kept.sequence_number = 3");
        for (String customer : unreadable()) {
            await().atMost(PATIENCE).until(() -> post(customer, "mended").status() < 300);
            assertEquals(
                    List.of("1", "2", "3", "4", "5", "6"),
                    entries(customer).stream()
                            .filter(entry -> entry.path("kind").asText().equals("message"))
                            .map(entry -> entry.path("seq").asText())
                            .toList(),
                    customer);
        }
        try (WireClient bob = agent("bob")) {
            await().atMost(PATIENCE)
                    .until(() -> bob.ask(Frames.status("available"))
                            .path("type")
                            .asText()
                            .equals("reply"));
        }
    }

    // ---- parts ----

    private static List<String> unreadable() {
        return java.util.stream.Stream.concat(DAMAGE.keySet().stream(), java.util.stream.Stream.of("gap", "huge"))
                .toList();
    }

    private long lines(String text) {
        return log.stream()
                .filter(line -> line.getFormattedMessage().contains(text))
                .count();
    }

    private static String id(String customer) {
        return "conversation|c-" + customer;
    }

    /** A literal of bytes that both databases take. */
    private static String bytes(String hex) {
        return "CAST(BYTES'" + hex + "' AS BYTES)";
    }

    private ApiClient api(String role, String name) {
        return new ApiClient(HTTP, server.address().http(), "dev:" + role + ":" + name);
    }

    private ApiClient.Answer post(String customer, String clientMsgId) {
        ApiClient.Answer answer = api("customer", customer)
                .call("POST", "/conversations", JsonNodeFactory.instance.objectNode(), "open-" + clientMsgId);
        return answer.code().equals("unreadable")
                ? answer
                : api("customer", customer).message("c-" + customer, clientMsgId, clientMsgId);
    }

    private List<JsonNode> entries(String customer) {
        ApiClient.Answer answer =
                api("customer", customer).get(ApiClient.of("c-" + customer, "/entries?since=1&limit=200"));
        assertEquals(200, answer.status(), answer::text);
        return StreamSupport.stream(answer.json().path("entries").spliterator(), false)
                .toList();
    }

    private WireClient agent(String name) {
        return connect("agent", name);
    }

    private WireClient connect(String role, String name) {
        return WireClient.to(HTTP, server.address().socket())
                .token("dev:" + role + ":" + name)
                .open();
    }

    private Connection database() throws SQLException {
        return DriverManager.getConnection(
                url.startsWith("jdbc:h2") ? url + ";DATABASE_TO_UPPER=FALSE;DB_CLOSE_ON_EXIT=FALSE" : url, user, "");
    }

    private void sql(String statement) throws SQLException {
        String shown = url.startsWith("jdbc:h2")
                ? statement.replaceAll("CAST\\(BYTES'([0-9a-f]*)' AS BYTES\\)", "X'$1'")
                : statement.replaceAll("CAST\\(BYTES'([0-9a-f]*)' AS BYTES\\)", "decode('$1', 'hex')");
        try (Connection connection = database();
                Statement run = connection.createStatement()) {
            run.executeUpdate(shown);
        }
    }

    private long count(String query) throws SQLException {
        try (Connection connection = database();
                Statement run = connection.createStatement();
                ResultSet row = run.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
