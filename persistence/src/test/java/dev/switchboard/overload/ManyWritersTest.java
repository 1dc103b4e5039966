package dev.switchboard.overload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.WriteAdmission.Reason;
import dev.switchboard.testing.House;
import dev.switchboard.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Many conversations that write at the same moment: none stops, every post has an answer. */
class ManyWritersTest {

    /** Deadlines alone are longer than the defaults, so that a busy machine is no reason to fail. */
    private static final String PATIENT = """
            switchboard.gateway.deadline = 120s
            switchboard.database { lock-timeout = 60s, write-timeout = 120s }
            """;

    private int conversations = 3_000;
    private final AtomicInteger overloads = new AtomicInteger();

    @Test
    void shouldStopNoneOf3000ThatWriteAtOnceOnPostgresql() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql();
                House house = new House(database, PATIENT);
                Connection beside = database.connect()) {
            everybody(house, "m1");
            // While somebody else holds the table, all of them have a write under way at the same time.
            beside.setAutoCommit(false);
            beside.createStatement().execute("LOCK TABLE event_journal IN SHARE MODE");
            List<CompletableFuture<Done>> second = send(house, "m2");
            await().atMost(Duration.ofSeconds(60)).until(() -> house.admission().held() >= conversations);
            beside.commit();
            assertAccepted(second);
            everybody(house, "m3");
            assertEquals(0, overloads.get(), "the default bound is not reached by so many");
            assertNoneStopped(house, beside, 3);
        }
    }

    @Test
    void shouldStopNoneOf3000ThatWriteAtOnceOnH2() throws Exception {
        try (TestDatabase database = TestDatabase.h2()) {
            try (House house = new House(database, PATIENT)) {
                everybody(house, "m1");
                everybody(house, "m2");
                assertEquals(0, house.storage.writeFigures().view().failedWrites());
                assertEquals(0, house.admission().refused(Reason.NOT_RECOVERED));
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> house.admission().held() == 0);
            }
            try (Connection afterwards = database.connect()) {
                assertOneWriterEach(afterwards, 2);
            }
        }
    }

    @Test
    void shouldAcceptWhatItRefusedOnceThereIsRoom() throws Exception {
        conversations = 1_000;
        try (TestDatabase database = TestDatabase.postgresql();
                House house = new House(database, PATIENT + """
                        switchboard.writes { at-once = 100, head-room = 50, retry-after = 50ms }
                        switchboard.database.journal-queue = 150
                        """);
                Connection beside = database.connect()) {
            beside.setAutoCommit(false);
            everybody(house, "m1");
            beside.createStatement().execute("LOCK TABLE event_journal IN SHARE MODE");
            List<CompletableFuture<Done>> second = send(house, "m2");
            await().atMost(Duration.ofSeconds(60)).until(() -> overloads.get() > conversations);
            beside.commit();
            assertAccepted(second);
            assertTrue(house.admission().mostHeld() <= 150);
            assertNoneStopped(house, beside, 2);
        }
    }

    private void everybody(House house, String id) throws Exception {
        assertAccepted(send(house, id));
    }

    private List<CompletableFuture<Done>> send(House house, String id) {
        return all(i -> accepted(house, "many" + i, id));
    }

    private <T> List<T> all(IntFunction<T> one) {
        List<T> all = new ArrayList<>(conversations);
        for (int i = 0; i < conversations; i++) {
            all.add(one.apply(i));
        }
        return all;
    }

    private static void assertAccepted(List<CompletableFuture<Done>> answers) throws Exception {
        for (CompletableFuture<Done> answer : answers) {
            answer.get(120, TimeUnit.SECONDS);
        }
    }

    /** A client that comes again when it is told to; any answer but accepted and overload fails. */
    private CompletableFuture<Done> accepted(House house, String customer, String id) {
        return house.post(customer, id, false).thenCompose(reply -> {
            if (reply instanceof Done done) {
                return CompletableFuture.completedFuture(done);
            }
            Refusal refusal = assertInstanceOf(Refused.class, reply).refusal();
            assertEquals(ErrorCode.OVERLOAD, refusal.code(), refusal.message());
            overloads.incrementAndGet();
            return CompletableFuture.runAsync(
                            () -> {},
                            CompletableFuture.delayedExecutor(
                                    refusal.retryAfter().toMillis(), TimeUnit.MILLISECONDS))
                    .thenCompose(waited -> accepted(house, customer, id));
        });
    }

    private void assertNoneStopped(House house, Connection beside, int posts) throws Exception {
        assertEquals(0, house.storage.writeFigures().view().failedWrites());
        assertEquals(0, house.admission().refused(Reason.NOT_RECOVERED));
        assertEquals(0, house.admission().refused(Reason.NOT_WRITTEN));
        await().atMost(Duration.ofSeconds(60)).until(() -> house.admission().held() == 0);
        assertOneWriterEach(beside, posts);
    }

    /** An actor that stops and comes back writes under another name. */
    private void assertOneWriterEach(Connection connection, int posts) throws Exception {
        try (ResultSet row = connection
                .createStatement()
                .executeQuery(
                        "SELECT count(*), sum(posts), max(writers) FROM (SELECT count(DISTINCT writer) AS writers,"
                                + " count(client_msg_id) AS posts FROM event_journal"
                                + " WHERE persistence_id LIKE 'conversation|c-many%' GROUP BY persistence_id) AS each_one")) {
            row.next();
            assertEquals(conversations, row.getInt(1));
            assertEquals(conversations * posts, row.getInt(2));
            assertEquals(1, row.getInt(3));
        }
    }
}
