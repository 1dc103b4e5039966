package dev.switchboard.bench.journal;

import dev.switchboard.conversation.Conversation;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationSettings;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.DeliveryFigures;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.AskPattern;

/** Makes conversations recover, so many at once, each asked for itself and stopped when it has answered. */
final class RecoveryLoad implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Peers NOBODY = new Peers() {
        @Override
        public void conversation(String conv, ConversationCommand command) {
            // What a recovered conversation owes to others isn't measured.
        }

        @Override
        public void desk(String agent, DeskCommand command) {
            // As above.
        }

        @Override
        public void line(String queue, LineCommand command) {
            // As above.
        }
    };

    private final ActorSystem system;
    private final SqlStorage storage;
    private final int conversations;
    private final ConversationSettings settings;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    RecoveryLoad(ActorSystem system, SqlStorage storage, int conversations) {
        this.system = system;
        this.storage = storage;
        this.conversations = conversations;
        this.settings = ConversationSettings.of(system.settings().config().getConfig("switchboard.conversation"));
    }

    /** Recovers for so many seconds; how long each took, in nanoseconds. */
    Histogram run(int inFlight, int seconds) throws InterruptedException {
        Recorder latencies = new Recorder(3);
        Semaphore room = new Semaphore(inFlight);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end && failure.get() == null) {
            room.acquire();
            recover(ThreadLocalRandom.current().nextInt(conversations), latencies, room);
        }
        if (!room.tryAcquire(inFlight, PATIENCE.toSeconds(), TimeUnit.SECONDS) || failure.get() != null) {
            throw new IllegalStateException("a recovery failed", failure.get());
        }
        return latencies.getIntervalHistogram();
    }

    private void recover(int number, Recorder latencies, Semaphore room) {
        Principal customer = Principal.of(Role.CUSTOMER, "customer-0");
        long began = System.nanoTime();
        ActorRef<ConversationCommand> conversation = Adapter.spawnAnonymous(
                system,
                Conversation.create(
                        EventSource.conv(number),
                        Adapter.toTyped(system.deadLetters()),
                        NOBODY,
                        new OneQueue(),
                        storage.storage().entryLog(),
                        storage.storage().eraser(),
                        settings,
                        new DeliveryFigures()));
        AskPattern.ask(
                        conversation,
                        (ActorRef<ConversationReply> ref) -> new ConversationCommand.Describe(customer, ref),
                        PATIENCE,
                        Adapter.toTyped(system).scheduler())
                .whenCompleteAsync(
                        (reply, failed) -> {
                            latencies.recordValue(System.nanoTime() - began);
                            if (!(reply instanceof ConversationReply.Described)) {
                                failure.compareAndSet(
                                        null, failed == null ? new IllegalStateException(reply.toString()) : failed);
                            }
                            conversation.tell(new ConversationCommand.Stop());
                            room.release();
                        },
                        Runnable::run);
    }

    @Override
    public void close() {
        failure.set(null);
    }

    /** The queue of all of them. */
    private static final class OneQueue implements QueueCatalog {
        private static final QueueSettings SETTINGS = new QueueSettings(
                "default",
                "longest-idle",
                false,
                1,
                Duration.ofSeconds(20),
                1000,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofSeconds(5),
                Duration.ofMinutes(5),
                Duration.ofMinutes(1),
                Duration.ofDays(10_000),
                Duration.ofDays(10_000),
                QueueSettings.WhenClosed.REOPEN);

        @Override
        public Optional<QueueSettings> find(String queue) {
            return Optional.of(SETTINGS);
        }

        @Override
        public Collection<QueueSettings> all() {
            return List.of(SETTINGS);
        }
    }
}
