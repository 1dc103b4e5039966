package dev.switchboard.overload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationCommand.Attach;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.testing.House;
import dev.switchboard.testing.TcpProxy;
import dev.switchboard.testing.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.junit.jupiter.api.Test;

/** A real conversation whose database is lost in the middle of a write, on PostgreSQL behind a proxy. */
class FailedWriteTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String CAROL = "carol";

    private final Queue<TerminalPush> seen = new ConcurrentLinkedQueue<>();

    @Test
    void shouldHaveOneEntryForAnIdWhoseFailedWriteHadCommittedOrHadNot() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql()) {
            URI direct = URI.create(database.url().substring("jdbc:".length()));
            try (TcpProxy proxy = new TcpProxy(direct.getPort());
                    Connection beside = database.connect();
                    House house = new House(database, """
                            switchboard.database {
                              url = "jdbc:postgresql://localhost:%d%s"
                              connect-timeout = 1s
                              write-timeout = 30s
                            }
                            switchboard.gateway.deadline = 60s
                            """.formatted(proxy.port(), direct.getPath()))) {
                assertEquals(1, accepted(house, "m1").seq());
                attach(house);
                await().atMost(LONG).until(() -> seen.stream().anyMatch(TerminalPush.Attached.class::isInstance));
                long writers = writers(beside);

                // The statement gets through and commits; its answer doesn't come back, and then the connection is cut.
                proxy.mute();
                CompletableFuture<ConversationReply> lost = house.post(CAROL, "m2", false);
                await().atMost(LONG).until(() -> entries(beside, "m2") == 1);
                assertTrue(!lost.isDone(), "nobody knows yet that it is written");
                proxy.cut();
                assertUnavailable(lost.get(60, TimeUnit.SECONDS));
                assertEquals(0, house.admission().held());

                // Nobody says anything to it: it is back by itself, and shows its terminal what it found.
                proxy.mend();
                await().atMost(LONG)
                        .until(() -> seen.stream()
                                .anyMatch(push -> push instanceof TerminalPush.EntryPush told
                                        && told.entry().seq() == 2));
                Done again = accepted(house, "m2");
                assertEquals(2, again.seq());
                assertTrue(again.duplicate(), "the failed write had got through");
                assertEquals(1, entries(beside, "m2"));

                // This time nothing gets through.
                proxy.cut();
                assertUnavailable(house.post(CAROL, "m3", false).get(60, TimeUnit.SECONDS));
                assertEquals(0, entries(beside, "m3"));
                proxy.mend();
                assertEquals(3, accepted(house, "m3").seq());
                assertEquals(1, entries(beside, "m3"));
                assertEquals(4, accepted(house, "m4").seq());
                assertEquals(0, house.admission().held());
                assertTrue(writers(beside) > writers, "the conversation was not stopped by any of this");
            }
        }
    }

    private void attach(House house) {
        Principal carol = Principal.of(Role.CUSTOMER, CAROL);
        ActorRef<TerminalPush> terminal = house.system.systemActorOf(
                Behaviors.receiveMessage((TerminalPush push) -> {
                    seen.add(push);
                    return Behaviors.same();
                }),
                "terminal",
                Props.empty());
        house.services.peers().conversation("c-carol", new Attach(carol, "phone", 1, false, terminal));
    }

    private static void assertUnavailable(ConversationReply reply) {
        Refusal refusal = assertInstanceOf(Refused.class, reply).refusal();
        assertEquals(ErrorCode.JOURNAL_UNAVAILABLE, refusal.code());
        assertTrue(refusal.code().retryable());
        assertTrue(refusal.retryAfter().toMillis() > 0);
    }

    /** Sends it as a client does: again under the same id while it is told that it may. */
    private static Done accepted(House house, String id) {
        ConversationReply[] last = new ConversationReply[1];
        boolean[] sent = new boolean[1];
        await().atMost(LONG).pollInterval(Duration.ofMillis(300)).until(() -> {
            last[0] = house.post(CAROL, id, sent[0]).get(60, TimeUnit.SECONDS);
            sent[0] = true;
            return last[0] instanceof Done
                    || !((Refused) last[0]).refusal().code().retryable();
        });
        return assertInstanceOf(Done.class, last[0]);
    }

    private static long entries(Connection connection, String id) throws SQLException {
        return count(connection, "SELECT count(*) FROM event_journal WHERE client_msg_id = '" + id + "'");
    }

    /** How many lives of the conversation have written. */
    private static long writers(Connection connection) throws SQLException {
        return count(connection, "SELECT count(DISTINCT writer) FROM event_journal");
    }

    private static long count(Connection connection, String sql) throws SQLException {
        try (ResultSet row = connection.createStatement().executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
