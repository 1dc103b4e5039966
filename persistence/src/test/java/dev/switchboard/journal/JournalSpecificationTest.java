package dev.switchboard.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.switchboard.testing.TestDatabase;
import dev.switchboard.testing.TestJournal;
import java.io.NotSerializableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.JournalProtocol.DeleteMessagesTo;
import org.apache.pekko.persistence.JournalProtocol.RecoverySuccess;
import org.apache.pekko.persistence.JournalProtocol.ReplayMessages;
import org.apache.pekko.persistence.JournalProtocol.ReplayedMessage;
import org.apache.pekko.persistence.JournalProtocol.WriteMessageRejected;
import org.apache.pekko.persistence.JournalProtocol.WriteMessageSuccess;
import org.apache.pekko.persistence.JournalProtocol.WriteMessages;
import org.apache.pekko.persistence.JournalProtocol.WriteMessagesSuccessful$;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentEnvelope;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The cases of Pekko's own specification of journals (its test kit's JournalSpec, version 1.2.1, which only runs under
 * ScalaTest), and the optional ones that this journal promises: rejecting what can't be serialized, serializing with the
 * actor system at hand, metadata. Every case begins with five events by one writer, the last two written together.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JournalSpecificationTest {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final int INSTANCE = 7;
    private static final String WRITER = "writer-of-five";

    private TestDatabase database;
    private TestJournal opened;
    private ActorRef journal;
    private TestKit sender;
    private TestKit receiver;
    private String id;
    private int cases;

    abstract TestDatabase newDatabase();

    @BeforeAll
    void open() {
        database = newDatabase();
        // The specification also publishes some commands, for its own eyes.
        opened = new TestJournal(database.config("pekko.persistence.publish-plugin-commands = on"));
        journal = Persistence.get(opened.system).journalFor("", com.typesafe.config.ConfigFactory.empty());
    }

    @AfterAll
    void close() {
        opened.close();
        database.close();
    }

    @BeforeEach
    void writeFive() {
        id = "p-" + ++cases;
        sender = new TestKit(opened.system);
        receiver = new TestKit(opened.system);
        TestKit probe = new TestKit(opened.system);
        write(
                probe,
                atomic(repr("a-1", 1, sender.getRef())),
                atomic(repr("a-2", 2, sender.getRef())),
                atomic(repr("a-3", 3, sender.getRef())),
                atomic(repr("a-4", 4, sender.getRef()), repr("a-5", 5, sender.getRef())));
        probe.expectMsg(WAIT, WriteMessagesSuccessful$.MODULE$);
        for (int i = 1; i <= 5; i++) {
            WriteMessageSuccess success = probe.expectMsgClass(WAIT, WriteMessageSuccess.class);
            assertEvent("a-" + i, i, success.persistent());
            assertSame(sender.getRef(), success.persistent().sender());
            assertEquals(INSTANCE, success.actorInstanceId());
        }
    }

    private PersistentRepr repr(Object payload, long number, ActorRef from) {
        return PersistentRepr.apply(payload, number, id, "", false, from, WRITER);
    }

    private static AtomicWrite atomic(PersistentRepr... reprs) {
        return AtomicWrite.apply(CollectionConverters.asScala(List.of(reprs)).toList());
    }

    private void write(TestKit probe, PersistentEnvelope... writes) {
        journal.tell(
                new WriteMessages(CollectionConverters.asScala(List.of(writes)).toList(), probe.getRef(), INSTANCE),
                probe.getRef());
    }

    private void assertEvent(Object payload, long number, PersistentRepr event) {
        assertEquals(payload, event.payload());
        assertEquals(number, event.sequenceNr());
        assertEquals(id, event.persistenceId());
        assertEquals(WRITER, event.writerUuid());
        assertEquals(false, event.deleted());
    }

    private void replay(long from, long to, long max) {
        journal.tell(new ReplayMessages(from, to, max, id, receiver.getRef()), receiver.getRef());
    }

    private void deleteTo(long number) {
        TestKit probe = new TestKit(opened.system);
        journal.tell(new DeleteMessagesTo(id, number, probe.getRef()), probe.getRef());
        assertEquals(
                number, probe.expectMsgClass(WAIT, DeleteMessagesSuccess.class).toSequenceNr());
    }

    /** The events with these numbers, and then the end of the recovery, which knows of all five. */
    private void assertReplayed(long... numbers) {
        for (long number : numbers) {
            ReplayedMessage message = receiver.expectMsgClass(WAIT, ReplayedMessage.class);
            assertEvent("a-" + number, number, message.persistent());
        }
        assertEquals(5, receiver.expectMsgClass(WAIT, RecoverySuccess.class).highestSequenceNr());
    }

    @Test
    void shouldReplayAll() {
        replay(1, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(1, 2, 3, 4, 5);
    }

    @Test
    void shouldReplayFromALowerBound() {
        replay(3, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(3, 4, 5);
    }

    @Test
    void shouldReplayToAnUpperBound() {
        replay(1, 3, Long.MAX_VALUE);
        assertReplayed(1, 2, 3);
    }

    @Test
    void shouldReplayToACount() {
        replay(1, Long.MAX_VALUE, 3);
        assertReplayed(1, 2, 3);
    }

    @Test
    void shouldReplayBetweenBounds() {
        replay(2, 3, Long.MAX_VALUE);
        assertReplayed(2, 3);
    }

    @Test
    void shouldReplayBetweenBoundsToACount() {
        replay(2, 5, 2);
        assertReplayed(2, 3);
    }

    @Test
    void shouldReplayOneWhenTheBoundsAreEqual() {
        replay(2, 2, Long.MAX_VALUE);
        assertReplayed(2);
    }

    @Test
    void shouldReplayOneWhenTheCountIsOne() {
        replay(2, 4, 1);
        assertReplayed(2);
    }

    @Test
    void shouldReplayNothingWhenTheCountIsZero() {
        replay(2, 4, 0);
        assertReplayed();
    }

    @Test
    void shouldReplayNothingWhenTheBoundsAreCrossed() {
        replay(3, 2, Long.MAX_VALUE);
        assertReplayed();
    }

    @Test
    void shouldReplayNothingOfAnUnknownActor() {
        journal.tell(
                new ReplayMessages(0, Long.MAX_VALUE, Long.MAX_VALUE, "p-unknown", receiver.getRef()),
                receiver.getRef());
        assertEquals(0, receiver.expectMsgClass(WAIT, RecoverySuccess.class).highestSequenceNr());
    }

    @Test
    void shouldNotReplayWhatWasDeletedAndTellOfTheDeletionOnce() {
        TestKit deleter = new TestKit(opened.system);
        TestKit published = new TestKit(opened.system);
        opened.system.eventStream().subscribe(published.getRef(), DeleteMessagesTo.class);
        DeleteMessagesTo command = new DeleteMessagesTo(id, 3, deleter.getRef());
        journal.tell(command, deleter.getRef());
        published.expectMsg(WAIT, command);
        deleter.expectMsg(WAIT, new DeleteMessagesSuccess(3));
        replay(1, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(4, 5);
        deleter.expectNoMessage(Duration.ofMillis(200));
    }

    @Test
    void shouldKeepTheHighestNumberWhenSomeAreDeleted() {
        replay(0, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(1, 2, 3, 4, 5);
        deleteTo(3);
        replay(0, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(4, 5);
    }

    @Test
    void shouldKeepTheHighestNumberWhenAllAreDeleted() {
        replay(0, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(1, 2, 3, 4, 5);
        deleteTo(Long.MAX_VALUE);
        replay(0, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed();
    }

    @Test
    void shouldReplayWhatIsLeftWhenTheLowerBoundWasDeletedLast() {
        deleteTo(3);
        replay(3, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(4, 5);
    }

    @Test
    void shouldReplayNothingWhenTheUpperBoundIsAmongTheDeleted() {
        deleteTo(3);
        replay(1, 2, Long.MAX_VALUE);
        assertReplayed();
    }

    @Test
    void shouldReplayNothingWhenTheUpperBoundWasDeletedLast() {
        deleteTo(3);
        replay(1, 3, Long.MAX_VALUE);
        assertReplayed();
    }

    @Test
    void shouldReplayFromTheFirstThatIsLeft() {
        deleteTo(3);
        replay(4, Long.MAX_VALUE, Long.MAX_VALUE);
        assertReplayed(4, 5);
    }

    /** A class that no serializer takes. */
    private static final class NotSerializable {}

    @Test
    void shouldRejectOnlyWhatCannotBeSerialized() {
        TestKit probe = new TestKit(opened.system);
        Object bad = new NotSerializable();
        write(
                probe,
                atomic(repr("b-6", 6, ActorRef.noSender())),
                atomic(repr(bad, 7, ActorRef.noSender())),
                atomic(repr("b-8", 8, ActorRef.noSender())));
        probe.expectMsg(WAIT, WriteMessagesSuccessful$.MODULE$);
        assertEvent(
                "b-6", 6, probe.expectMsgClass(WAIT, WriteMessageSuccess.class).persistent());
        WriteMessageRejected rejected = probe.expectMsgClass(WAIT, WriteMessageRejected.class);
        assertEvent(bad, 7, rejected.message());
        assertInstanceOf(NotSerializableException.class, rejected.cause());
        assertEvent(
                "b-8", 8, probe.expectMsgClass(WAIT, WriteMessageSuccess.class).persistent());
    }

    /** An event with a reference to an actor, which can only be serialized with the actor system at hand. */
    @Test
    void shouldSerializeEventsThatNeedTheActorSystem() {
        TestKit probe = new TestKit(opened.system);
        ActorRef event = probe.getRef();
        write(probe, atomic(repr(event, 6, ActorRef.noSender())));
        probe.expectMsg(WAIT, WriteMessagesSuccessful$.MODULE$);
        assertEvent(
                event, 6, probe.expectMsgClass(WAIT, WriteMessageSuccess.class).persistent());
        replay(6, Long.MAX_VALUE, Long.MAX_VALUE);
        assertEvent(
                event, 6, receiver.expectMsgClass(WAIT, ReplayedMessage.class).persistent());
        assertEquals(6, receiver.expectMsgClass(WAIT, RecoverySuccess.class).highestSequenceNr());
    }

    @Test
    void shouldKeepMetadata() {
        TestKit probe = new TestKit(opened.system);
        write(probe, atomic(repr("c-6", 6, ActorRef.noSender()).withMetadata("meta"), repr("c-7", 7, sender.getRef())));
        probe.expectMsg(WAIT, WriteMessagesSuccessful$.MODULE$);
        replay(6, 7, 2);
        List<Object> metadata = new ArrayList<>();
        for (long number : LongStream.rangeClosed(6, 7).toArray()) {
            PersistentRepr event =
                    receiver.expectMsgClass(WAIT, ReplayedMessage.class).persistent();
            assertEvent("c-" + number, number, event);
            metadata.add(event.metadata().isEmpty() ? null : event.metadata().get());
        }
        List<Object> expected = new ArrayList<>();
        expected.add("meta");
        expected.add(null);
        assertEquals(expected, metadata);
        assertEquals(7, receiver.expectMsgClass(WAIT, RecoverySuccess.class).highestSequenceNr());
    }
}
