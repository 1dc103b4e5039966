package dev.switchboard.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Conversation;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Erase;
import dev.switchboard.conversation.ConversationCommand.Label;
import dev.switchboard.conversation.ConversationCommand.Nack;
import dev.switchboard.conversation.ConversationCommand.Note;
import dev.switchboard.conversation.ConversationCommand.Open;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Erased;
import dev.switchboard.conversation.ConversationSettings;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Entry.Visibility;
import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.Eraser;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.Traces;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A conversation, as it is, over a real journal: erased, also when the node ends between the word and the deed. */
abstract class ErasureContractTest {
    private static final String SECRET = "quarksoup";
    private static final String CONV = "c-carol";
    private static final int MESSAGES = 520;
    private static final Principal CAROL = Principal.of(Role.CUSTOMER, "carol");
    private static final Principal SAM = Principal.of(Role.SUPERVISOR, "sam").withQueues(Set.of("default"));
    private static final Principal OSCAR = Principal.of(Role.OPERATOR, "oscar");
    private static final Duration WAIT = Duration.ofSeconds(40);

    abstract TestDatabase newDatabase();

    /** Makes the database give up what it no longer shows, and says in which of its files the text still stands. */
    abstract List<?> filesWithTextAfterCleaning(TestDatabase database, String text) throws Exception;

    /** A conversation on a storage of its own. */
    private static final class Node implements AutoCloseable {
        final SqlStorage storage;
        final ActorSystem<ConversationCommand> system;

        Node(TestDatabase database, Function<SqlStorage, Eraser> eraser) {
            this(database, eraser, "0s");
        }

        Node(TestDatabase database, Function<SqlStorage, Eraser> eraser, String reduceClosedAfter) {
            Config config = database.config("switchboard { conversation { snapshot-every = 100, reduce-closed-after = "
                    + reduceClosedAfter + " }, dead-letters.attempts = 1 }");
            storage = SqlStorage.open(config);
            ConversationSettings settings = ConversationSettings.of(config.getConfig("switchboard"));
            system = ActorSystem.create(
                    Behaviors.setup(context -> Conversation.create(
                            CONV,
                            context.getSystem().ignoreRef(),
                            new NobodyElse(),
                            new OneQueue(),
                            storage.storage().entryLog(),
                            eraser.apply(storage),
                            settings,
                            new DeliveryFigures())),
                    "node",
                    StorageSetup.of(storage, config));
        }

        ConversationReply ask(Function<ActorRef<ConversationReply>, ConversationCommand> request) throws Exception {
            return AskPattern.ask(system, request::apply, WAIT, system.scheduler())
                    .toCompletableFuture()
                    .get(WAIT.toSeconds(), TimeUnit.SECONDS);
        }

        Done posted(String id, String text) throws Exception {
            return assertInstanceOf(Done.class, ask(to -> post(id, text, to)));
        }

        List<Entry> entries(Visibility reader, long since) throws Exception {
            return page(reader, since).entries();
        }

        private EntryLog.Page page(Visibility reader, long since) throws Exception {
            return storage.storage()
                    .entryLog()
                    .readUpwards(CONV, reader, since, Long.MAX_VALUE, 1000)
                    .toCompletableFuture()
                    .get(WAIT.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void close() throws Exception {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(WAIT.toSeconds(), TimeUnit.SECONDS);
            storage.close();
        }
    }

    private static Post post(String id, String text, ActorRef<ConversationReply> to) {
        return new Post(CAROL, CAROL.person(), "default", id, Body.text(text), null, false, 0, false, to);
    }

    /** Fills every place in which a person's words can stand; returns the last seq. */
    private static long talk(Node node) throws Exception {
        node.ask(to -> new Open(CAROL, "carol", "default", Map.of("plan", "a " + SECRET + " plan"), to));
        TestProbe<ConversationReply> replies = TestProbe.create(node.system);
        // Not more at once than may wait for one conversation.
        for (int first = 1; first <= MESSAGES; first += 100) {
            int next = Math.min(first + 100, MESSAGES + 1);
            for (int i = first; i < next; i++) {
                node.system.tell(post("m" + i, "message " + i + " of " + SECRET + " here", replies.ref()));
            }
            for (int i = first; i < next; i++) {
                assertInstanceOf(Done.class, replies.receiveMessage(WAIT));
            }
        }
        // Too long for a page of the database, and not to be compressed.
        Random random = new Random(7);
        StringBuilder large = new StringBuilder("large " + SECRET + " ");
        random.ints(12_000, 0x4e00, 0x9000).forEach(large::appendCodePoint);
        node.posted("large", large.toString());
        node.ask(to -> new Note(SAM, "a note on " + SECRET + " for us", 0, "n1", to));
        node.ask(to -> new Label(SAM, List.of("of-" + SECRET + "-kind"), List.of(), 0, "l1", to));
        node.ask(to -> new Close(CAROL, 0, "no more " + SECRET + " please", "x1", to));
        long last = node.posted("again", "once more " + SECRET + " then").seq();
        ConversationReply refused =
                node.ask(to -> new Nack(CAROL, "phone", last, 1, "no-form", "no form for " + SECRET + " yet", to));
        assertEquals(
                Letter.State.DEAD,
                assertInstanceOf(ConversationReply.OfLetter.class, refused)
                        .letter()
                        .state());
        return last;
    }

    private static List<String> inTables(TestDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            return Traces.inTables(connection, SECRET);
        }
    }

    @Test
    void shouldEraseForGoodAlsoWhenTheNodeEndsBetweenTheWordAndTheDeed() throws Exception {
        try (TestDatabase database = newDatabase()) {
            long marker;
            try (Node node = new Node(
                    database,
                    storage -> (conv, seq) ->
                            CompletableFuture.failedFuture(new IllegalStateException("the storage is held")))) {
                marker = talk(node) + 1;
                TestProbe<ConversationReply> replies = TestProbe.create(node.system);
                node.system.tell(new Erase(OSCAR, "e1", replies.ref()));
                Awaitility.await()
                        .atMost(WAIT)
                        .until(() -> node.entries(Visibility.ALL, marker).size() == 1);
                forgottenInMemory(node, marker);
                assertTrue(inTables(database).size() > MESSAGES, "the test would find nothing");
            }
            try (Node node = new Node(database, storage -> storage.storage().eraser())) {
                assertEquals(new Erased(CONV, marker, true, true), node.ask(to -> new Erase(OSCAR, "e1", to)));
                assertEquals(List.of(), inTables(database));
                whatIsLeft(node, marker);
                assertEquals(new Erased(CONV, marker, true, true), node.ask(to -> new Erase(OSCAR, "e2", to)));
                // Ids are kept: a late repeat is no new message, whatever it says.
                assertEquals(
                        MESSAGES, node.posted("m" + MESSAGES, "something else").seq());
                assertEquals(
                        marker + 1, node.posted("later", "after " + "the fact").seq());
            }
            assertEquals(List.of(), filesWithTextAfterCleaning(database, SECRET));
            try (Node node = new Node(database, storage -> storage.storage().eraser())) {
                assertEquals(marker + 2, node.posted("and now", "nothing").seq());
                assertEquals(
                        "after the fact",
                        node.entries(Visibility.ALL, marker + 1).get(0).body().text());
                // What was said since is erased too, when it is asked for again.
                Erased again = assertInstanceOf(Erased.class, node.ask(to -> new Erase(OSCAR, "e3", to)));
                assertEquals(new Erased(CONV, marker + 3, true, false), again);
                assertNull(node.entries(Visibility.ALL, marker + 1).get(0).body());
                // A repeat of the first request erases nothing more.
                node.posted("last", "stays");
                node.ask(to -> new Erase(OSCAR, "e1", to));
                assertEquals(
                        "stays",
                        node.entries(Visibility.ALL, marker + 4).get(0).body().text());
            }
        }
    }

    @Test
    void shouldReduceWhatWasClosedToATombstoneAlsoWhenTheNodeEndsInTheMiddle() throws Exception {
        try (TestDatabase database = newDatabase()) {
            long marker;
            try (Node node = new Node(database, storage -> storage.storage().eraser(), "1h")) {
                marker = talk(node) + 2;
                node.ask(to -> new Close(CAROL, 0, "done with " + SECRET, "x2", to));
                assertEquals(1, node.entries(Visibility.ALL, marker - 1).size());
            }
            try (Node node = new Node(
                    database,
                    storage -> new Eraser() {
                        @Override
                        public CompletionStage<Void> erase(String conv, long seq) {
                            throw new AssertionError("a closed conversation is reduced, not erased");
                        }

                        @Override
                        public CompletionStage<Void> reduce(String conv, long seq) {
                            return CompletableFuture.failedFuture(new IllegalStateException("the storage is held"));
                        }
                    },
                    "10ms")) {
                Awaitility.await()
                        .atMost(WAIT)
                        .until(() -> node.entries(Visibility.ALL, marker).size() == 1);
                assertEquals(
                        Entry.Kind.ERASED,
                        attached(node, 0).missed().get(0).entry().kind());
            }
            try (Node node = new Node(database, storage -> storage.storage().eraser(), "10ms")) {
                Awaitility.await()
                        .atMost(WAIT)
                        .until(() -> node.entries(Visibility.STAFF, 1).size() == 1);
                Awaitility.await().atMost(WAIT).until(() -> inTables(database).isEmpty());
            }
            // Nothing but the tombstone: what it knows comes from its snapshot.
            try (Node node = new Node(database, storage -> storage.storage().eraser())) {
                TerminalPush.Attached all = attached(node, marker - 1);
                assertFalse(all.anew());
                assertEquals(List.of(marker), seqs(all));
                TerminalPush.Attached tooLittle = attached(node, marker - 2);
                assertTrue(tooLittle.anew());
                assertEquals(marker - 1, tooLittle.after());
                assertEquals(List.of(marker), seqs(tooLittle));
                assertEquals(MESSAGES, node.posted("m" + MESSAGES, "whatever").seq());
                assertEquals(marker + 2, node.posted("later", "after the fact").seq());
            }
            assertEquals(List.of(), filesWithTextAfterCleaning(database, SECRET));
        }
    }

    private static TerminalPush.Attached attached(Node node, long after) {
        TestProbe<TerminalPush> terminal = TestProbe.create(node.system);
        node.system.tell(new ConversationCommand.Attach(SAM, "t" + after, after, true, terminal.ref()));
        return (TerminalPush.Attached) terminal.receiveMessage(WAIT);
    }

    private static List<Long> seqs(TerminalPush.Attached attached) {
        return attached.missed().stream().map(push -> push.entry().seq()).toList();
    }

    /** A terminal that comes back finds the same numbers, and no words. */
    private static void forgottenInMemory(Node node, long marker) {
        TestProbe<TerminalPush> terminal = TestProbe.create(node.system);
        node.system.tell(new ConversationCommand.Attach(SAM, "t", marker - 6, true, terminal.ref()));
        TerminalPush.Attached attached = (TerminalPush.Attached) terminal.receiveMessage(WAIT);
        assertEquals(
                List.of(
                        Entry.Kind.ERASED_NOTE,
                        Entry.Kind.ERASED_NOTE,
                        Entry.Kind.CLOSED,
                        Entry.Kind.REOPENED,
                        Entry.Kind.ERASED,
                        Entry.Kind.ERASED),
                attached.missed().stream().map(push -> push.entry().kind()).toList());
        assertFalse(attached.toString().contains(SECRET), attached::toString);
    }

    private static void whatIsLeft(Node node, long marker) throws Exception {
        List<Entry> all = node.entries(Visibility.STAFF, 1);
        assertEquals(marker, all.size());
        for (int i = 0; i < all.size(); i++) {
            assertEquals(i + 1, all.get(i).seq());
            assertNull(all.get(i).body());
        }
        assertEquals("m1", all.get(0).clientMsgId());
        assertEquals(CAROL.person(), all.get(0).from());
        // A customer still sees neither the note nor the label.
        assertEquals(marker - 2, node.entries(Visibility.ALL, 1).size());
    }

    private static final class NobodyElse implements Peers {
        @Override
        public void conversation(String conv, ConversationCommand command) {}

        @Override
        public void desk(String agent, DeskCommand command) {}

        @Override
        public void line(String queue, LineCommand command) {}
    }

    private static final class OneQueue implements QueueCatalog {
        @Override
        public Optional<QueueSettings> find(String name) {
            return Optional.of(new QueueSettings(
                    "default",
                    "longest-idle",
                    false,
                    1,
                    Duration.ofSeconds(20),
                    1000,
                    Duration.ofMinutes(5),
                    Duration.ZERO,
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(30),
                    Duration.ZERO,
                    Duration.ZERO,
                    QueueSettings.WhenClosed.REOPEN));
        }

        @Override
        public Collection<QueueSettings> all() {
            return List.of(find("default").orElseThrow());
        }
    }
}
