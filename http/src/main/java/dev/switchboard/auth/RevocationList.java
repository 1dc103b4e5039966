package dev.switchboard.auth;

import dev.switchboard.conversation.Person;
import dev.switchboard.ports.Directory;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The people whose tokens are no longer taken, as this node knows them: it follows the directory within the refresh
 * interval, and its own changes at once. Thread-safe; never blocks. While the directory can't answer, the last known
 * list stands.
 */
public final class RevocationList implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationList.class);

    private final Directory directory;
    private final List<Consumer<Set<String>>> listeners = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private volatile Set<String> revoked = Set.of();
    private volatile long changes;
    private Cancellable refreshing;

    public RevocationList(Directory directory) {
        this.directory = directory;
    }

    /** Begins to follow the directory. Call once. */
    public void start(ActorSystem<?> system, Duration interval) {
        refresh();
        refreshing =
                system.scheduler().scheduleWithFixedDelay(interval, interval, this::refresh, system.executionContext());
    }

    /** True when that person's tokens are not taken. */
    public boolean isRevoked(Person person) {
        Set<String> now = revoked;
        return !now.isEmpty() && now.contains(person.key());
    }

    /** The keys ({@code role:id}) of the revoked people. */
    public Set<String> revoked() {
        return revoked;
    }

    /** Revokes; this node refuses the person at once, the others within the refresh interval. */
    public CompletionStage<Void> revoke(Person person, Instant at) {
        update(keys -> keys.add(person.key()));
        return directory.revoke(person.key(), at);
    }

    /** Takes the person's tokens again. */
    public CompletionStage<Void> unrevoke(Person person) {
        return directory.unrevoke(person.key()).thenRun(() -> update(keys -> keys.remove(person.key())));
    }

    /** The listener gets the whole set after each change, on any thread, and must not block. */
    public void onChange(Consumer<Set<String>> listener) {
        listeners.add(listener);
    }

    private void refresh() {
        long before = changes;
        directory.revoked().whenComplete((read, failure) -> {
            if (failure != null) {
                LOG.warn("the list of revoked people could not be read; the last one stands", failure);
            } else {
                replace(read, before);
            }
        });
    }

    /**
     * Takes over what was read, unless this node changed the list while it was being read: the next refresh will tell.
     */
    private void replace(Set<String> read, long changesBefore) {
        boolean changed;
        synchronized (lock) {
            changed = changes == changesBefore && !read.equals(revoked);
            if (changed) {
                revoked = Set.copyOf(read);
            }
        }
        if (changed) {
            tell();
        }
    }

    private void update(Consumer<Set<String>> change) {
        synchronized (lock) {
            Set<String> keys = new HashSet<>(revoked);
            change.accept(keys);
            revoked = Set.copyOf(keys);
            changes++;
        }
        tell();
    }

    private void tell() {
        Set<String> now = revoked;
        listeners.forEach(listener -> listener.accept(now));
    }

    @Override
    public void close() {
        if (refreshing != null) {
            refreshing.cancel();
        }
    }
}
