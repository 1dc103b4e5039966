package dev.switchboard.bench.journal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Recorder;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.UntypedAbstractActor;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.JournalProtocol.WriteMessageFailure;
import org.apache.pekko.persistence.JournalProtocol.WriteMessageRejected;
import org.apache.pekko.persistence.JournalProtocol.WriteMessageSuccess;
import org.apache.pekko.persistence.JournalProtocol.WriteMessages;
import org.apache.pekko.persistence.PersistentEnvelope;
import org.apache.pekko.persistence.PersistentRepr;
import scala.collection.immutable.List$;
import scala.collection.immutable.Seq;

/** Stands for some conversations, with one write in flight each. A failed write ends the measurement: none may fail. */
final class LoadActor extends UntypedAbstractActor {
    static final Object START = new Object();

    /** Send nothing more; count down when all is answered. */
    record Stop(CountDownLatch quiet) {}

    private final ActorRef journal;
    private final EventSource events;
    private final int first;
    private final int step;
    private final String[] ids;
    private final long[] numbers;
    private final long[] sentNanos;
    private final LongAdder written;
    private final Recorder latencies;
    private int inFlight;
    private boolean running;
    private CountDownLatch quiet;

    LoadActor(
            ActorRef journal,
            EventSource events,
            int first,
            int step,
            int conversations,
            LongAdder written,
            Recorder latencies) {
        this.journal = journal;
        this.events = events;
        this.first = first;
        this.step = step;
        this.written = written;
        this.latencies = latencies;
        int own = (conversations - first + step - 1) / step;
        ids = new String[own];
        numbers = new long[own];
        sentNanos = new long[own];
        for (int i = 0; i < own; i++) {
            ids[i] = EventSource.persistenceId(first + i * step);
        }
    }

    @Override
    public void onReceive(Object message) {
        if (message instanceof WriteMessageSuccess success) {
            answered(success.persistent());
        } else if (message == START) {
            running = true;
            for (int i = 0; i < ids.length; i++) {
                numbers[i] = 0;
                send(i);
            }
        } else if (message instanceof Stop stop) {
            running = false;
            quiet = stop.quiet();
            tellWhenQuiet();
        } else if (message instanceof WriteMessageFailure failure) {
            throw new IllegalStateException("a write failed", failure.cause());
        } else if (message instanceof WriteMessageRejected rejected) {
            throw new IllegalStateException("a write was rejected", rejected.cause());
        }
    }

    private void answered(PersistentRepr event) {
        String id = event.persistenceId();
        int i = (Integer.parseInt(id, id.lastIndexOf('-') + 1, id.length(), 10) - first) / step;
        latencies.recordValue(System.nanoTime() - sentNanos[i]);
        written.increment();
        inFlight--;
        if (running) {
            send(i);
        } else {
            tellWhenQuiet();
        }
    }

    private void send(int i) {
        long number = ++numbers[i];
        inFlight++;
        sentNanos[i] = System.nanoTime();
        PersistentRepr event = PersistentRepr.apply(
                events.event(first + i * step, number),
                number,
                ids[i],
                "",
                false,
                ActorRef.noSender(),
                "writer-" + ids[i]);
        Seq<PersistentEnvelope> writes =
                List$.MODULE$.<PersistentEnvelope>empty().$colon$colon(AtomicWrite.apply(event));
        journal.tell(new WriteMessages(writes, self(), 1), self());
    }

    private void tellWhenQuiet() {
        if (inFlight == 0 && quiet != null) {
            quiet.countDown();
            quiet = null;
        }
    }
}
