package dev.switchboard.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.Entry.Visibility;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.testing.Samples;
import dev.switchboard.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.junit.jupiter.api.Test;

/** A typed persistent actor over the whole of it: journal, snapshots, serializers, a restart. */
abstract class BehaviorContractTest {
    private static final int MESSAGES = 25;

    abstract TestDatabase newDatabase();

    /** Persist an event; answered with the state after it. */
    private record Say(ConversationEvent event, ActorRef<ConversationState> replyTo) {}

    private static final class Talk extends EventSourcedBehavior<Say, ConversationEvent, ConversationState> {
        Talk() {
            super(PersistenceId.ofUniqueId("conversation|c-talk"));
        }

        @Override
        public ConversationState emptyState() {
            return ConversationState.EMPTY;
        }

        @Override
        public CommandHandler<Say, ConversationEvent, ConversationState> commandHandler() {
            return (state, say) -> say.event() == null
                    ? Effect().none().thenReply(say.replyTo(), after -> after)
                    : Effect().persist(say.event()).thenReply(say.replyTo(), after -> after);
        }

        @Override
        public EventHandler<ConversationState, ConversationEvent> eventHandler() {
            return ConversationState::apply;
        }

        @Override
        public RetentionCriteria retentionCriteria() {
            return RetentionCriteria.snapshotEvery(10, 1);
        }
    }

    private static ConversationState ask(ActorSystem<Say> system, ConversationEvent event) throws Exception {
        CompletionStage<ConversationState> state = AskPattern.ask(
                system,
                (ActorRef<ConversationState> ref) -> new Say(event, ref),
                Duration.ofSeconds(20),
                system.scheduler());
        return state.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static void end(ActorSystem<Say> system) throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldRecoverFromSnapshotAndEventsAfterARestart() throws Exception {
        try (TestDatabase database = newDatabase()) {
            ConversationState before = null;
            try (SqlStorage storage = SqlStorage.open(database.config())) {
                ActorSystem<Say> system =
                        ActorSystem.create(new Talk(), "first", StorageSetup.of(storage, database.config()));
                ask(system, Samples.opened("talk", "default"));
                for (int seq = 1; seq <= MESSAGES; seq++) {
                    before = ask(system, Samples.message("talk", seq, "text " + seq));
                }
                end(system);
            }
            try (Connection connection = database.connect();
                    ResultSet rows = connection
                            .createStatement()
                            .executeQuery("SELECT count(*), max(sequence_number) FROM snapshot")) {
                rows.next();
                assertTrue(rows.getInt(1) >= 1 && rows.getLong(2) >= 10, "no snapshot was kept");
            }
            try (SqlStorage storage = SqlStorage.open(database.config())) {
                ActorSystem<Say> system =
                        ActorSystem.create(new Talk(), "second", StorageSetup.of(storage, database.config()));
                ConversationState after = ask(system, null);
                assertEquals(before.log(), after.log());
                assertEquals(before.ownership(), after.ownership());
                assertEquals(
                        MESSAGES,
                        storage.storage()
                                .entryLog()
                                .lastSeq("c-talk", Visibility.ALL)
                                .toCompletableFuture()
                                .get(20, TimeUnit.SECONDS));
                end(system);
            }
        }
    }

    /** An actor system that was made without a storage opens its own, and closes it at its end. */
    @Test
    void shouldOpenItsOwnStorageWhenNoneWasGiven() throws Exception {
        try (TestDatabase database = newDatabase()) {
            for (int seq = 1; seq <= 2; seq++) {
                ActorSystem<Say> system =
                        ActorSystem.create(new Talk(), "own", StorageSetup.withJournal(database.config()));
                if (seq == 1) {
                    ask(system, Samples.opened("talk", "default"));
                }
                assertEquals(
                        seq,
                        ask(system, Samples.message("talk", seq, "text")).log().lastSeq());
                end(system);
            }
        }
    }
}
