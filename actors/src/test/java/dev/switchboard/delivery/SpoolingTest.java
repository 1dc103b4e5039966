package dev.switchboard.delivery;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.Close;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationCommand.TellSender;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.conversation.ConversationReply.Spooled;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush.MessageState;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.ports.EntryLog;
import dev.switchboard.ports.SpooledPost;
import dev.switchboard.ports.Storage;
import dev.switchboard.ports.StorageUnavailableException;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.Peers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The gateway with a spool, before conversations whose journal comes and goes. */
class SpoolingTest {
    private static final ActorTestKit KIT = ActorTestKit.create();
    private static final Principal CAROL = Principal.of(Role.CUSTOMER, "carol");
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** How the journal is. */
    private enum Journal {
        WORKS,
        REFUSES,
        /** Nothing is answered, but what was sent is written. */
        SILENT_BUT_WRITES,
        SILENT
    }

    private volatile Journal journal = Journal.WORKS;
    private volatile ErrorCode refuses;
    private final Map<String, Map<String, Long>> written = new ConcurrentHashMap<>();
    private final List<ConversationCommand> sent = new CopyOnWriteArrayList<>();
    private final List<MessageState> told = new CopyOnWriteArrayList<>();
    private volatile Instant now = Instant.parse("2026-01-01T10:00:00Z");
    private MemorySpool spool = new MemorySpool();

    @AfterAll
    static void stop() {
        KIT.shutdownTestKit();
    }

    private final class FakePeers implements Peers {
        @Override
        public void conversation(String conv, ConversationCommand command) {
            sent.add(command);
            if (command instanceof Post post) {
                post(conv, post);
            } else if (command instanceof Describe describe && journal == Journal.WORKS) {
                describe.replyTo().tell(Refused.of(ErrorCode.NOT_FOUND, "none"));
            } else if (command instanceof Close close) {
                close.replyTo().tell(new Done(conv, 1, 1, 1, false));
            }
        }

        private void post(String conv, Post post) {
            if (journal == Journal.SILENT) {
                return;
            }
            if (journal == Journal.REFUSES) {
                post.replyTo().tell(Refused.of(ErrorCode.JOURNAL_UNAVAILABLE, "away"));
                return;
            }
            if (refuses != null) {
                post.replyTo().tell(Refused.of(refuses, "no"));
                return;
            }
            synchronized (written) {
                Map<String, Long> log = written.computeIfAbsent(conv, c -> new LinkedHashMap<>());
                boolean duplicate = log.containsKey(post.clientMsgId());
                if (!duplicate && post.after() != null && !log.containsKey(post.after())) {
                    post.replyTo().tell(Refused.of(ErrorCode.OUT_OF_ORDER, "not yet"));
                    return;
                }
                long seq = log.computeIfAbsent(post.clientMsgId(), id -> log.size() + 1L);
                if (journal == Journal.WORKS) {
                    post.replyTo().tell(new Done(conv, seq, 1, seq, duplicate));
                }
            }
        }

        @Override
        public void desk(String agent, DeskCommand command) {}

        @Override
        public void line(String queue, LineCommand command) {}
    }

    private final class FakeLog implements EntryLog {
        @Override
        public CompletionStage<Page> readUpwards(
                String conv, Entry.Visibility reader, long since, long before, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Page> readNewest(String conv, Entry.Visibility reader, long before, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Long> lastSeq(String conv, Entry.Visibility reader) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Optional<RequestRecord>> findRequest(String conv, Person sender, String clientMsgId) {
            Long seq = written.getOrDefault(conv, Map.of()).get(clientMsgId);
            return CompletableFuture.completedFuture(
                    Optional.ofNullable(seq).map(found -> new RequestRecord(clientMsgId, 1, found, 1)));
        }
    }

    private RepeatingGateway gateway() {
        return gateway(true);
    }

    private RepeatingGateway gateway(boolean enabled) {
        EmptyStorage tables = new EmptyStorage();
        Storage storage = new Storage(
                tables,
                new FakeLog(),
                (at, limit) -> journal == Journal.WORKS
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(new StorageUnavailableException("away", null)),
                null,
                spool);
        RepeatingGateway gateway = RepeatingGateway.start(
                KIT.system(),
                new FakePeers(),
                tables,
                new GatewaySettings(Duration.ofMillis(700), Duration.ofMillis(250), 1000, 100_000));
        Clock clock = new Clock() {
            @Override
            public java.time.ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now;
            }
        };
        gateway.useSpool(new SpoolSettings(enabled, Duration.ofHours(1), 8, Duration.ofMillis(100)), storage, clock)
                .onSettled((person, state) -> told.add(state));
        return gateway;
    }

    private static Post post(Principal by, Person sender, String id, String text, String after) {
        return new Post(by, sender, "default", id, Body.text(text), after, false, 0, true, null);
    }

    private static CompletionStage<ConversationReply> ask(RepeatingGateway gateway, Post post) {
        return gateway.conversation(
                "c-" + post.sender().id(),
                post.by().person(),
                ref -> new Post(
                        post.by(),
                        post.sender(),
                        post.queue(),
                        post.clientMsgId(),
                        post.body(),
                        post.after(),
                        post.repeat(),
                        post.epoch(),
                        post.viaSocket(),
                        ref));
    }

    private static ConversationReply carol(RepeatingGateway gateway, String id, String after) throws Exception {
        return get(ask(gateway, post(CAROL, CAROL.person(), id, "text of " + id, after)));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(40, TimeUnit.SECONDS);
    }

    private static ErrorCode code(ConversationReply reply) {
        return assertInstanceOf(Refused.class, reply).refusal().code();
    }

    private List<String> writtenBy(String customer) {
        synchronized (written) {
            return List.copyOf(written.getOrDefault("c-" + customer, Map.of()).keySet());
        }
    }

    private long postsSent() {
        return sent.stream().filter(Post.class::isInstance).count();
    }

    @Test
    void shouldSpoolWhatCantBeWrittenAndQueueTheSendersLaterPostsBehind() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.REFUSES;
        assertEquals(new Spooled("c-carol", "m1", false), carol(gateway, "m1", null));
        long asked = postsSent();
        assertEquals(new Spooled("c-carol", "m2", false), carol(gateway, "m2", "m1"));
        assertEquals(asked, postsSent());
        assertEquals(
                "spooled",
                gateway.spooling()
                        .orElseThrow()
                        .state("c-carol", CAROL.person(), "m2")
                        .orElseThrow()
                        .state());

        journal = Journal.WORKS;
        await().atMost(PATIENCE).until(() -> told.size() == 2);
        assertEquals(List.of("m1", "m2"), writtenBy("carol"));
        assertEquals(
                List.of("accepted", "accepted"),
                told.stream().map(MessageState::state).toList());
        assertEquals(List.of(1L, 2L), told.stream().map(MessageState::seq).toList());
        await().atMost(PATIENCE).until(() -> spool.figures().posts() == 0);
        assertEquals(2, sent.stream().filter(TellSender.class::isInstance).count());
        assertEquals(3, assertInstanceOf(Done.class, carol(gateway, "m3", "m2")).seq());
        assertTrue(gateway.spooling()
                .orElseThrow()
                .state("c-carol", CAROL.person(), "m2")
                .isEmpty());
    }

    @Test
    void shouldSpoolAtOnceWhileTheJournalIsKnownToBeAway() throws Exception {
        RepeatingGateway gateway = gateway();
        assertInstanceOf(
                Done.class,
                get(ask(gateway, post(Principal.of(Role.CUSTOMER, "dave"), person("dave"), "d1", "one", null))));
        journal = Journal.SILENT;
        assertInstanceOf(Spooled.class, carol(gateway, "m1", null));
        await().atMost(PATIENCE).until(() -> gateway.spooling().orElseThrow().isJournalAway());
        sent.clear();
        Principal dave = Principal.of(Role.CUSTOMER, "dave");
        assertInstanceOf(Spooled.class, get(ask(gateway, post(dave, person("dave"), "d2", "two", "d1"))));
        assertEquals(
                0,
                sent.stream()
                        .filter(each ->
                                each instanceof Post post && post.sender().id().equals("dave"))
                        .count());
    }

    @Test
    void shouldNeverSpoolAnAgentsPostNorAStrangers() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.REFUSES;
        assertInstanceOf(Spooled.class, carol(gateway, "m1", null));
        Principal agent = Principal.of(Role.AGENT, "ann");
        Principal dave = Principal.of(Role.CUSTOMER, "dave");
        Principal stranger = Principal.of(Role.SERVICE, "bot");
        for (Principal by : List.of(agent, dave, stranger)) {
            Person sender = by.role() == Role.SERVICE ? CAROL.person() : by.person();
            CompletionStage<ConversationReply> answer = gateway.conversation(
                    "c-carol",
                    by.person(),
                    ref -> new Post(by, sender, "default", "x1", Body.text("x"), null, false, 1, true, ref));
            assertEquals(ErrorCode.JOURNAL_UNAVAILABLE, code(get(answer)), by.person()::toString);
        }
        Principal trusted = new Principal(Role.SERVICE, "bot", Set.of(), 0, Set.of(), Set.of("car*"), Instant.MAX);
        assertInstanceOf(Spooled.class, get(ask(gateway, post(trusted, CAROL.person(), "s1", "by the bot", "m1"))));
    }

    @Test
    void shouldAnswerARepeatAgainAndRefuseItsIdForAnotherBody() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.REFUSES;
        assertEquals(new Spooled("c-carol", "m1", false), carol(gateway, "m1", null));
        assertEquals(new Spooled("c-carol", "m1", true), carol(gateway, "m1", null));
        assertEquals(
                ErrorCode.ID_REUSED,
                code(get(ask(gateway, post(CAROL, CAROL.person(), "m1", "something else", null)))));
        assertEquals(1, spool.figures().posts());
    }

    @Test
    void shouldNeverSpoolAgainstAfter() throws Exception {
        RepeatingGateway gateway = gateway();
        assertInstanceOf(Done.class, carol(gateway, "m0", null));
        journal = Journal.SILENT;
        assertEquals(ErrorCode.OUT_OF_ORDER, code(carol(gateway, "m2", "m1")));
        assertInstanceOf(Spooled.class, carol(gateway, "m1", "m0"));
        assertInstanceOf(Spooled.class, carol(gateway, "m2", "m1"));
        assertEquals(ErrorCode.OUT_OF_ORDER, code(carol(gateway, "m4", "m3")));
        journal = Journal.WORKS;
        await().atMost(PATIENCE).until(() -> writtenBy("carol").equals(List.of("m0", "m1", "m2")));
    }

    @Test
    void shouldRefuseWhenThereIsNoRoomAndWhenTheDiskFails() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.REFUSES;
        spool.room = 1;
        assertInstanceOf(Spooled.class, carol(gateway, "m1", null));
        Refused full = assertInstanceOf(Refused.class, carol(gateway, "m2", "m1"));
        assertEquals(ErrorCode.OVERLOAD, full.refusal().code());
        assertTrue(full.refusal().retryAfter().compareTo(Duration.ZERO) > 0);
        spool.room = 10;
        spool.force = CompletableFuture.failedFuture(new StorageUnavailableException("broken", null));
        assertEquals(ErrorCode.JOURNAL_UNAVAILABLE, code(carol(gateway, "m2", "m1")));
        spool.force = CompletableFuture.completedFuture(org.apache.pekko.Done.getInstance());
        assertEquals(new Spooled("c-carol", "m2", false), carol(gateway, "m2", "m1"));
    }

    @Test
    void shouldTellWhenAPostIsRefusedInTheEnd() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.REFUSES;
        assertInstanceOf(Spooled.class, carol(gateway, "m1", null));
        refuses = ErrorCode.CLOSED;
        journal = Journal.WORKS;
        await().atMost(PATIENCE).until(() -> told.size() == 1);
        assertEquals("refused", told.get(0).state());
        assertEquals("closed", told.get(0).reason());
        MessageState state = gateway.spooling()
                .orElseThrow()
                .state("c-carol", CAROL.person(), "m1")
                .orElseThrow();
        assertEquals("refused", state.state());
        assertEquals("closed", state.reason());
    }

    @Test
    void shouldRefuseWhatIsTooOldUnlessItWasWrittenAfterAll() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.SILENT_BUT_WRITES;
        assertInstanceOf(Spooled.class, carol(gateway, "m1", null));
        assertInstanceOf(Spooled.class, carol(gateway, "m2", "m1"));
        now = now.plus(Duration.ofHours(2));
        journal = Journal.WORKS;
        await().atMost(PATIENCE).until(() -> told.size() == 2);
        assertEquals("accepted", told.get(0).state());
        assertEquals(1, told.get(0).seq());
        assertEquals("refused", told.get(1).state());
        assertEquals("too-old", told.get(1).reason());
        assertEquals(List.of("m1"), writtenBy("carol"));
    }

    @Test
    void shouldSendWhatAnEarlierLifeLeftAlsoWhenItIsOff() throws Exception {
        SpooledPost left = new SpooledPost(
                "c-carol", CAROL, CAROL.person(), "default", "m1", Body.text("one"), null, false, true, now);
        spool = new MemorySpool(left);
        journal = Journal.SILENT;
        RepeatingGateway gateway = gateway(false);
        assertEquals(ErrorCode.JOURNAL_UNAVAILABLE, code(carol(gateway, "m2", "m1")));
        journal = Journal.WORKS;
        await().atMost(PATIENCE).until(() -> told.size() == 1);
        assertInstanceOf(Done.class, carol(gateway, "m2", "m1"));
        assertEquals(List.of("m1", "m2"), writtenBy("carol"));
        journal = Journal.REFUSES;
        assertEquals(ErrorCode.JOURNAL_UNAVAILABLE, code(carol(gateway, "m3", "m2")));
    }

    @Test
    void shouldLookUpWhetherTheConversationExistsWhereNobodyCould() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.SILENT;
        CompletionStage<ConversationReply> answer = gateway.unseen(
                "c-carol",
                CAROL.person(),
                ref -> new Post(CAROL, CAROL.person(), "default", "m1", Body.text("x"), null, false, 0, false, ref));
        assertInstanceOf(Spooled.class, get(answer));
        journal = Journal.WORKS;
        await().atMost(PATIENCE).until(() -> told.size() == 1);
        assertEquals("not-found", told.get(0).reason());
        assertEquals(List.of(), writtenBy("carol"));
    }

    @Test
    void shouldNotCloseBeforeWhatWasSpooled() throws Exception {
        RepeatingGateway gateway = gateway();
        journal = Journal.REFUSES;
        assertInstanceOf(Spooled.class, carol(gateway, "m1", null));
        assertEquals(
                ErrorCode.JOURNAL_UNAVAILABLE,
                code(get(gateway.conversation("c-carol", CAROL.person(), ref -> new Close(CAROL, 0, null, "x", ref)))));
    }

    /** Whatever the journal does meanwhile: every post that was accepted or spooled is written once, in order. */
    @Test
    void shouldKeepOrderAndWriteOnceWhileTheJournalComesAndGoes() throws Exception {
        RepeatingGateway gateway = gateway();
        int senders = 12;
        int each = 40;
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int s = 0; s < senders; s++) {
            all.add(sendAll(gateway, "cu" + s, each));
        }
        Random random = new Random(7);
        CompletableFuture<Void> done = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
        for (int i = 0; i < 12; i++) {
            journal = Journal.values()[random.nextInt(Journal.values().length)];
            await().pollDelay(Duration.ofMillis(100 + random.nextInt(400)))
                    .atMost(PATIENCE)
                    .until(() -> true);
        }
        journal = Journal.WORKS;
        get(done);
        await().atMost(PATIENCE).until(() -> spool.figures().posts() == 0);
        for (int s = 0; s < senders; s++) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                expected.add("m" + i);
            }
            assertEquals(expected, writtenBy("cu" + s));
        }
        assertTrue(gateway.spooling().orElseThrow().keptPosts() > 0);
    }

    /** Sends one after the other without {@code after}; a post that is refused is sent again under its id. */
    private CompletableFuture<Void> sendAll(RepeatingGateway gateway, String customer, int count) {
        return CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < count; i++) {
                        Principal by = Principal.of(Role.CUSTOMER, customer);
                        Post post = post(by, by.person(), "m" + i, "text " + i, null);
                        ConversationReply reply;
                        do {
                            reply = ask(gateway, post).toCompletableFuture().join();
                        } while (reply instanceof Refused);
                    }
                },
                command -> new Thread(command).start());
    }

    private static Person person(String customer) {
        return new Person(Role.CUSTOMER, customer);
    }
}
