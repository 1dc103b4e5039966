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
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.TerminalPush;
import java.time.Instant;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No gap, no repeat, in order: whatever is lost on the way to the terminal. */
class ResumeTest {
    private static final String CONV = "c-carol";
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");

    private World world = new World("switchboard.socket.attach-timeout = 500ms");
    private ActorRef<ConversationCommand> conversation = world.actor();

    @AfterEach
    void stop() {
        world.close();
    }

    private Client hello(String resume) {
        Client client = Client.open(world);
        client.send("{'type':'hello','token':'dev:customer:carol','terminal':'phone','resume':[" + resume + "]}");
        return client;
    }

    private static void assertEntries(Client client, long from, long to) {
        for (long seq = from; seq <= to; seq++) {
            JsonNode entry = client.next("entry");
            assertEquals(seq, entry.path("seq").asLong(), entry::toString);
            assertTrue(entry.path("prev").asLong() < seq, entry::toString);
        }
    }

    /** A customer that is attached and has everything up to {@code lastSeq}; its conversation's mailbox is given. */
    private ActorRef<TerminalPush> attached(Client client, long lastSeq) {
        ConversationCommand.Attach attach =
                world.attach(conversation, World.view(CONV, "carol", lastSeq, lastSeq), List.of());
        client.next("welcome");
        return attach.ref();
    }

    @Test
    void shouldStartAtTheDeliveredWatermark() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            ConversationCommand.Attach attach = world.attach(
                    conversation, World.view(CONV, "carol", 3, 1), List.of(World.push(CONV, 2), World.push(CONV, 3)));
            assertEquals(-1, attach.after());
            assertEquals("phone", attach.terminal());
            JsonNode told = client.next("welcome").path("conversations").path(0);
            assertEquals(CONV, told.path("conv").asText());
            assertEquals(3, told.path("lastSeq").asInt());
            assertEquals("log-1", told.path("log").asText());
            assertTrue(told.path("recovered").asBoolean());
            assertEntries(client, 2, 3);
            assertTrue(client.quiet());
        }
    }

    @Test
    void shouldResumeFromTheLogWhenMemoryHasNotAll() {
        world.exists(CONV, "carol");
        world.writeAll(CONV, 1, 1000);
        try (Client client = hello("{'conv':'c-carol','after':10,'log':'log-1'}")) {
            ConversationCommand.Attach attach = world.attach(conversation, World.view(CONV, "carol", 1000, 5), null);
            assertEquals(10, attach.after());
            client.next("welcome");
            assertEntries(client, 11, 1000);
            assertTrue(client.quiet());
        }
    }

    /** It was given up for the receiver, or is at another terminal; this client has never had it. */
    @Test
    void shouldLetAClientGoOnBehindAnEntryThatItCannotTakeThoughItsWatermarkHasPassedIt() {
        world.exists(CONV, "carol");
        world.writeAll(CONV, 1, 3);
        try (Client client = hello("{'conv':'c-carol','after':1,'log':'log-1'}")) {
            ActorRef<TerminalPush> terminal = world.attach(
                            conversation,
                            World.view(CONV, "carol", 3, 2),
                            List.of(World.push(CONV, 2), World.push(CONV, 3)))
                    .ref();
            client.next("welcome");
            assertEntries(client, 2, 3);
            client.send("{'type':'nack','conv':'c-carol','seq':2,'code':'too-hard','id':'n'}");
            ConversationCommand.Nack nack = world.expect(ConversationCommand.Nack.class);
            assertEquals(2, nack.seq());
            nack.replyTo().tell(new ConversationReply.OfLetter(null, false));
            terminal.tell(new TerminalPush.Hold(CONV, 0, 3, 1, 2));
            JsonNode third = client.next("entry");
            assertEquals(3, third.path("seq").asLong());
            assertEquals(1, third.path("prev").asLong(), "it has 1, and will never have 2");
            client.send("{'type':'ack','conv':'c-carol','seq':3}");
            client.send("{'type':'nack','conv':'c-carol','seq':3,'code':'too-late','id':'m'}");
            assertEquals("bad-ack", client.next("error").path("code").asText());
        }
    }

    /** The conversation doesn't know that the client has it: it waits for the answer. */
    @Test
    void shouldSendAgainWhatIsOwedWhenItWasSaidBeforeTheWelcome() {
        world.exists(CONV, "carol");
        world.exists("c-carol~2", "carol");
        world.writeAll(CONV, 1, 2);
        try (Client client = hello("{'conv':'c-carol','after':2},{'conv':'c-carol~2','after':0}")) {
            ActorRef<TerminalPush> terminal = world.attach(conversation, World.view(CONV, "carol", 2, 1), List.of())
                    .ref();
            terminal.tell(new TerminalPush.Again(CONV, 2, 2, false));
            assertTrue(client.quiet(), "the welcome waits for the other conversation");
            world.attach(world.actor(), World.view("c-carol~2", "carol", 0, 0), List.of());
            client.next("welcome");
            assertEquals(2, client.next("entry").path("seq").asLong());
            client.send("{'type':'ack','conv':'c-carol','seq':2}");
            assertEquals(2, world.expect(ConversationCommand.Taken.class).seq());
        }
    }

    @Test
    void shouldGoOnLiveAfterTheLog() {
        world.exists(CONV, "carol");
        world.writeAll(CONV, 1, 250);
        try (Client client = hello("{'conv':'c-carol','after':0}")) {
            ConversationCommand.Attach attach = world.attach(conversation, World.view(CONV, "carol", 250, 0), null);
            // These are pushed while the log is being read.
            for (long seq = 251; seq <= 300; seq++) {
                world.write(CONV, World.message(seq, "live"));
                attach.ref().tell(World.push(CONV, seq));
            }
            client.next("welcome");
            assertEntries(client, 1, 300);
            attach.ref().tell(World.push(CONV, 301));
            assertEntries(client, 301, 301);
            assertTrue(client.quiet());
        }
    }

    @Test
    void shouldFillAGapFromTheLogAndDropRepeats() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            ActorRef<TerminalPush> terminal = attached(client, 1);
            world.writeAll(CONV, 1, 5);
            terminal.tell(World.push(CONV, 2));
            terminal.tell(World.push(CONV, 2));
            terminal.tell(World.push(CONV, 5));
            assertEntries(client, 2, 5);
            terminal.tell(World.push(CONV, 4));
            terminal.tell(World.push(CONV, 5));
            terminal.tell(World.push(CONV, 6));
            assertEntries(client, 6, 6);
            assertTrue(client.quiet());
        }
    }

    @Test
    void shouldAttachAgainWhenTheConversationEnds() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            ActorRef<TerminalPush> terminal = attached(client, 2);
            terminal.tell(World.push(CONV, 3));
            assertEntries(client, 3, 3);
            client.send("{'type':'read','conv':'c-carol','seq':2}");
            client.send("{'type':'ack','conv':'c-carol','seq':3}");
            expectAck(3);
            world.writeAll(CONV, 1, 5);
            world.kit.stop(conversation);
            conversation = world.actor();
            // It comes back with an older watermark, and with two entries that were never pushed.
            ConversationCommand.Attach again = world.attach(
                    conversation, World.view(CONV, "carol", 5, 2), List.of(World.push(CONV, 4), World.push(CONV, 5)));
            assertEquals(3, again.after());
            assertEntries(client, 4, 5);
            // What was acked before is told to the one that forgot.
            expectAck(3);
            assertTrue(client.isOpen());
        }
    }

    /** Acks that come together are told together, so others may come before it, or none. */
    private void expectAck(long seq) {
        long told = 0;
        while (told < seq) {
            told = world.expect(ConversationCommand.Ack.class).seq();
        }
        assertEquals(seq, told);
    }

    @Test
    void shouldRepeatAnAttachThatIsNotAnswered() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            world.expect(ConversationCommand.Attach.class);
            attached(client, 1);
        }
    }

    @Test
    void shouldWelcomeWithoutAConversationThatDoesNotAnswer() {
        world.close();
        world = new World("switchboard.socket.welcome-wait = 300ms", "switchboard.socket.attach-timeout = 500ms");
        conversation = world.actor();
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            assertEquals(0, client.next("welcome").path("conversations").size());
            world.attach(conversation, World.view(CONV, "carol", 2, 1), List.of(World.push(CONV, 2)));
            assertEntries(client, 2, 2);
        }
    }

    @Test
    void shouldSayWhenTheClientMustReload() {
        world.exists(CONV, "carol");
        try (Client client = hello("{'conv':'c-carol','after':7,'log':'another'}")) {
            assertEquals(
                    -1,
                    world.attach(conversation, World.view(CONV, "carol", 3, 3), List.of())
                            .after());
            assertFalse(recovered(client));
        }
        try (Client client = hello("{'conv':'c-carol','after':7,'log':'log-1'}")) {
            assertEquals(
                    7,
                    world.attach(conversation, World.view(CONV, "carol", 3, 3), List.of())
                            .after());
            assertFalse(recovered(client));
        }
    }

    private static boolean recovered(Client client) {
        JsonNode welcome = client.next("welcome");
        assertEquals(1, welcome.path("conversations").size());
        return welcome.path("conversations").path(0).path("recovered").asBoolean();
    }

    @Test
    void shouldNotResumeWhatIsNotOnesOwnOrUnknown() {
        world.exists("c-dave", "dave");
        try (Client client = hello("{'conv':'c-dave','after':0},{'conv':'c-carol','after':0},{'conv':'x','after':0}")) {
            assertEquals(0, client.next("welcome").path("conversations").size());
        }
    }

    @Test
    void shouldSendTheReplyBeforeTheOwnEntry() {
        try (Client client = hello("")) {
            client.next("welcome");
            client.send("{'type':'post','id':'1','clientMsgId':'m1','body':{'type':'text','text':'hello'}}");
            ConversationCommand.Post post = world.expect(ConversationCommand.Post.class);
            assertEquals("hello", post.body().text());
            assertTrue(post.viaSocket());
            post.replyTo().tell(new ConversationReply.Done(CONV, 1, 0, 1, false));
            JsonNode reply = client.next();
            assertEquals("reply", reply.path("type").asText());
            assertEquals("accepted", reply.path("state").asText());
            world.attach(
                    conversation,
                    World.view(CONV, "carol", 1, 0),
                    List.of(new TerminalPush.EntryPush(CONV, own(1, "m1"), 0)));
            assertEntries(client, 1, 1);
        }
    }

    @Test
    void shouldHoldBackAnOwnEntryUntilItsReply() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            ActorRef<TerminalPush> terminal = attached(client, 1);
            client.send("{'type':'post','id':'1','clientMsgId':'m2','body':{'type':'text','text':'x'}}");
            ConversationCommand.Post post = world.expect(ConversationCommand.Post.class);
            terminal.tell(new TerminalPush.EntryPush(CONV, own(2, "m2"), 1));
            terminal.tell(World.push(CONV, 3));
            assertTrue(client.quiet(), "the entry waits, and what follows it");
            post.replyTo().tell(new ConversationReply.Done(CONV, 2, 0, 2, false));
            assertEquals("reply", client.next().path("type").asText());
            assertEntries(client, 2, 3);
        }
    }

    private static Entry own(long seq, String clientMsgId) {
        return Entry.message(seq, CAROL, Instant.EPOCH, clientMsgId, Body.text("x"));
    }

    @Test
    void shouldTellAcksThatCameTogetherOnce() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            ActorRef<TerminalPush> terminal = attached(client, 0);
            for (long seq = 1; seq <= 50; seq++) {
                terminal.tell(World.push(CONV, seq));
            }
            assertEntries(client, 1, 50);
            for (int seq = 1; seq <= 50; seq++) {
                client.send("{'type':'ack','conv':'c-carol','seq':" + seq + "}");
            }
            long told = 0;
            int commands = 0;
            while (told < 50) {
                long seq = world.expect(ConversationCommand.Ack.class).seq();
                assertTrue(seq > told);
                told = seq;
                commands++;
            }
            assertTrue(commands <= 50);
        }
    }

    @Test
    void shouldTellAtOnceThatAClientHasReadWhatItGotBefore() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            attached(client, 5);
            client.send("{'type':'read','conv':'c-carol','seq':5}");
            ConversationCommand.Ack read = world.expect(ConversationCommand.Ack.class);
            assertEquals(5, read.seq());
            assertTrue(read.read());
        }
    }

    @Test
    void shouldRefuseAnAckOfWhatWasNotSent() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            attached(client, 3);
            client.send("{'type':'ack','id':'1','conv':'c-carol','seq':3}");
            assertEquals("1", client.next("reply").path("id").asText());
            client.send("{'type':'ack','id':'2','conv':'c-carol','seq':4}");
            assertEquals("bad-ack", client.next("error").path("code").asText());
            client.send("{'type':'read','conv':'c-carol','seq':4}");
            assertEquals("bad-ack", client.next("error").path("code").asText());
        }
    }

    @Test
    void shouldTellReceiptsAndPositions() {
        world.exists(CONV, "carol");
        try (Client client = hello("")) {
            ActorRef<TerminalPush> terminal = attached(client, 3);
            terminal.tell(new TerminalPush.Receipt(CONV, new Person(Role.AGENT, "alice"), new Watermark(3, 1)));
            JsonNode receipt = client.next("receipt");
            assertEquals(3, receipt.path("delivered").asInt());
            assertEquals(1, receipt.path("read").asInt());
            assertEquals("alice", receipt.path("by").path("id").asText());
            terminal.tell(new TerminalPush.Queued(CONV, 4, -1, -1));
            JsonNode queued = client.next("queued");
            assertEquals(4, queued.path("position").asInt());
            assertFalse(queued.has("etaSeconds"));
            terminal.tell(new TerminalPush.Typing(CONV, new Person(Role.AGENT, "alice")));
            assertEquals("alice", client.next("typing").path("from").path("id").asText());
        }
    }

    @Test
    void shouldDetachWhenTheClientGoes() {
        world.exists(CONV, "carol");
        Client client = hello("");
        ActorRef<TerminalPush> terminal = attached(client, 3);
        client.close();
        assertEquals(terminal, world.expect(ConversationCommand.Detach.class).ref());
        world.conversations.expectTerminated(terminal, World.PATIENCE);
    }
}
