package dev.switchboard.testing;

import com.typesafe.config.Config;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.journal.StorageSetup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.JournalProtocol;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentEnvelope;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.testkit.javadsl.TestKit;
import scala.jdk.javaapi.CollectionConverters;

/** A storage with an actor system on it, and the journal's own protocol spoken to it. */
public final class TestJournal implements AutoCloseable {
    public static final String WRITER = "writer-1";
    private static final Duration WAIT = Duration.ofSeconds(20);

    public final SqlStorage storage;
    public final ActorSystem system;
    private final ActorRef journal;

    public TestJournal(Config config) {
        storage = SqlStorage.open(config);
        system = ActorSystem.create("test", StorageSetup.of(storage, config));
        journal = Persistence.get(system).journalFor("", com.typesafe.config.ConfigFactory.empty());
    }

    /** What became of one write. */
    public sealed interface Outcome {
        /** Acknowledged. */
        record Written() implements Outcome {}

        /** Its event can't be serialized; the actor would go on. */
        record Rejected(Throwable cause) implements Outcome {}

        /** It may or may not be written; the actor would stop. */
        record Failed(Throwable cause) implements Outcome {}
    }

    /** Writes some events as one atomic write. */
    public Outcome write(String persistenceId, long firstSequenceNr, Object... events) {
        return begin(persistenceId, WRITER, firstSequenceNr, events).outcome();
    }

    public Outcome writeBy(String writer, String persistenceId, long firstSequenceNr, Object... events) {
        return begin(persistenceId, writer, firstSequenceNr, events).outcome();
    }

    /** A write that was sent; its outcome comes later. */
    public static final class Begun {
        private final TestKit probe;
        private final int events;

        private Begun(TestKit probe, int events) {
            this.probe = probe;
            this.events = events;
        }

        /** The first event's outcome, after all events of the write have theirs. */
        public Outcome outcome() {
            Outcome first = null;
            int answers = 0;
            while (answers < events) {
                Object message = probe.receiveOne(WAIT);
                Outcome outcome = null;
                if (message instanceof JournalProtocol.WriteMessageSuccess) {
                    outcome = new Outcome.Written();
                } else if (message instanceof JournalProtocol.WriteMessageRejected rejected) {
                    outcome = new Outcome.Rejected(rejected.cause());
                } else if (message instanceof JournalProtocol.WriteMessageFailure failure) {
                    outcome = new Outcome.Failed(failure.cause());
                } else if (message == null) {
                    throw new AssertionError("no answer of the journal");
                }
                if (outcome != null) {
                    answers++;
                    first = first == null ? outcome : first;
                }
            }
            return first;
        }
    }

    public Begun begin(String persistenceId, String writer, long firstSequenceNr, Object... events) {
        TestKit probe = new TestKit(system);
        List<PersistentRepr> reprs = new ArrayList<>();
        long sequenceNr = firstSequenceNr;
        for (Object event : events) {
            reprs.add(PersistentRepr.apply(event, sequenceNr++, persistenceId, "", false, ActorRef.noSender(), writer));
        }
        PersistentEnvelope write =
                AtomicWrite.apply(CollectionConverters.asScala(reprs).toList());
        journal.tell(
                new JournalProtocol.WriteMessages(
                        CollectionConverters.asScala(List.of(write)).toList(), probe.getRef(), 1),
                probe.getRef());
        return new Begun(probe, events.length);
    }

    /** The events from that number on, as a recovering actor gets them. */
    public List<Object> replay(String persistenceId, long from) {
        TestKit probe = new TestKit(system);
        journal.tell(
                new JournalProtocol.ReplayMessages(from, Long.MAX_VALUE, Long.MAX_VALUE, persistenceId, probe.getRef()),
                probe.getRef());
        List<Object> events = new ArrayList<>();
        while (true) {
            Object message = probe.receiveOne(WAIT);
            if (message instanceof JournalProtocol.ReplayedMessage replayed) {
                events.add(replayed.persistent().payload());
            } else if (message instanceof JournalProtocol.RecoverySuccess) {
                return events;
            } else {
                throw new AssertionError("replay ended with " + message);
            }
        }
    }

    /** The last number that the journal knows of that id. */
    public long highest(String persistenceId) {
        TestKit probe = new TestKit(system);
        journal.tell(
                new JournalProtocol.ReplayMessages(
                        Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, persistenceId, probe.getRef()),
                probe.getRef());
        return ((JournalProtocol.RecoverySuccess) probe.receiveOne(WAIT)).highestSequenceNr();
    }

    public void deleteTo(String persistenceId, long sequenceNr) {
        TestKit probe = new TestKit(system);
        journal.tell(new JournalProtocol.DeleteMessagesTo(persistenceId, sequenceNr, probe.getRef()), probe.getRef());
        probe.expectMsgClass(WAIT, org.apache.pekko.persistence.DeleteMessagesSuccess.class);
    }

    @Override
    public void close() {
        try {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            storage.close();
        }
    }
}
