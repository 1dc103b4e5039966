package dev.switchboard.delivery;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.ConversationReply.Moved;
import dev.switchboard.conversation.ConversationReply.Refused;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.ports.Directory.ConversationRow;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import dev.switchboard.routing.Peers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The gateway before peers that answer, are silent, or move. */
class RepeatingGatewayTest {
    private static final ActorTestKit KIT = ActorTestKit.create();
    private static final Principal CAROL = Principal.of(Role.CUSTOMER, "carol");
    private static final Principal DAVE = Principal.of(Role.CUSTOMER, "dave");

    private final List<ConversationCommand> sent = new CopyOnWriteArrayList<>();
    private final EmptyStorage storage = new EmptyStorage();
    private BiConsumer<String, Post> answers = (conv, post) -> {};

    @AfterAll
    static void stop() {
        KIT.shutdownTestKit();
    }

    private RepeatingGateway gateway(Duration deadline, Duration repeatAfter, int perSender, int total) {
        Peers peers = new Peers() {
            @Override
            public void conversation(String conv, ConversationCommand command) {
                sent.add(command);
                answers.accept(conv, (Post) command);
            }

            @Override
            public void desk(String agent, DeskCommand command) {}

            @Override
            public void line(String queue, LineCommand command) {}
        };
        return RepeatingGateway.start(
                KIT.system(), peers, storage, new GatewaySettings(deadline, repeatAfter, perSender, total));
    }

    private static CompletionStage<ConversationReply> post(RepeatingGateway gateway, Principal by, String id) {
        return gateway.conversation(
                "c-carol",
                by.person(),
                ref -> new Post(by, by.person(), "default", id, Body.text(id), null, false, 0, true, ref));
    }

    private static void done(String conv, Post post) {
        post.replyTo().tell(new Done(conv, 1, 1, 1, false));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private List<String> ids() {
        return sent.stream().map(command -> ((Post) command).clientMsgId()).toList();
    }

    @Test
    void shouldGiveTheAnswer() throws Exception {
        answers = RepeatingGatewayTest::done;
        RepeatingGateway gateway = gateway(Duration.ofSeconds(8), Duration.ofSeconds(2), 64, 1000);
        assertInstanceOf(Done.class, get(post(gateway, CAROL, "m1")));
        assertEquals(1, sent.size());
        assertEquals(0, gateway.pending());
    }

    @Test
    void shouldRepeatTheSameRequestToTheSameRefAndSayThatItIsARepeat() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofSeconds(20), Duration.ofMillis(300), 64, 1000);
        answers = (conv, post) -> {
            if (post.repeat()) {
                done(conv, post);
            }
        };
        assertInstanceOf(Done.class, get(post(gateway, CAROL, "m1")));
        assertEquals(2, sent.size());
        assertFalse(((Post) sent.get(0)).repeat());
        assertTrue(((Post) sent.get(1)).repeat());
        assertEquals(((Post) sent.get(0)).replyTo(), ((Post) sent.get(1)).replyTo());
    }

    @Test
    void shouldEndWithATimeoutWhenNothingAnswers() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofMillis(800), Duration.ofMillis(300), 64, 1000);
        Refused refused = assertInstanceOf(Refused.class, get(post(gateway, CAROL, "m1")));
        assertEquals(ErrorCode.TIMEOUT, refused.refusal().code());
        DeskReply.Refused desk =
                assertInstanceOf(DeskReply.Refused.class, get(gateway.desk("ann", DeskCommand.Show::new)));
        assertEquals(ErrorCode.TIMEOUT, desk.refusal().code());
        assertEquals(Optional.<LineReply>empty(), get(gateway.line("default", LineCommand.Show::new)));
        assertEquals(0, gateway.pending());
    }

    @Test
    void shouldKeepOneSendersOrderAndNotMakeOthersWait() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofSeconds(20), Duration.ofSeconds(10), 64, 1000);
        List<CompletionStage<ConversationReply>> stages = new ArrayList<>();
        stages.add(post(gateway, CAROL, "m1"));
        stages.add(post(gateway, CAROL, "m2"));
        stages.add(post(gateway, CAROL, "m3"));
        stages.add(post(gateway, DAVE, "d1"));
        assertEquals(List.of("m1", "d1"), ids());
        done("c-carol", (Post) sent.get(0));
        await().until(() -> ids().equals(List.of("m1", "d1", "m2")));
        answers = RepeatingGatewayTest::done;
        done("c-carol", (Post) sent.get(2));
        done("c-carol", (Post) sent.get(1));
        for (CompletionStage<ConversationReply> stage : stages) {
            assertInstanceOf(Done.class, get(stage));
        }
        assertEquals(List.of("m1", "d1", "m2", "m3"), ids());
    }

    @Test
    void shouldNotSendWhatWaitedTooLongBehindASilentOne() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofMillis(500), Duration.ofSeconds(10), 64, 1000);
        CompletionStage<ConversationReply> first = post(gateway, CAROL, "m1");
        CompletionStage<ConversationReply> second = post(gateway, CAROL, "m2");
        assertInstanceOf(Refused.class, get(first));
        assertEquals(
                ErrorCode.TIMEOUT,
                assertInstanceOf(Refused.class, get(second)).refusal().code());
        answers = RepeatingGatewayTest::done;
        assertInstanceOf(Done.class, get(post(gateway, CAROL, "m3")));
    }

    @Test
    void shouldRefuseBeyondItsBounds() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofSeconds(20), Duration.ofSeconds(10), 2, 3);
        post(gateway, CAROL, "m1");
        post(gateway, CAROL, "m2");
        assertEquals(
                ErrorCode.OVERLOAD,
                assertInstanceOf(Refused.class, get(post(gateway, CAROL, "m3")))
                        .refusal()
                        .code());
        post(gateway, DAVE, "d1");
        assertEquals(
                ErrorCode.OVERLOAD,
                assertInstanceOf(Refused.class, get(post(gateway, DAVE, "d2")))
                        .refusal()
                        .code());
        assertInstanceOf(DeskReply.Refused.class, get(gateway.desk("ann", DeskCommand.Show::new)));
        assertEquals(3, gateway.pending());
    }

    @Test
    void shouldFollowASuccessorButNotForEver() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofSeconds(20), Duration.ofSeconds(10), 64, 1000);
        answers = (conv, post) -> {
            if (conv.equals("c-carol")) {
                post.replyTo().tell(new Moved("c-carol~2"));
            } else {
                done(conv, post);
            }
        };
        assertEquals(
                "c-carol~2",
                assertInstanceOf(Done.class, get(post(gateway, CAROL, "m1"))).conv());
        answers = (conv, post) -> post.replyTo().tell(new Moved("c-carol"));
        assertInstanceOf(Moved.class, get(post(gateway, CAROL, "m2")));
    }

    @Test
    void shouldAskTheDirectoryOnceForAConversationThatExists() throws Exception {
        RepeatingGateway gateway = gateway(Duration.ofSeconds(8), Duration.ofSeconds(2), 64, 1000);
        assertFalse(get(gateway.known("no such id")));
        assertEquals(List.of(), storage.conversationLookups);
        assertFalse(get(gateway.known("c-carol")));
        storage.conversations.put(
                "c-carol",
                new ConversationRow(
                        "c-carol",
                        "carol",
                        "default",
                        Status.WAITING,
                        null,
                        "customer:carol",
                        1,
                        0,
                        Instant.EPOCH,
                        Instant.EPOCH));
        assertTrue(get(gateway.known("c-carol")));
        assertTrue(get(gateway.known("c-carol")));
        assertEquals(List.of("c-carol", "c-carol"), storage.conversationLookups);
    }
}
