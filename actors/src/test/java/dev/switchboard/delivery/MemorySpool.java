package dev.switchboard.delivery;

import dev.switchboard.conversation.Person;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.SpooledPost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;

/** A spool without a disk, whose forces a test may hold back or let fail. Thread-safe. */
final class MemorySpool implements Spool {
    private final Map<Long, SpooledPost> posts = new TreeMap<>();
    private final List<RefusedPost> refused = new ArrayList<>();
    private final List<Stored> leftOver;
    private long next = 1;
    int room = Integer.MAX_VALUE;
    CompletionStage<Done> force = CompletableFuture.completedFuture(Done.getInstance());

    MemorySpool(SpooledPost... left) {
        List<Stored> found = new ArrayList<>();
        for (SpooledPost post : left) {
            posts.put(next, post);
            found.add(new Stored(next++, post));
        }
        leftOver = List.copyOf(found);
    }

    @Override
    public List<Stored> leftOver() {
        return leftOver;
    }

    @Override
    public synchronized Optional<Keeping> keep(SpooledPost post) {
        if (posts.size() >= room) {
            return Optional.empty();
        }
        posts.put(next, post);
        return Optional.of(new Keeping(next++, force));
    }

    @Override
    public synchronized CompletionStage<Optional<SpooledPost>> read(long number) {
        return CompletableFuture.completedFuture(Optional.ofNullable(posts.get(number)));
    }

    @Override
    public synchronized CompletionStage<Done> accepted(long number) {
        posts.remove(number);
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    @Override
    public synchronized CompletionStage<Done> refused(long number, String reason) {
        SpooledPost post = posts.remove(number);
        refused.add(new RefusedPost(post.conv(), post.sender(), post.clientMsgId(), reason, Instant.EPOCH));
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    @Override
    public synchronized Optional<RefusedPost> refusal(String conv, Person sender, String clientMsgId) {
        return refused.stream()
                .filter(post -> post.conv().equals(conv)
                        && post.sender().equals(sender)
                        && post.clientMsgId().equals(clientMsgId))
                .findFirst();
    }

    @Override
    public synchronized CompletionStage<Integer> erase(String conv) {
        posts.values().removeIf(post -> post.conv().equals(conv));
        return CompletableFuture.completedFuture(0);
    }

    @Override
    public synchronized Figures figures() {
        return new Figures(posts.size(), 0, null);
    }

    @Override
    public void close() {
        // Nothing to let go.
    }
}
