package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.OfferId;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.DeskView;
import dev.switchboard.desk.Slot;
import dev.switchboard.ports.Directory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Agents, supervisors and services. */
class StaffTest {
    private static final String CONV = "c-carol";

    private final World world = new World("switchboard.socket.attach-timeout = 500ms");
    private final ActorRef<ConversationCommand> conversation = world.actor();
    private ActorRef<DeskCommand> desk = world.actor();

    @AfterEach
    void stop() {
        world.close();
    }

    private static DeskView view(String agent, Slot... slots) {
        return new DeskView(
                agent, Availability.AWAY, true, 3, Set.of("default"), Set.of(), false, List.of(slots), Instant.EPOCH);
    }

    private static Slot confirmed(String conv) {
        return new Slot(conv, "o", 1, true, false, null, null, "default");
    }

    /** Answers the desk's attach. */
    private ActorRef<TerminalPush> desk(String agent, Slot... slots) {
        DeskCommand.AttachTerminal attach = world.expectDesk(DeskCommand.AttachTerminal.class);
        assertEquals(agent, attach.by().id());
        attach.ref().tell(new TerminalPush.DeskAttached(desk, view(agent, slots)));
        return attach.ref();
    }

    private static void assertError(String code, JsonNode frame) {
        assertEquals("error", frame.path("type").asText(), frame::toString);
        assertEquals(code, frame.path("code").asText(), frame::toString);
    }

    @Test
    void shouldAttachAnAgentToItsDeskAndWhatItOwns() {
        try (Client client = Client.hello(world, "dev:agent:alice")) {
            desk("alice", confirmed(CONV));
            ConversationCommand.Attach attach = world.attach(conversation, World.view(CONV, "carol", 2, 2), List.of());
            assertEquals(Role.AGENT, attach.by().role());
            assertEquals(Set.of("default"), attach.by().queues());
            assertFalse(attach.watcher());
            JsonNode welcome = client.next("welcome");
            assertEquals(
                    CONV, welcome.path("conversations").path(0).path("conv").asText());
            client.send("{'type':'status','id':'s','availability':'available'}");
            DeskCommand.ChooseAvailability chosen = world.expectDesk(DeskCommand.ChooseAvailability.class);
            assertEquals(Availability.AVAILABLE, chosen.availability());
            chosen.replyTo().tell(new DeskReply.Shown(view("alice")));
            assertEquals("alice", client.next("reply").path("agent").asText());
        }
        world.expectDesk(DeskCommand.DetachTerminal.class);
    }

    @Test
    void shouldFindItsDeskAgain() {
        try (Client client = Client.hello(world, "dev:agent:alice")) {
            desk("alice");
            client.next("welcome");
            world.kit.stop(desk);
            desk = world.actor();
            ActorRef<TerminalPush> terminal = desk("alice", confirmed(CONV));
            world.attach(conversation, World.view(CONV, "carol", 2, 1), List.of(World.push(CONV, 2)));
            assertEquals(2, client.next("entry").path("seq").asInt());
            terminal.tell(new TerminalPush.OfferOver("o", CONV, "taken"));
            assertEquals("taken", client.next("offer-ended").path("reason").asText());
        }
    }

    @Test
    void shouldOfferTakeUpAndLetGo() {
        try (Client client = Client.hello(world, "dev:agent:alice")) {
            ActorRef<TerminalPush> terminal = desk("alice");
            client.next("welcome");
            String offer = new OfferId(CONV, 1, "alice", 1).toString();
            terminal.tell(new TerminalPush.OfferMade(
                    offer,
                    CONV,
                    Instant.EPOCH,
                    new TerminalPush.Preview("carol", "default", "hello", Instant.EPOCH, Map.of())));
            JsonNode offered = client.next("offer");
            assertEquals("hello", offered.path("preview").path("text").asText());
            world.exists(CONV, "carol");
            client.send("{'type':'accept','id':'a','offer':'"
                    + offered.path("offer").asText() + "'}");
            ConversationCommand.Accept accept = world.expect(ConversationCommand.Accept.class);
            assertEquals(offer, accept.offer());
            accept.replyTo().tell(new ConversationReply.Done(CONV, 2, 2, 2, false));
            assertEquals(2, client.next("reply").path("epoch").asInt());
            terminal.tell(new TerminalPush.TakeUp(CONV));
            ConversationCommand.Attach attach = world.attach(
                    conversation, World.view(CONV, "carol", 2, 0), List.of(World.push(CONV, 1), World.push(CONV, 2)));
            assertEquals(-1, attach.after());
            assertEquals(1, client.next("entry").path("seq").asInt());
            assertEquals(2, client.next("entry").path("seq").asInt());
            terminal.tell(new TerminalPush.LetGo(CONV, "transferred"));
            assertEquals(
                    terminal, world.expect(ConversationCommand.Detach.class).ref());
            terminal.tell(World.push(CONV, 3));
            assertTrue(client.quiet(), "a former owner gets nothing more");
        }
    }

    @Test
    void shouldStillGetWhatItHeardOfBeforeItWasLetGo() {
        world.writeAll(CONV, 1, 6);
        try (Client client = Client.hello(world, "dev:agent:alice")) {
            ActorRef<TerminalPush> terminal = desk("alice", confirmed(CONV));
            world.attach(conversation, World.view(CONV, "carol", 1, 1), List.of());
            client.next("welcome");
            terminal.tell(World.push(CONV, 4));
            terminal.tell(new TerminalPush.LetGo(CONV, "transferred"));
            for (int seq = 2; seq <= 4; seq++) {
                assertEquals(seq, client.next("entry").path("seq").asInt());
            }
            assertTrue(client.quiet(), "but nothing that was written later");
        }
    }

    @Test
    void shouldKnowOnlyItsOwnOffers() {
        world.exists(CONV, "carol");
        try (Client client = Client.hello(world, "dev:agent:alice")) {
            desk("alice");
            client.next("welcome");
            for (String offer : new String[] {"nonsense", "c-carol!1!bob!1", "c-nobody!1!alice!1", "../x!1!alice!1"}) {
                client.send("{'type':'accept','id':'a','offer':'" + offer + "'}");
                assertError("unknown-offer", client.next());
            }
        }
    }

    @Test
    void shouldCheckWhomItIsAssignedOrTransferredTo() {
        world.exists(CONV, "carol");
        try (Client client = Client.hello(world, "dev:supervisor:sue")) {
            desk("sue");
            client.next("welcome");
            client.send("{'type':'assign','id':'1','conv':'c-carol','agent':'nobody','clientMsgId':'x'}");
            assertError("unknown-agent", client.next());
            client.send("{'type':'transfer','id':'2','conv':'c-carol','to':{'agent':'nobody'},'clientMsgId':'x'}");
            assertError("unknown-agent", client.next());
            client.send("{'type':'transfer','id':'3','conv':'c-carol','to':{'queue':'nowhere'},'clientMsgId':'x'}");
            assertError("unknown-queue", client.next());
            client.send("{'type':'transfer','id':'4','conv':'c-carol','to':{},'clientMsgId':'x'}");
            assertError("invalid", client.next());
            client.send("{'type':'assign','id':'5','conv':'c-nobody','clientMsgId':'x'}");
            assertError("not-found", client.next());
            world.agents.put(
                    "bob",
                    new Directory.AgentRow("bob", "away", 3, 0, Set.of("default"), Set.of(), false, Instant.EPOCH));
            client.send("{'type':'assign','id':'6','conv':'c-carol','agent':'bob','clientMsgId':'x'}");
            ConversationCommand.Assign assign = world.expect(ConversationCommand.Assign.class);
            assertEquals("bob", assign.agent());
            assertTrue(assign.servesQueue());
            assign.replyTo()
                    .tell(new ConversationReply.Refused(
                            Refusal.of(ErrorCode.AGENT_FULL, "full").withFact("agent", "bob")));
            JsonNode full = client.next();
            assertError("agent-full", full);
            assertTrue(full.path("retryable").asBoolean());
            assertEquals("bob", full.path("agent").asText());
        }
    }

    @Test
    void shouldNotTellAStrangerWhoIsKnown() {
        world.exists(CONV, "carol");
        world.agents.put(
                "mallory",
                new Directory.AgentRow("mallory", "away", 3, 0, Set.of("vip"), Set.of(), true, Instant.EPOCH));
        try (Client client = Client.hello(world, "dev:agent:mallory")) {
            desk("mallory");
            client.next("welcome");
            client.send("{'type':'transfer','id':'1','conv':'c-carol','to':{'agent':'nobody'},'clientMsgId':'x'}");
            assertError("not-found", client.next());
            client.send("{'type':'assign','id':'2','conv':'c-carol','agent':'nobody','clientMsgId':'x'}");
            assertError("not-found", client.next());
            client.send("{'type':'history','id':'3','conv':'c-carol'}");
            assertError("not-found", client.next());
        }
    }

    @Test
    void shouldWatchAndUnwatch() {
        world.exists(CONV, "carol");
        try (Client client = Client.hello(world, "dev:supervisor:sue")) {
            desk("sue");
            client.next("welcome");
            client.send("{'type':'watch','id':'w','conv':'c-carol','after':1}");
            ConversationCommand.Attach attach =
                    world.attach(conversation, World.view(CONV, "carol", 2, 0), List.of(World.push(CONV, 2)));
            assertTrue(attach.watcher());
            assertEquals(1, attach.after());
            JsonNode reply = client.next();
            assertEquals("w", reply.path("id").asText());
            assertEquals(2, reply.path("lastSeq").asInt());
            assertEquals(2, client.next("entry").path("seq").asInt());
            client.send("{'type':'ack','id':'k','conv':'c-carol','seq':2}");
            assertEquals("k", client.next("reply").path("id").asText());
            client.send("{'type':'unwatch','id':'u','conv':'c-carol'}");
            assertEquals("u", client.next("reply").path("id").asText());
            // The ack of a watcher moves nothing: the next that the conversation hears is that it goes.
            assertTrue(
                    world.conversations.receiveMessage(World.PATIENCE).command() instanceof ConversationCommand.Detach);
            client.send("{'type':'watch','id':'x','conv':'c-nobody'}");
            assertError("not-found", client.next());
        }
    }

    @Test
    void shouldRefuseWhatIsForOthers() {
        world.exists(CONV, "carol");
        try (Client client = Client.hello(world, "dev:customer:mallory")) {
            client.next("welcome");
            client.send("{'type':'watch','id':'1','conv':'c-carol'}");
            assertError("forbidden", client.next());
            client.send("{'type':'status','id':'2','availability':'away'}");
            assertError("forbidden", client.next());
            client.send("{'type':'accept','id':'3','offer':'x'}");
            assertError("forbidden", client.next());
            client.send("{'type':'history','id':'4','conv':'c-carol'}");
            assertError("not-found", client.next());
            client.send(
                    "{'type':'post','id':'5','conv':'c-nobody','clientMsgId':'m','body':{'type':'text','text':'x'}}");
            assertError("not-found", client.next());
        }
        try (Client client = Client.hello(world, "dev:agent:alice")) {
            desk("alice");
            client.next("welcome");
            client.send("{'type':'open','id':'1'}");
            assertError("forbidden", client.next());
            client.send("{'type':'post','id':'2','clientMsgId':'m','body':{'type':'text','text':'x'}}");
            assertError("invalid", client.next());
        }
    }

    @Test
    void shouldReadHistoryByRelation() {
        world.exists(CONV, "carol");
        for (long seq = 1; seq <= 5; seq++) {
            world.write(
                    CONV,
                    seq == 3
                            ? Entry.note(3, new Person(Role.AGENT, "alice"), Instant.EPOCH, null, "secret")
                            : World.message(seq, "message " + seq));
        }
        try (Client carol = Client.hello(world, "dev:customer:carol")) {
            world.attach(conversation, World.view(CONV, "carol", 5, 5), List.of());
            carol.next("welcome");
            carol.send("{'type':'history','id':'h','limit':3}");
            JsonNode newest = carol.next("reply");
            assertEquals(List.of(2, 4, 5), seqs(newest));
            assertTrue(newest.path("hasMore").asBoolean());
            carol.send("{'type':'history','id':'h','conv':'c-carol','since':1,'before':5,'limit':10}");
            JsonNode page = carol.next("reply");
            assertEquals(List.of(1, 2, 4), seqs(page));
            assertFalse(page.path("hasMore").asBoolean());
            carol.send("{'type':'history','id':'h','limit':201}");
            assertError("invalid", carol.next());
        }
        try (Client sue = Client.hello(world, "dev:supervisor:sue")) {
            desk("sue");
            sue.next("welcome");
            sue.send("{'type':'history','id':'h','conv':'c-carol','since':2,'limit':2}");
            assertEquals(List.of(2, 3), seqs(sue.next("reply")));
        }
        try (Client alice = Client.hello(world, "dev:agent:alice")) {
            desk("alice");
            alice.next("welcome");
            alice.send("{'type':'history','id':'h','conv':'c-carol'}");
            JsonNode preview = alice.next("reply");
            assertTrue(preview.path("preview").asBoolean());
            assertEquals(0, preview.path("entries").size(), "the customer has said nothing yet");
            world.rows.computeIfPresent(
                    CONV,
                    (conv, row) -> new Directory.ConversationRow(
                            conv,
                            row.customer(),
                            row.queue(),
                            Status.ASSIGNED,
                            "alice",
                            row.openedBy(),
                            2,
                            0,
                            Instant.EPOCH,
                            Instant.EPOCH));
            alice.send("{'type':'history','id':'h','conv':'c-carol'}");
            assertEquals(5, alice.next("reply").path("entries").size());
        }
    }

    private static List<Integer> seqs(JsonNode reply) {
        List<Integer> seqs = new java.util.ArrayList<>();
        reply.path("entries").forEach(entry -> seqs.add(entry.path("seq").asInt()));
        return seqs;
    }

    @Test
    void shouldLetAServiceActForItsCustomers() {
        try (Client client = Client.hello(world, "dev:service:shop")) {
            client.next("welcome");
            client.send("{'type':'open','id':'1','customer':'carol','priority':7,'skills':['german']}");
            ConversationCommand.Open open = world.expect(ConversationCommand.Open.class);
            assertEquals("carol", open.customer());
            assertEquals(7, open.by().priority());
            assertEquals(Set.of("german"), open.by().skills());
            open.replyTo().tell(new ConversationReply.Opened(World.view(CONV, "carol", 0, 0), true));
            assertTrue(client.next("reply").path("created").asBoolean());
            world.attach(conversation, World.view(CONV, "carol", 0, 0), List.of());
            client.send(
                    "{'type':'post','id':'2','conv':'c-carol','clientMsgId':'m','body':{'type':'text','text':'x'}}");
            ConversationCommand.Post post = world.expect(ConversationCommand.Post.class);
            assertEquals(new Person(Role.CUSTOMER, "carol"), post.sender());
            assertEquals(Role.SERVICE, post.by().role());
        }
    }
}
