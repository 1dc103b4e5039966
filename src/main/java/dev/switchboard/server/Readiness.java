package dev.switchboard.server;

import dev.switchboard.directory.SqlStorage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;

/**
 * Whether this node serves, and why not. Thread-safe; never blocks.
 *
 * <pre>
 * starting ──serving──▶ serving ──draining──▶ draining
 *                       serving ──away──▶ away ──back──▶ serving
 *                                         away ──draining──▶ draining
 * </pre>
 *
 * A serving node is ready while it is a member that is up and its database answers.
 */
final class Readiness {
    private static final long PROBE_DEADLINE_SECONDS = 3;

    /** The answer to "do you serve?"; {@code reason} is for a person and empty when ready. */
    record Answer(boolean ready, String reason) {
        static final Answer YES = new Answer(true, "");

        static Answer no(String reason) {
            return new Answer(false, reason);
        }
    }

    private sealed interface State {
        record Starting(String step) implements State {}

        record Serving(Cluster cluster, SqlStorage storage) implements State {}

        record Away(Serving before) implements State {}

        record Draining() implements State {}
    }

    private final AtomicReference<State> state = new AtomicReference<>(new State.Starting("starting"));

    /** The start has come to this step. */
    void starting(String step) {
        state.updateAndGet(s -> s instanceof State.Starting ? new State.Starting(step) : s);
    }

    /** The start is through. */
    void serving(Cluster cluster, SqlStorage storage) {
        state.updateAndGet(s -> s instanceof State.Starting ? new State.Serving(cluster, storage) : s);
    }

    /** An operator drains the node. */
    void away() {
        state.updateAndGet(s -> s instanceof State.Serving serving ? new State.Away(serving) : s);
    }

    /** The operator wants it to serve again. */
    void back() {
        state.updateAndGet(s -> s instanceof State.Away away ? away.before() : s);
    }

    /** The end has begun; there is no way back. */
    void draining() {
        state.set(new State.Draining());
    }

    CompletionStage<Answer> ask() {
        State now = state.get();
        if (now instanceof State.Starting starting) {
            return CompletableFuture.completedFuture(Answer.no("starting: " + starting.step()));
        }
        if (now instanceof State.Serving serving) {
            return ask(serving);
        }
        return CompletableFuture.completedFuture(Answer.no("draining"));
    }

    private static CompletionStage<Answer> ask(State.Serving serving) {
        MemberStatus status = serving.cluster().selfMember().status();
        if (!status.equals(MemberStatus.up())) {
            return CompletableFuture.completedFuture(Answer.no("the cluster member is " + status));
        }
        return serving.storage()
                .ping()
                .toCompletableFuture()
                .completeOnTimeout(false, PROBE_DEADLINE_SECONDS, TimeUnit.SECONDS)
                .thenApply(answers -> answers ? Answer.YES : Answer.no("the database does not answer"));
    }
}
