package dev.switchboard.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.api.AccessCheck.Sight;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Relation;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.ports.Directory.ConversationRow;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The cells of "who may do what" that are about reading. */
class AccessCheckTest {
    private static final ConversationRow ASSIGNED = Fakes.row("carol", Status.ASSIGNED, "alice", "default");
    private static final ConversationRow WAITING = Fakes.row("carol", Status.WAITING, null, "default");
    private static final ConversationRow CLOSED = Fakes.row("carol", Status.CLOSED, null, "default");

    private final Fakes fakes = new Fakes();
    private final AccessCheck access = new AccessCheck(fakes.directory());

    private Principal resolved(Principal who) {
        return access.resolve(who).toCompletableFuture().join();
    }

    private Sight sight(Principal who, ConversationRow row) {
        return AccessCheck.sight(AccessCheck.relation(resolved(who), row), row.status());
    }

    private static Principal service(String... customers) {
        return new Principal(Role.SERVICE, "bot", Set.of(), 0, Set.of(), Set.of(customers), Instant.MAX);
    }

    @Test
    void shouldLetEachRelationSeeWhatItsCellSays() {
        record Cell(Principal who, Sight assigned, Sight waiting, Sight closed) {}
        fakes.agent("billie", true, "billing");
        List<Cell> cells = List.of(
                new Cell(Principal.of(Role.CUSTOMER, "carol"), Sight.VISIBLE, Sight.VISIBLE, Sight.VISIBLE),
                new Cell(Principal.of(Role.CUSTOMER, "eve"), Sight.NONE, Sight.NONE, Sight.NONE),
                new Cell(Principal.of(Role.AGENT, "alice"), Sight.ALL, Sight.PREVIEW, Sight.NONE),
                new Cell(Principal.of(Role.AGENT, "bob"), Sight.NONE, Sight.PREVIEW, Sight.NONE),
                new Cell(Principal.of(Role.AGENT, "billie"), Sight.NONE, Sight.NONE, Sight.NONE),
                new Cell(Principal.of(Role.AGENT, "carol"), Sight.NONE, Sight.PREVIEW, Sight.NONE),
                new Cell(Principal.of(Role.SUPERVISOR, "sue"), Sight.ALL, Sight.ALL, Sight.ALL),
                new Cell(
                        Principal.of(Role.SUPERVISOR, "sam").withQueues(Set.of("billing")),
                        Sight.NONE,
                        Sight.NONE,
                        Sight.NONE),
                new Cell(Principal.of(Role.SUPERVISOR, "all").withQueues(Set.of("*")), Sight.ALL, Sight.ALL, Sight.ALL),
                new Cell(service("carol"), Sight.VISIBLE, Sight.VISIBLE, Sight.VISIBLE),
                new Cell(service("car*"), Sight.VISIBLE, Sight.VISIBLE, Sight.VISIBLE),
                new Cell(service("dan"), Sight.NONE, Sight.NONE, Sight.NONE),
                new Cell(service(), Sight.NONE, Sight.NONE, Sight.NONE),
                new Cell(Principal.of(Role.OPERATOR, "ops"), Sight.FACTS, Sight.FACTS, Sight.FACTS));
        for (Cell cell : cells) {
            assertEquals(cell.assigned(), sight(cell.who(), ASSIGNED), cell + " assigned");
            assertEquals(cell.waiting(), sight(cell.who(), WAITING), cell + " waiting");
            assertEquals(cell.closed(), sight(cell.who(), CLOSED), cell + " closed");
        }
    }

    @Test
    void shouldLetAServiceSeeWhatItOpened() {
        ConversationRow opened = new ConversationRow(
                "c-carol", "carol", "default", Status.WAITING, null, "service:bot", 1, 0, Fakes.NOON, Fakes.NOON);
        assertEquals(Relation.SERVICE, AccessCheck.relation(service(), opened));
        assertEquals(Relation.STRANGER, AccessCheck.relation(Principal.of(Role.SERVICE, "other"), opened));
        assertEquals(Relation.STRANGER, AccessCheck.relation(Principal.of(Role.CUSTOMER, "bot"), opened));
    }

    @Test
    void shouldTakeAnAgentsQueuesFromProfileThenTokenThenDefault() {
        Principal bob = Principal.of(Role.AGENT, "bob");
        assertEquals(Set.of("default"), resolved(bob).queues());
        assertEquals(Set.of("vip"), resolved(bob.withQueues(Set.of("vip"))).queues());
        fakes.agent("bob", false, "other");
        assertEquals(Set.of("vip"), resolved(bob.withQueues(Set.of("vip"))).queues());
        fakes.agent("bob", true, "billing");
        assertEquals(Set.of("billing"), resolved(bob.withQueues(Set.of("vip"))).queues());
    }

    @Test
    void shouldKnowWhoDirectsAnAgent() {
        fakes.agent("bob", true, "billing");
        assertTrue(AccessCheck.directs(Principal.of(Role.OPERATOR, "ops"), fakes.agents.get("bob")));
        assertTrue(AccessCheck.directs(
                Principal.of(Role.SUPERVISOR, "sam").withQueues(Set.of("billing")), fakes.agents.get("bob")));
        assertFalse(AccessCheck.directs(
                Principal.of(Role.SUPERVISOR, "sue").withQueues(Set.of("default")), fakes.agents.get("bob")));
        assertFalse(AccessCheck.directs(
                Principal.of(Role.AGENT, "al").withQueues(Set.of("billing")), fakes.agents.get("bob")));
    }
}
