package dev.switchboard.journal;

import dev.switchboard.directory.WriteFigures;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.serialization.Serialization;
import scala.collection.immutable.Seq;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;
import scala.util.Failure;
import scala.util.Success;
import scala.util.Try;

/**
 * One call's writes of one persistent actor, on their way. Made by the caller's thread, then used by one writer's alone;
 * its promise may be completed once, from any thread.
 */
final class PendingWrite {
    private final String persistenceId;
    private final int events;
    private final List<AtomicWrite> writes;
    private final Serialization serialization;
    private final ExecutionContext executor;
    private final Promise<Seq<Try<BoxedUnit>>> promise = Promise.apply();
    private final long arrivedNanos = System.nanoTime();
    private final List<JournalRow> rows = new ArrayList<>(1);
    private List<Try<BoxedUnit>> results = List.of();
    private long bytes;
    private boolean settled;

    /**
     * @param writes at least one, all of the same persistence id
     * @param executor runs what hangs on the future
     */
    PendingWrite(List<AtomicWrite> writes, Serialization serialization, ExecutionContext executor) {
        this.writes = writes;
        this.serialization = serialization;
        this.executor = executor;
        persistenceId = writes.get(0).persistenceId();
        int count = 0;
        for (AtomicWrite write : writes) {
            count += write.size();
        }
        events = count;
    }

    String persistenceId() {
        return persistenceId;
    }

    /** How many events came with the call. */
    int events() {
        return events;
    }

    ExecutionContext executor() {
        return executor;
    }

    long arrivedNanos() {
        return arrivedNanos;
    }

    Future<Seq<Try<BoxedUnit>>> future() {
        return promise.future();
    }

    Serialization serialization() {
        return serialization;
    }

    /**
     * Serializes the events; an atomic write that can't be is rejected by itself. To be called within
     * {@link Serialization#withTransportInformation}.
     */
    void serialize(WriteFigures figures) {
        for (int i = 0; i < writes.size(); i++) {
            serialize(i, figures);
        }
    }

    private void serialize(int index, WriteFigures figures) {
        int before = rows.size();
        try {
            for (PersistentRepr repr :
                    CollectionConverters.asJava(writes.get(index).payload())) {
                rows.add(JournalRow.of(repr, serialization));
            }
            for (JournalRow row : rows.subList(before, rows.size())) {
                bytes += row.event().bytes().length;
            }
            if (!results.isEmpty()) {
                results.add(new Success<>(BoxedUnit.UNIT));
            }
        } catch (Exception e) {
            rows.subList(before, rows.size()).clear();
            figures.rejected();
            if (results.isEmpty()) {
                results = new ArrayList<>(writes.size());
                for (int i = 0; i < index; i++) {
                    results.add(new Success<>(BoxedUnit.UNIT));
                }
            }
            results.add(new Failure<>(e));
        }
    }

    /** What is to be written, once serialized; without what was rejected. */
    List<JournalRow> rows() {
        return rows;
    }

    /** The size of the serialized events. */
    long bytes() {
        return bytes;
    }

    /** Claims the right to answer: true once. For the writer's thread, as an answer may be given later by another. */
    boolean settle() {
        boolean first = !settled;
        settled = true;
        return first;
    }

    /** Persisted, but for what was rejected. No results is the journal's short form for all went well. */
    void succeed() {
        promise.trySuccess(CollectionConverters.asScala(results).toList());
    }

    void fail(Throwable cause) {
        promise.tryFailure(cause);
    }
}
