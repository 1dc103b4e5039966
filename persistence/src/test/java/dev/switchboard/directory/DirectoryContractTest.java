package dev.switchboard.directory;

import static dev.switchboard.testing.Stages.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Entry.Visibility;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.conversation.Ticket;
import dev.switchboard.ports.Deadlines.Due;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.AgentRow;
import dev.switchboard.ports.Directory.ConversationFilter;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.ports.Directory.Rows;
import dev.switchboard.ports.Directory.WaitingRow;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.ports.DirectoryChange.AgentPut;
import dev.switchboard.ports.DirectoryChange.ConversationChanged;
import dev.switchboard.ports.DirectoryChange.ConversationOpened;
import dev.switchboard.ports.DirectoryChange.DeadlinePut;
import dev.switchboard.ports.DirectoryChange.DeadlineRemoved;
import dev.switchboard.ports.DirectoryChange.WaitingPut;
import dev.switchboard.ports.DirectoryChange.WaitingRemoved;
import dev.switchboard.ports.EntityKind;
import dev.switchboard.ports.EntryLog.Page;
import dev.switchboard.routing.QueueSettings;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import dev.switchboard.testing.TestJournal.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the directory, the entry log and the deadlines promise, over either database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DirectoryContractTest {
    private static final ConversationFilter ALL = new ConversationFilter(null, null, null, null, null);

    private TestDatabase database;
    private TestJournal journal;
    private Directory directory;

    abstract TestDatabase newDatabase();

    @BeforeAll
    void open() {
        database = newDatabase();
        journal = new TestJournal(database.config());
        directory = journal.storage.storage().directory();
    }

    @AfterAll
    void close() {
        journal.close();
        database.close();
    }

    /** Applies changes as a journal's writer does. */
    private void apply(DirectoryChange... changes) {
        try (Connection connection = journal.storage.writePool().getConnection()) {
            if (database.isH2()) {
                H2DirectoryWriter.apply(connection, List.of(changes));
                connection.commit();
                return;
            }
            DirectoryArrays arrays = new DirectoryArrays(List.of(changes));
            try (PreparedStatement statement = connection.prepareStatement(arrays.with() + " SELECT 1");
                    ArrayBinder binder = new ArrayBinder(connection, statement)) {
                arrays.bind(binder);
                statement.execute();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void openConversation(String conv, String customer, String queue, Instant at) {
        apply(new ConversationOpened(conv, customer, queue, Status.WAITING, "customer:" + customer, 1, 2, at));
    }

    private static <T> List<T> allPages(Function<Optional<String>, Rows<T>> pages) {
        List<T> all = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        do {
            Rows<T> rows = pages.apply(cursor);
            all.addAll(rows.items());
            cursor = rows.cursor();
        } while (cursor.isPresent());
        return all;
    }

    @Test
    void shouldPageConversationsNewestFirstWithoutGapOrRepeat() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 23; i++) {
            // Every five share a time: the id decides among them.
            openConversation("c-page-" + (char) ('a' + i), "page", "page-queue", Samples.AT.plusSeconds(i / 5));
            expected.add(0, "c-page-" + (char) ('a' + i));
        }
        ConversationFilter filter = new ConversationFilter(null, null, "page-queue", null, null);
        for (int limit : new int[] {1, 4, 23, 100}) {
            assertEquals(
                    expected,
                    allPages(cursor -> get(directory.conversations(filter, cursor, limit))).stream()
                            .map(ConversationRow::conv)
                            .toList());
        }
        assertEquals(
                Optional.empty(),
                get(directory.conversations(filter, Optional.empty(), 23)).cursor());
    }

    @Test
    void shouldNarrowConversationsByEachPartOfAFilter() {
        openConversation("c-f1", "fred", "f-one", Samples.AT);
        openConversation("c-f2", "fritz", "f-one", Samples.AT);
        openConversation("c-f3", "fred", "f-two", Samples.AT);
        apply(new ConversationChanged("c-f2", Status.ASSIGNED, "anna", "f-one", 2, Samples.AT.plusSeconds(1)));
        assertEquals(List.of("c-f2"), convs(new ConversationFilter(Status.ASSIGNED, null, "f-one", null, null)));
        assertEquals(List.of("c-f2"), convs(new ConversationFilter(null, "anna", null, null, null)));
        assertEquals(List.of("c-f3", "c-f1"), convs(new ConversationFilter(null, null, null, null, "fred")));
        assertEquals(
                List.of("c-f2", "c-f3", "c-f1"),
                convs(new ConversationFilter(null, null, null, Set.of("f-one", "f-two"), null)));
        assertEquals(List.of(), convs(new ConversationFilter(null, null, null, Set.of(), null)));
        assertEquals(
                List.of("c-f1"), convs(new ConversationFilter(Status.WAITING, null, "f-one", Set.of("f-one"), "fred")));
    }

    private List<String> convs(ConversationFilter filter) {
        return get(directory.conversations(filter, Optional.empty(), 100)).items().stream()
                .map(ConversationRow::conv)
                .toList();
    }

    @Test
    void shouldRefuseCursorsThatItDidNotMake() {
        for (String cursor : new String[] {"", "x", "!!", "MTphOjA6Ym9i", "MTpjOmFiYzpi"}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> directory.conversations(ALL, Optional.of(cursor), 10),
                    cursor);
        }
    }

    @Test
    void shouldShowAConversationAsItsLastChangeLeftIt() {
        openConversation("c-shown", "shown", "default", Samples.AT);
        apply(
                new ConversationChanged("c-shown", Status.ASSIGNED, "anna", "default", 2, Samples.AT.plusSeconds(1)),
                new ConversationChanged("c-shown", Status.CLOSED, null, "vip", 3, Samples.AT.plusSeconds(2)));
        assertEquals(
                new ConversationRow(
                        "c-shown",
                        "shown",
                        "vip",
                        Status.CLOSED,
                        null,
                        "customer:shown",
                        3,
                        2,
                        Samples.AT,
                        Samples.AT.plusSeconds(2)),
                get(directory.conversation("c-shown")).orElseThrow());
        assertFalse(get(directory.conversation("c-unknown")).isPresent());
    }

    @Test
    void shouldListWaitingByQueueAndId() {
        Ticket preferring = new Ticket(
                "w-one",
                4,
                "wanda",
                9,
                Set.of("odd\nskill", "back\\slash", "plain"),
                Samples.AT,
                true,
                "anna",
                Samples.AT.plusSeconds(30),
                true);
        apply(
                new WaitingPut("c-w1", preferring),
                new WaitingPut("c-w2", Samples.ticket("willy", "w-one", 1)),
                new WaitingPut("c-w3", Samples.ticket("wim", "w-two", 1)),
                new WaitingPut("c-w4", Samples.ticket("wolf", "w-one", 1)));
        apply(new WaitingRemoved("c-w4"), new WaitingRemoved("c-nobody"));
        assertEquals(
                List.of(
                        new WaitingRow("c-w1", preferring),
                        new WaitingRow("c-w2", Samples.ticket("willy", "w-one", 1))),
                get(directory.waiting("w-one", null, 100)));
        assertEquals(1, get(directory.waiting("w-one", null, 1)).size());
        assertEquals(
                List.of("c-w2"),
                get(directory.waiting("w-one", "c-w1", 100)).stream()
                        .map(WaitingRow::conv)
                        .toList());
        assertTrue(get(directory.waitingQueues()).containsAll(Set.of("w-one", "w-two")));
    }

    @Test
    void shouldListAgentsByQueueAndAvailability() {
        apply(
                new AgentPut("ag-a", "available", 5, 1, Set.of("ag_one", "ag-two"), Set.of("x"), true, Samples.AT),
                new AgentPut("ag-b", "away", 5, 0, Set.of("ag_one"), Set.of(), false, Samples.AT),
                new AgentPut("ag-c", "available", 5, 0, Set.of("agXone"), Set.of(), false, Samples.AT));
        assertEquals(List.of("ag-a", "ag-b"), agents("ag_one", null));
        assertEquals(List.of("ag-a"), agents("ag_one", "available"));
        assertEquals(List.of("ag-c"), agents("agXone", null));
        assertEquals(List.of(), agents("ag", null));
        assertEquals(
                new AgentRow("ag-a", "available", 5, 1, Set.of("ag_one", "ag-two"), Set.of("x"), true, Samples.AT),
                get(directory.agent("ag-a")).orElseThrow());
        apply(new AgentPut("ag-a", "offline", 9, 0, Set.of(), Set.of(), true, Samples.AT.plusSeconds(1)));
        assertEquals(List.of("ag-b"), agents("ag_one", null));
        assertEquals(9, get(directory.agent("ag-a")).orElseThrow().capacity());
        assertFalse(get(directory.agent("ag-unknown")).isPresent());
    }

    private List<String> agents(String queue, String availability) {
        return allPages(cursor -> get(directory.agents(queue, availability, cursor, 1))).stream()
                .map(AgentRow::agent)
                .toList();
    }

    @Test
    void shouldCountWhoWaitsAndWhoServes() {
        Instant first = Samples.AT.minusSeconds(60);
        apply(
                new WaitingPut("c-h1", waiting("hall-long", 1, Samples.AT)),
                new WaitingPut("c-h2", waiting("hall-long", 1, first)),
                new WaitingPut("c-h3", waiting("hall-short", 1, Samples.AT)),
                new AgentPut("hall-a", "resting", 5, 2, Set.of(), Set.of(), true, Samples.AT),
                new AgentPut("hall-b", "resting", 3, 1, Set.of(), Set.of(), true, Samples.AT));
        Directory.HallFigures hall = get(directory.hallFigures(100));
        assertEquals(
                List.of(
                        new Directory.LineFigures("hall-long", 2, first),
                        new Directory.LineFigures("hall-short", 1, Samples.AT)),
                hall.lines().stream()
                        .filter(line -> line.queue().startsWith("hall-"))
                        .toList());
        assertTrue(hall.desks().contains(new Directory.DeskFigures("resting", 2, 8, 3)), hall::toString);
        assertEquals(1, get(directory.hallFigures(1)).lines().size());
    }

    private static Ticket waiting(String queue, long epoch, Instant since) {
        return new Ticket(queue, epoch, "wanda", 0, Set.of(), since, false, null, null, false);
    }

    @Test
    void shouldKeepQueuesAndRevocations() {
        QueueSettings settings = new QueueSettings(
                "q-kept",
                "round-robin",
                true,
                3,
                Duration.ofSeconds(20),
                500,
                Duration.ofMinutes(2),
                Duration.ZERO,
                Duration.ofSeconds(5),
                Duration.ofSeconds(60),
                Duration.ofSeconds(90),
                Duration.ofMinutes(5),
                Duration.ZERO,
                QueueSettings.WhenClosed.OPEN_NEW);
        get(directory.putQueue(settings));
        get(directory.putQueue(settings));
        assertEquals(
                List.of(settings),
                get(directory.queues()).stream()
                        .filter(each -> each.queue().equals("q-kept"))
                        .toList());
        get(directory.revoke("agent:mallory", Samples.AT));
        get(directory.revoke("agent:mallory", Samples.AT));
        get(directory.revoke("customer:trudy", Samples.AT));
        get(directory.unrevoke("customer:trudy"));
        get(directory.unrevoke("customer:nobody"));
        assertEquals(Set.of("agent:mallory"), get(directory.revoked()));
    }

    @Test
    void shouldKeepItsLogId() {
        String id = get(directory.logId());
        assertTrue(id.length() >= 32, id);
        assertEquals(id, get(directory.logId()));
    }

    @Test
    void shouldFindDeadlinesThatAreDueOldestFirst() {
        Instant base = Instant.parse("2001-01-01T00:00:00Z");
        apply(
                new DeadlinePut(EntityKind.CONVERSATION, "c-d1", base.plusSeconds(3)),
                new DeadlinePut(EntityKind.DESK, "d2", base.plusSeconds(1)),
                new DeadlinePut(EntityKind.CONVERSATION, "d2", base.plusSeconds(2)),
                new DeadlinePut(EntityKind.CONVERSATION, "c-d4", base.plusSeconds(10)));
        apply(new DeadlinePut(EntityKind.CONVERSATION, "c-d1", base));
        List<Due> expected = List.of(
                new Due(EntityKind.CONVERSATION, "c-d1", base),
                new Due(EntityKind.DESK, "d2", base.plusSeconds(1)),
                new Due(EntityKind.CONVERSATION, "d2", base.plusSeconds(2)));
        var deadlines = journal.storage.storage().deadlines();
        assertEquals(expected, get(deadlines.due(base.plusSeconds(2), 100)));
        assertEquals(expected.subList(0, 2), get(deadlines.due(base.plusSeconds(2), 2)));
        apply(
                new DeadlineRemoved(EntityKind.DESK, "d2"),
                new DeadlineRemoved(EntityKind.CONVERSATION, "c-d1"),
                new DeadlineRemoved(EntityKind.CONVERSATION, "c-none"));
        assertEquals(expected.subList(2, 3), get(deadlines.due(base.plusSeconds(2), 100)));
        apply(new DeadlineRemoved(EntityKind.CONVERSATION, "d2"));
        assertEquals(List.of(), get(deadlines.due(base.plusSeconds(2), 100)));
    }

    @Test
    void shouldReadEntriesBothWaysAsEachReaderMaySeeThem() {
        String conv = "c-history";
        // Every third is a note; events between them are no entries.
        long sequenceNr = 1;
        written(journal.write("conversation|" + conv, sequenceNr++, Samples.opened("history", "default")));
        for (int seq = 1; seq <= 12; seq++) {
            Object event = seq % 3 == 0
                    ? Samples.note("anna", seq, "note " + seq)
                    : Samples.message("history", seq, "text " + seq);
            written(journal.write("conversation|" + conv, sequenceNr++, event, Samples.marks()));
            sequenceNr++;
        }
        var log = journal.storage.storage().entryLog();
        long open = Long.MAX_VALUE;
        assertPage(get(log.readUpwards(conv, Visibility.STAFF, 1, open, 5)), true, 1, 2, 3, 4, 5);
        assertPage(get(log.readUpwards(conv, Visibility.ALL, 1, open, 5)), true, 1, 2, 4, 5, 7);
        assertPage(get(log.readUpwards(conv, Visibility.ALL, 8, open, 5)), false, 8, 10, 11);
        assertPage(get(log.readUpwards(conv, Visibility.ALL, 2, 8, 10)), false, 2, 4, 5, 7);
        assertPage(get(log.readUpwards(conv, Visibility.STAFF, 2, 8, 5)), true, 2, 3, 4, 5, 6);
        assertPage(get(log.readUpwards(conv, Visibility.STAFF, 13, open, 5)), false);
        assertPage(get(log.readNewest(conv, Visibility.STAFF, open, 3)), true, 10, 11, 12);
        assertPage(get(log.readNewest(conv, Visibility.ALL, open, 3)), true, 8, 10, 11);
        assertPage(get(log.readNewest(conv, Visibility.ALL, 4, 10)), false, 1, 2);
        assertPage(get(log.readNewest(conv, Visibility.STAFF, 4, 3)), false, 1, 2, 3);
        assertEquals(12, get(log.lastSeq(conv, Visibility.STAFF)));
        assertEquals(11, get(log.lastSeq(conv, Visibility.ALL)));
        assertEquals(0, get(log.lastSeq("c-nobody", Visibility.STAFF)));
        assertPage(get(log.readNewest("c-nobody", Visibility.STAFF, open, 3)), false);
        Entry first =
                get(log.readUpwards(conv, Visibility.ALL, 1, open, 1)).entries().get(0);
        assertEquals(Samples.message("history", 1, "text 1").entry(), first);
    }

    private static void written(Outcome outcome) {
        assertInstanceOf(Outcome.Written.class, outcome);
    }

    private static void assertPage(Page page, boolean hasMore, long... seqs) {
        List<Long> expected = new ArrayList<>();
        for (long seq : seqs) {
            expected.add(seq);
        }
        assertEquals(expected, page.entries().stream().map(Entry::seq).toList());
        assertEquals(hasMore, page.hasMore());
    }

    @Test
    void shouldFindTheFirstAnswerToARequest() {
        String conv = "c-request";
        written(journal.write(
                "conversation|" + conv,
                1,
                Samples.opened("request", "default"),
                Samples.message("request", 1, "same-id", "hello"),
                Samples.assigned("anna", 2, 5, "default")));
        var log = journal.storage.storage().entryLog();
        assertEquals(
                Optional.of(new RequestRecord("same-id", 1001, 1, 0)),
                get(log.findRequest(conv, Samples.customer("request"), "same-id")));
        assertEquals(Optional.empty(), get(log.findRequest(conv, new Person(Role.AGENT, "request"), "same-id")));
        assertEquals(Optional.empty(), get(log.findRequest(conv, Samples.customer("request"), "other-id")));
        assertEquals(Optional.empty(), get(log.findRequest("c-else", Samples.customer("request"), "same-id")));
    }

    @Test
    void shouldReadListsOfTextsAsTheyWereWritten() {
        for (Set<String> texts :
                List.of(Set.<String>of(), Set.of("a"), Set.of("", "a"), Set.of("\n", "\\", "\\n", "\\b", "a\nb\\c"))) {
            assertEquals(new HashSet<>(texts), TextList.read(TextList.write(texts)));
        }
    }
}
