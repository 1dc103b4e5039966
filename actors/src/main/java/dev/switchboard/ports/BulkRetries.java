package dev.switchboard.ports;

import dev.switchboard.conversation.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The bulk retries of dead letters, kept where every node finds them. Thread-safe; never blocks the caller. A stage fails with
 * {@link StorageUnavailableException} when the database can't answer now.
 *
 * <pre>
 * a job's state   nothing left to send or to await   somebody stops it    stopped, nothing left to await
 * running         done                               stopping             –
 * stopping        –                                  as it is             stopped
 *
 * a letter's state in a job
 * waiting         not sent yet; it stays so when the job is stopped
 * sent            its conversation was asked to send it, and its receiver has yet to answer
 * delivered       the receiver's terminal acknowledged it
 * failed          dead with one attempt more, or its conversation couldn't be asked: the code says which
 * skipped         discarded, or superseded, before it was its turn
 * </pre>
 *
 * <p>Every change names the state that it leaves, so doing it twice, or by two nodes at once, does no harm.
 */
public interface BulkRetries {
    /** How far a job is. */
    enum State {
        RUNNING,
        STOPPING,
        STOPPED,
        DONE;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        public String wireName() {
            return wireName;
        }
    }

    /**
     * What is asked for. A null field narrows nothing.
     *
     * @param by who asks: the letters are those that this person may retry, and each says that this person did it
     * @param key the request's id
     * @param ids exactly these letters; null for all that the rest finds
     * @param cap how many letters at most, the oldest first
     * @param pace how many letters a second
     */
    record Request(Principal by, String key, String queue, String conv, List<String> ids, int cap, int pace) {
        public Request {
            ids = ids == null ? null : List.copyOf(ids);
        }
    }

    /** How many of a job's letters are in each state. */
    record Progress(int total, int waiting, int sent, int delivered, int failed, int skipped) {}

    /**
     * A job as it is now.
     *
     * @param id its id
     * @param by who asked for it, with the claims of then
     * @param queue the queue it is narrowed to; null for none
     * @param conv the conversation it is narrowed to; null for none
     * @param ids how many letters the request named; 0 when it named none
     * @param stoppedBy who stopped it ({@code role:id}); null when nobody did
     * @param stoppedAt when; null when nobody did
     * @param finishedAt when nothing was left to do; null before
     */
    record Job(
            String id,
            Principal by,
            String queue,
            String conv,
            int ids,
            int cap,
            int pace,
            State state,
            Instant at,
            String stoppedBy,
            Instant stoppedAt,
            Instant finishedAt,
            Progress progress) {
        /** True when nothing of it is left to do. */
        public boolean isFinished() {
            return state == State.DONE || state == State.STOPPED;
        }
    }

    /** What a request came to. */
    sealed interface Asked {
        /** A job was made of it. */
        record Created(Job job) implements Asked {}

        /** The same was asked for before; the job as it is now. */
        record Known(Job job) implements Asked {}

        /** The same person asked for something else with the same key. */
        record Reused() implements Asked {}

        /** As many jobs as may be are not finished. */
        record Full() implements Asked {}
    }

    /** One letter of a job. */
    record Item(int place, String letter, String conv) {}

    /** What came of one letter's turn. {@code failure}: the code of why it couldn't be asked for; null when it was. */
    record Turn(int place, String failure) {}

    /** Makes a job, unless {@code maxOpen} are not finished; its letters are chosen in the same transaction. */
    CompletionStage<Asked> ask(Request request, int maxOpen, Instant now);

    CompletionStage<Optional<Job>> job(String id);

    /**
     * The newest first. Throws IllegalArgumentException for a cursor that this list didn't make.
     *
     * @param creator only those of this person ({@code role:id}); null for all
     */
    CompletionStage<Directory.Rows<Job>> jobs(String creator, Optional<String> cursor, int limit);

    /** Asks that nothing more of it is sent; gives it as it is then, or empty when there is no such job. */
    CompletionStage<Optional<Job>> stop(String id, String by, Instant now);

    /** The jobs that are not finished, the oldest first. */
    CompletionStage<List<Job>> open();

    /** The next letters to send, in their order; none once the job is stopped or finished. */
    CompletionStage<List<Item>> next(String id, int limit);

    /** Notes what came of some letters' turns. */
    CompletionStage<Void> took(String id, List<Turn> turns, Instant now);

    /** Takes over what became of the letters that were sent, finishes the job when nothing is left, and gives it. */
    CompletionStage<Optional<Job>> settle(String id, Instant now);

    /** Forgets jobs that were finished before that. */
    CompletionStage<Integer> forget(Instant before);

    /** Where there is none: nothing can be asked for. */
    BulkRetries NONE = new BulkRetries() {
        @Override
        public CompletionStage<Asked> ask(Request request, int maxOpen, Instant now) {
            return CompletableFuture.completedFuture(new Asked.Full());
        }

        @Override
        public CompletionStage<Optional<Job>> job(String id) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Directory.Rows<Job>> jobs(String creator, Optional<String> cursor, int limit) {
            return CompletableFuture.completedFuture(new Directory.Rows<>(List.of(), Optional.empty()));
        }

        @Override
        public CompletionStage<Optional<Job>> stop(String id, String by, Instant now) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<List<Job>> open() {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletionStage<List<Item>> next(String id, int limit) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletionStage<Void> took(String id, List<Turn> turns, Instant now) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Optional<Job>> settle(String id, Instant now) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Integer> forget(Instant before) {
            return CompletableFuture.completedFuture(0);
        }
    };
}
