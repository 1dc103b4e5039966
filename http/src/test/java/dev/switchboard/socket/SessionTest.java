package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Role;
import dev.switchboard.delivery.TerminalPush;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionTest {
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");

    private World world;

    @BeforeEach
    void start() {
        world = new World();
    }

    @AfterEach
    void stop() {
        world.close();
    }

    @Test
    void shouldWelcomeANewCustomerWithNothing() {
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            JsonNode welcome = client.next("welcome");
            assertEquals(25000, welcome.path("heartbeatMs").asInt());
            assertEquals(0, welcome.path("conversations").size());
            assertFalse(welcome.path("terminal").asText().isEmpty());
        }
    }

    @Test
    void shouldSendTheReplyBeforeTheOwnEntry() {
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.send("{'type':'post','id':'1','clientMsgId':'m1','body':{'type':'text','text':'hello'}}");
            ConversationCommand.Post post = world.expect(ConversationCommand.Post.class);
            assertEquals("hello", post.body().text());
            assertTrue(post.viaSocket());
            post.replyTo().tell(new ConversationReply.Done("c-carol", 1, 0, 1, false));
            JsonNode reply = client.next();
            assertEquals("reply", reply.path("type").asText());
            assertEquals("accepted", reply.path("state").asText());
            ConversationCommand.Attach attach = world.expect(ConversationCommand.Attach.class);
            assertEquals(-1, attach.after());
            Entry entry = Entry.message(1, CAROL, Instant.EPOCH, "m1", Body.text("hello"));
            attach.ref().tell(new TerminalPush.Attached(
                    conversationRef(),
                    World.view("c-carol", "carol", 1, 0),
                    0,
                    false,
                    List.of(new TerminalPush.EntryPush("c-carol", entry, 0))));
            JsonNode first = client.next("entry");
            assertEquals(1, first.path("seq").asInt());
            assertEquals(0, first.path("prev").asInt());
            client.send("{'type':'ack','conv':'c-carol','seq':1}");
            assertEquals(1, world.expect(ConversationCommand.Ack.class).seq());
        }
    }

    private org.apache.pekko.actor.typed.ActorRef<ConversationCommand> conversationRef() {
        return world.kit.<ConversationCommand>createTestProbe().ref();
    }
}
