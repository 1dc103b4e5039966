package dev.switchboard.conversation;

import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.routing.QueueCatalog;
import dev.switchboard.routing.QueueSettings;
import dev.switchboard.routing.QueueSettings.WhenClosed;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Conversations in each status, built from real requests through the rules, for tests of the cells. */
final class Given {
    static final String CONV = "c-carol";
    static final Instant T0 = Instant.parse("2026-01-05T09:00:00Z");
    static final Principal CAROL = Principal.of(Role.CUSTOMER, "carol");
    static final Principal ALICE = Principal.of(Role.AGENT, "alice").withQueues(Set.of("default"));
    static final Principal BOB = Principal.of(Role.AGENT, "bob").withQueues(Set.of("default"));
    static final Principal SAM = Principal.of(Role.SUPERVISOR, "sam").withQueues(Set.of("default"));
    static final Principal BOT = Principal.of(Role.SERVICE, "bot");
    static final Principal OSCAR = Principal.of(Role.OPERATOR, "oscar");
    static final Principal STRANGER = Principal.of(Role.AGENT, "mallory").withQueues(Set.of("other"));

    static final RoutingDecision WHY = new RoutingDecision(T0, "alice", "longest-idle", "Idle longest.", List.of());

    private Given() {}

    static QueueSettings queue(String name, WhenClosed whenClosed) {
        return new QueueSettings(
                name,
                "longest-idle",
                false,
                1,
                Duration.ofSeconds(20),
                1000,
                Duration.ofMinutes(5),
                Duration.ZERO,
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofSeconds(30),
                Duration.ofMinutes(2),
                Duration.ofHours(1),
                whenClosed);
    }

    static QueueCatalog queues(WhenClosed whenClosed) {
        Map<String, QueueSettings> all =
                Map.of("default", queue("default", whenClosed), "sales", queue("sales", whenClosed));
        return new QueueCatalog() {
            @Override
            public Optional<QueueSettings> find(String name) {
                return Optional.ofNullable(all.get(name));
            }

            @Override
            public Collection<QueueSettings> all() {
                return all.values();
            }
        };
    }

    /** The same queues, of which none takes another conversation. */
    static QueueCatalog full(QueueCatalog queues) {
        return new QueueCatalog() {
            @Override
            public Optional<QueueSettings> find(String name) {
                return queues.find(name);
            }

            @Override
            public Collection<QueueSettings> all() {
                return queues.all();
            }

            @Override
            public boolean admits(String queue) {
                return false;
            }
        };
    }

    static ConversationSettings settings(InstantSource clock) {
        return settings(Duration.ZERO, clock);
    }

    static ConversationSettings settings(Duration reduceClosedAfter, InstantSource clock) {
        return new ConversationSettings(
                Duration.ofMinutes(2),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                200,
                256 * 1024,
                reduceClosedAfter,
                new LetterSettings(3, Duration.ofSeconds(1), Duration.ofMinutes(1), 0, 4, Duration.ofSeconds(30)),
                clock);
    }

    static ConversationRules rules(WhenClosed whenClosed) {
        return new ConversationRules(CONV, queues(whenClosed), settings(InstantSource.fixed(T0)));
    }

    static final ConversationRules RULES = rules(WhenClosed.REOPEN);

    static Post post(Principal by, Person sender, String id, String text, String after, boolean repeat, long epoch) {
        return new Post(by, sender, "default", id, Body.text(text), after, repeat, epoch, true, null);
    }

    static Post customerPost(String id, String text) {
        return post(CAROL, CAROL.person(), id, text, null, false, 0);
    }

    static Post agentPost(Principal agent, String id, String text, long epoch) {
        return post(agent, agent.person(), id, text, null, false, epoch);
    }

    static ConversationState after(ConversationState state, Verdict verdict) {
        if (!(verdict instanceof Verdict.Persist persist)) {
            throw new AssertionError("not persisted: " + verdict);
        }
        ConversationState next = state;
        for (ConversationEvent event : persist.events()) {
            next = next.apply(event);
        }
        return next;
    }

    /** Carol wrote m1; epoch 1, seq 1. */
    static ConversationState waiting() {
        return after(ConversationState.EMPTY, RULES.post(ConversationState.EMPTY, customerPost("m1", "hello"), T0));
    }

    static String offer(int n, String agent) {
        return new OfferId(CONV, 1, agent, n).toString();
    }

    /** Offered to that agent until T0 + 20 s. */
    static ConversationState offered(ConversationState state, String agent) {
        OpenOffer offer = new OpenOffer(offer(1, agent), agent, T0.plusSeconds(20), WHY);
        return state.apply(RULES.transitions().offered(state, offer, T0));
    }

    /** Alice owns it; epoch 2, seq 2. */
    static ConversationState assigned() {
        ConversationState offered = offered(waiting(), "alice");
        return after(
                offered,
                RULES.accept(offered, ALICE, OfferId.parse(offer(1, "alice")).orElseThrow(), T0));
    }

    /** Alice owned it and closed it; epoch 3, seq 3. */
    static ConversationState closed() {
        ConversationState assigned = assigned();
        return after(assigned, RULES.close(assigned, new ConversationCommand.Close(ALICE, 2, "done", "x1", null), T0));
    }

    static ConversationState in(Status status) {
        return switch (status) {
            case WAITING -> waiting();
            case OFFERED -> offered(waiting(), "alice");
            case ASSIGNED -> assigned();
            case CLOSED -> closed();
        };
    }
}
