package dev.switchboard.testing;

import com.typesafe.config.Config;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.journal.StorageSetup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.JournalProtocol;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentEnvelope;
import org.apache.pekko.persistence.PersistentRepr;
import scala.jdk.javaapi.CollectionConverters;

/** A storage with an actor system on it, and the journal's own protocol spoken to it. */
public final class TestJournal implements AutoCloseable {
    public static final String WRITER = "writer-1";
    private static final Duration WAIT = Duration.ofSeconds(60);

    public final SqlStorage storage;
    public final ActorSystem system;
    private final ActorRef journal;

    public TestJournal(Config config) {
        storage = SqlStorage.open(config);
        system = ActorSystem.create("test", StorageSetup.of(storage, config));
        journal = Persistence.get(system).journalFor("", com.typesafe.config.ConfigFactory.empty());
    }

    /**
     * What the journal answers to one caller. A test kit's probe would take 10 ms to make: too long for a thousand callers
     * at once.
     */
    private static final class Answers {
        private final BlockingQueue<Object> messages = new LinkedBlockingQueue<>();
        private final ActorRef ref;

        Answers(ActorSystem system) {
            ref = system.actorOf(Props.create(Inbox.class, () -> new Inbox(messages)));
        }

        /** The next answer; null when none comes in time. */
        Object next() {
            try {
                return messages.poll(WAIT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
    }

    private static final class Inbox extends AbstractActor {
        private final BlockingQueue<Object> messages;

        Inbox(BlockingQueue<Object> messages) {
            this.messages = messages;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(messages::add).build();
        }
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
        private final Answers answers;
        private final int events;

        private Begun(Answers answers, int events) {
            this.answers = answers;
            this.events = events;
        }

        /** The first event's outcome, after all events of the write have theirs. */
        public Outcome outcome() {
            Outcome first = null;
            int answered = 0;
            while (answered < events) {
                Object message = answers.next();
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
                    answered++;
                    first = first == null ? outcome : first;
                }
            }
            return first;
        }
    }

    public Begun begin(String persistenceId, String writer, long firstSequenceNr, Object... events) {
        Answers answers = new Answers(system);
        List<PersistentRepr> reprs = new ArrayList<>();
        long sequenceNr = firstSequenceNr;
        for (Object event : events) {
            reprs.add(PersistentRepr.apply(event, sequenceNr++, persistenceId, "", false, ActorRef.noSender(), writer));
        }
        PersistentEnvelope write =
                AtomicWrite.apply(CollectionConverters.asScala(reprs).toList());
        journal.tell(
                new JournalProtocol.WriteMessages(
                        CollectionConverters.asScala(List.of(write)).toList(), answers.ref, 1),
                answers.ref);
        return new Begun(answers, events.length);
    }

    /** The events from that number on, as a recovering actor gets them. */
    public List<Object> replay(String persistenceId, long from) {
        Answers answers = new Answers(system);
        journal.tell(
                new JournalProtocol.ReplayMessages(from, Long.MAX_VALUE, Long.MAX_VALUE, persistenceId, answers.ref),
                answers.ref);
        List<Object> events = new ArrayList<>();
        while (true) {
            Object message = answers.next();
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
        Answers answers = new Answers(system);
        journal.tell(
                new JournalProtocol.ReplayMessages(
                        Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, persistenceId, answers.ref),
                answers.ref);
        return ((JournalProtocol.RecoverySuccess) answers.next()).highestSequenceNr();
    }

    public void deleteTo(String persistenceId, long sequenceNr) {
        Answers answers = new Answers(system);
        journal.tell(new JournalProtocol.DeleteMessagesTo(persistenceId, sequenceNr, answers.ref), answers.ref);
        if (!(answers.next() instanceof DeleteMessagesSuccess)) {
            throw new AssertionError("the deletion failed");
        }
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
