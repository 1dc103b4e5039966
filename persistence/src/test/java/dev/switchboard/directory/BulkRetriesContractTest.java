package dev.switchboard.directory;

import static dev.switchboard.testing.Stages.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.LetterId;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.BulkRetries;
import dev.switchboard.ports.BulkRetries.Asked;
import dev.switchboard.ports.BulkRetries.Item;
import dev.switchboard.ports.BulkRetries.Job;
import dev.switchboard.ports.BulkRetries.Progress;
import dev.switchboard.ports.BulkRetries.Request;
import dev.switchboard.ports.BulkRetries.State;
import dev.switchboard.ports.BulkRetries.Turn;
import dev.switchboard.ports.DirectoryChange;
import dev.switchboard.routing.QueueSettings.DeadLetters;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the bulk retries promise, over either database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BulkRetriesContractTest {
    private static final Instant NOW = Samples.AT.plusSeconds(3600);
    private static final int MANY = 1000;

    private TestDatabase database;
    private TestJournal journal;
    private BulkRetries retries;

    abstract TestDatabase newDatabase();

    @BeforeAll
    void open() {
        database = newDatabase();
        journal = new TestJournal(database.config());
        retries = journal.storage.storage().bulkRetries();
    }

    @AfterAll
    void close() {
        journal.close();
        database.close();
    }

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

    /** A letter of a conversation of its own, in that state. */
    private String letter(String queue, int number, Letter.State state) {
        String conv = "c-" + queue + "-" + number;
        Person receiver = new Person(Role.AGENT, "anna");
        String id = new LetterId(conv, 2, receiver, 7).toString();
        Instant died = Samples.AT.plusSeconds(number);
        apply(new DirectoryChange.DeadLetterPut(
                conv,
                new Letter(
                        id,
                        receiver,
                        7,
                        queue,
                        null,
                        null,
                        state,
                        DeadLetters.HOLD,
                        3,
                        List.of(),
                        List.of(),
                        died,
                        died,
                        null,
                        died)));
        return id;
    }

    private static Principal operator(String id) {
        return Principal.of(Role.OPERATOR, id);
    }

    private static Request of(Principal by, String key, String queue, int cap) {
        return new Request(by, key, queue, null, null, cap, 10);
    }

    private Job ask(Request request) {
        return assertInstanceOf(Asked.Created.class, get(retries.ask(request, MANY, NOW)))
                .job();
    }

    private List<String> next(Job job, int limit) {
        return get(retries.next(job.id(), limit)).stream().map(Item::letter).toList();
    }

    @Test
    void shouldChooseTheOldestDeadLettersUpToTheCapAndGiveThemInOrder() {
        List<String> letters = new ArrayList<>();
        for (int i = 9; i >= 0; i--) {
            letters.add(0, letter("order", i, Letter.State.DEAD));
        }
        letter("order", 20, Letter.State.RETRIED);
        letter("order", 21, Letter.State.DELIVERED);
        letter("order-not", 1, Letter.State.DEAD);
        Job job = ask(of(operator("olga"), "k", "order", 8));
        assertEquals(new Progress(8, 8, 0, 0, 0, 0), job.progress());
        assertEquals(State.RUNNING, job.state());
        assertEquals("olga", job.by().id());
        assertEquals(letters.subList(0, 3), next(job, 3));
        get(retries.took(job.id(), List.of(new Turn(1, null), new Turn(3, "unreadable")), NOW));
        assertEquals(List.of(letters.get(1), letters.get(3)), next(job, 2));
        assertEquals(
                10, ask(of(operator("olga"), "k2", "order", 1000)).progress().total());
    }

    @Test
    void shouldMakeOneJobOfTheSameRequestAndRefuseAnother() {
        letter("twice", 1, Letter.State.DEAD);
        Job job = ask(of(operator("olga"), "twice", "twice", 8));
        Asked again = get(retries.ask(of(operator("olga"), "twice", "twice", 8), MANY, NOW));
        assertEquals(job, assertInstanceOf(Asked.Known.class, again).job());
        assertInstanceOf(Asked.Reused.class, get(retries.ask(of(operator("olga"), "twice", "twice", 9), MANY, NOW)));
        assertNotEquals(job.id(), ask(of(operator("otto"), "twice", "twice", 8)).id(), "keys are each person's own");
    }

    @Test
    void shouldMakeOneJobOfTheSameRequestsAtOnce() {
        letter("race", 1, Letter.State.DEAD);
        List<CompletionStage<Asked>> asked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            asked.add(retries.ask(of(operator("olga"), "race", "race", 8), MANY, NOW));
        }
        Set<String> ids = new HashSet<>();
        int created = 0;
        for (CompletionStage<Asked> one : asked) {
            Asked answer = get(one);
            created += answer instanceof Asked.Created ? 1 : 0;
            ids.add(
                    answer instanceof Asked.Created made
                            ? made.job().id()
                            : assertInstanceOf(Asked.Known.class, answer).job().id());
        }
        assertEquals(1, ids.size());
        assertEquals(1, created);
        Job job = get(retries.job(ids.iterator().next())).orElseThrow();
        assertEquals(1, job.progress().total());
    }

    @Test
    void shouldTakeASupervisorsOwnQueuesOnlyAndLettersThatAreNamed() {
        String mine = letter("mine", 1, Letter.State.DEAD);
        String theirs = letter("theirs", 1, Letter.State.DEAD);
        Principal sup = Principal.of(Role.SUPERVISOR, "sue").withQueues(Set.of("mine"));
        Job all = ask(new Request(sup, "all", null, null, null, 100, 10));
        assertEquals(List.of(mine), next(all, 10));
        assertEquals(Set.of("mine"), all.by().queues());
        Job named = ask(new Request(sup, "named", null, null, List.of(mine, theirs, "no such"), 100, 10));
        assertEquals(List.of(mine), next(named, 10));
        assertEquals(3, named.ids());
        assertEquals(List.of(), next(ask(new Request(sup, "none", null, null, List.of(), 100, 10)), 10));
        Principal nobody = Principal.of(Role.SUPERVISOR, "nora");
        assertEquals(List.of(), next(ask(new Request(nobody, "all", null, null, null, 100, 10)), 10));
        assertEquals(
                List.of("mine"),
                get(retries.jobs("supervisor:sue", Optional.empty(), 1)).items().stream()
                        .flatMap(job -> job.by().queues().stream())
                        .toList());
    }

    @Test
    void shouldFinishOnlyWhenEveryLetterIsSettled() {
        letter("settle", 1, Letter.State.DEAD);
        letter("settle", 2, Letter.State.DEAD);
        letter("settle", 3, Letter.State.DEAD);
        Job job = ask(of(operator("olga"), "settle", "settle", 8));
        assertEquals(State.RUNNING, settle(job).state());
        letter("settle", 1, Letter.State.RETRIED);
        letter("settle", 2, Letter.State.DEAD);
        letter("settle", 3, Letter.State.SUPERSEDED);
        get(retries.took(job.id(), List.of(new Turn(1, null), new Turn(2, null), new Turn(3, null)), NOW));
        assertEquals(new Progress(3, 0, 1, 0, 1, 1), settle(job).progress());
        assertEquals(State.RUNNING, settle(job).state(), "one isn't answered");
        letter("settle", 1, Letter.State.DELIVERED);
        Job done = settle(job);
        assertEquals(State.DONE, done.state());
        assertEquals(new Progress(3, 0, 0, 1, 1, 1), done.progress());
        assertEquals(NOW, done.finishedAt());
        assertEquals(
                State.DONE,
                get(retries.stop(job.id(), "operator:olga", NOW)).orElseThrow().state());
    }

    private Job settle(Job job) {
        return get(retries.settle(job.id(), NOW)).orElseThrow();
    }

    @Test
    void shouldSendNothingMoreOnceStoppedAndKeepWhoDidIt() {
        letter("stop", 1, Letter.State.DEAD);
        letter("stop", 2, Letter.State.DEAD);
        Job job = ask(of(operator("olga"), "stop", "stop", 8));
        letter("stop", 1, Letter.State.RETRIED);
        get(retries.took(job.id(), List.of(new Turn(1, null)), NOW));
        Job stopping = get(retries.stop(job.id(), "operator:otto", NOW)).orElseThrow();
        assertEquals(State.STOPPING, stopping.state());
        get(retries.stop(job.id(), "operator:late", NOW.plusSeconds(9)));
        assertEquals(List.of(), next(job, 8));
        assertEquals(State.STOPPING, settle(job).state(), "one isn't answered");
        letter("stop", 1, Letter.State.DELIVERED);
        Job stopped = settle(job);
        assertEquals(State.STOPPED, stopped.state());
        assertEquals("operator:otto", stopped.stoppedBy());
        assertEquals(NOW, stopped.stoppedAt());
        assertEquals(new Progress(2, 1, 0, 1, 0, 0), stopped.progress());
        assertEquals(Optional.empty(), get(retries.stop("no such", "operator:otto", NOW)));
    }

    @Test
    void shouldBoundUnfinishedJobsAndForgetOldFinishedOnes() {
        Job job = ask(of(operator("olga"), "bound", "nothing", 8));
        assertInstanceOf(Asked.Full.class, get(retries.ask(of(operator("olga"), "full", "nothing", 8), 1, NOW)));
        assertInstanceOf(Asked.Known.class, get(retries.ask(of(operator("olga"), "bound", "nothing", 8), 1, NOW)));
        assertEquals(1, get(retries.open()).stream().filter(job::equals).count());
        assertNull(job.finishedAt());
        assertEquals(State.DONE, settle(job).state());
        get(retries.forget(NOW));
        assertEquals(job.id(), get(retries.job(job.id())).orElseThrow().id());
        get(retries.forget(NOW.plusSeconds(1)));
        assertEquals(Optional.empty(), get(retries.job(job.id())));
    }

    @Test
    void shouldPageJobsNewestFirst() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Asked asked = get(retries.ask(of(operator("paula"), "page-" + i, "nothing", 8), MANY, NOW.plusSeconds(i)));
            ids.add(0, ((Asked.Created) asked).job().id());
        }
        List<String> found = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        do {
            var page = get(retries.jobs("operator:paula", cursor, 2));
            page.items().forEach(job -> found.add(job.id()));
            cursor = page.cursor();
        } while (cursor.isPresent());
        assertEquals(ids, found);
        assertThrows(IllegalArgumentException.class, () -> retries.jobs(null, Optional.of("no cursor"), 2));
    }
}
