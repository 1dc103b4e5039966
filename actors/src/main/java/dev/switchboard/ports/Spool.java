package dev.switchboard.ports;

import dev.switchboard.conversation.Person;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;

/**
 * Customers' posts on this node's own disk, while the journal can't be written. Any thread may call it; it never blocks
 * its caller, and its stages complete on a thread of its own, which callers must not hold up. It keeps and gives back; who
 * is to be kept, and when a post is sent, is decided by those who use it.
 */
public interface Spool extends AutoCloseable {
    /** A post that is kept, under its number: they grow in the order in which posts came. */
    record Stored(long number, SpooledPost post) {}

    /**
     * A post that was kept and could not be accepted. Its body is gone.
     *
     * @param reason the code of the refusal, {@code too-old} or {@code erased}
     */
    record RefusedPost(String conv, Person sender, String clientMsgId, String reason, Instant at) {}

    /** A post on its way to the disk. {@code forced} completes when it would outlive the end of this machine's power. */
    record Keeping(long number, CompletionStage<Done> forced) {}

    /** What it holds now. {@code oldest} is when the oldest post came; null when it holds none. */
    record Figures(long posts, long bytes, Instant oldest) {}

    /** The posts that an earlier life of this node left, in their order. */
    List<Stored> leftOver();

    /** Keeps a post; empty when there is no room for it. A stage that fails: it is not kept. */
    Optional<Keeping> keep(SpooledPost post);

    /** A post that is kept; empty when it has been settled or erased meanwhile. */
    CompletionStage<Optional<SpooledPost>> read(long number);

    /** The post is in the journal: forgets it. */
    CompletionStage<Done> accepted(long number);

    /** The post will never be in the journal: forgets its body, and keeps for a time that it was refused, and why. */
    CompletionStage<Done> refused(long number, String reason);

    /** Whether such a post was refused lately. */
    Optional<RefusedPost> refusal(String conv, Person sender, String clientMsgId);

    /**
     * Removes a conversation's posts, and whatever the file still holds of those it had before: afterwards no byte of the
     * file says what they said. Those that were still kept count as refused, with the reason {@code erased}.
     *
     * @return how many were still kept
     */
    CompletionStage<Integer> erase(String conv);

    Figures figures();

    /** Writes what is under way and lets the file go. */
    @Override
    void close();

    /** Where there is none: it has no room and holds nothing. */
    Spool NONE = new Spool() {
        @Override
        public List<Stored> leftOver() {
            return List.of();
        }

        @Override
        public Optional<Keeping> keep(SpooledPost post) {
            return Optional.empty();
        }

        @Override
        public CompletionStage<Optional<SpooledPost>> read(long number) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Done> accepted(long number) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }

        @Override
        public CompletionStage<Done> refused(long number, String reason) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }

        @Override
        public Optional<RefusedPost> refusal(String conv, Person sender, String clientMsgId) {
            return Optional.empty();
        }

        @Override
        public CompletionStage<Integer> erase(String conv) {
            return CompletableFuture.completedFuture(0);
        }

        @Override
        public Figures figures() {
            return new Figures(0, 0, null);
        }

        @Override
        public void close() {
            // There is nothing to let go.
        }
    };
}
