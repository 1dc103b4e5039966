package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.auth.AuthSettings.KeySettings;
import dev.switchboard.auth.KeyFiles;
import dev.switchboard.auth.TokenMinter;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From the first frame to the close frame. */
class SessionTest {
    private World world;

    @AfterEach
    void stop() {
        world.close();
    }

    private static void assertError(String code, JsonNode frame) {
        assertEquals("error", frame.path("type").asText(), frame::toString);
        assertEquals(code, frame.path("code").asText(), frame::toString);
    }

    private static void assertBye(String code, int closeCode, Client client) {
        JsonNode bye = client.next("bye");
        assertEquals(code, bye.path("code").asText(), bye::toString);
        assertEquals(closeCode, client.closeCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"switchboard.v1.json", "switchboard.v1.cbor"})
    void shouldWelcomeANewCustomerWithNothing(String subprotocol) {
        world = new World();
        try (Client client = Client.open(world.uri(), subprotocol)) {
            client.send("{'type':'hello','id':'h','token':'dev:customer:carol','terminal':'phone'}");
            JsonNode welcome = client.next();
            assertEquals("welcome", welcome.path("type").asText(), welcome::toString);
            assertEquals("h", welcome.path("id").asText());
            assertEquals("phone", welcome.path("terminal").asText());
            assertEquals(25000, welcome.path("heartbeatMs").asInt());
            assertEquals(0, welcome.path("conversations").size());
            client.send("{'type':'ping','id':'p'}");
            assertEquals("p", client.next("pong").path("id").asText());
        }
    }

    @Test
    void shouldAskForAHelloFirst() {
        world = new World();
        try (Client client = Client.open(world)) {
            client.send("{'type':'post','id':'1','clientMsgId':'m','body':{'type':'text','text':'x'}}");
            JsonNode error = client.next();
            assertError("hello-required", error);
            assertEquals("1", error.path("id").asText());
            assertBye("protocol", 1002, client);
        }
    }

    @Test
    void shouldEndASocketThatSaysNoHelloInTime() {
        world = new World("switchboard.socket.hello-timeout = 300ms");
        try (Client client = Client.open(world)) {
            assertError("hello-required", client.next());
            assertBye("protocol", 1002, client);
        }
    }

    @Test
    void shouldRefuseASecondHelloAndGoOn() {
        world = new World();
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.send("{'type':'hello','id':'2','token':'dev:customer:dave'}");
            assertError("hello-repeated", client.next());
            client.send("{'type':'ping'}");
            client.next("pong");
        }
    }

    @Test
    void shouldRefuseATokenThatIsNone() {
        world = new World();
        try (Client client = Client.hello(world, "nonsense")) {
            assertError("unauthorized", client.next());
            assertBye("unauthorized", 1008, client);
        }
    }

    @Test
    void shouldNameMalformedFramesAndEndAfterSeveral() {
        world = new World();
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            for (String text : new String[] {"{'type':", "[]", "7", "{'type':'ping','type':'pong'}", "{}x", "'x'"}) {
                client.send(text);
                assertError("malformed", client.next());
            }
            client.send("{'type':'ping'}");
            client.next("pong");
            for (int i = 0; i < 8; i++) {
                client.send("{");
                assertError("malformed", client.next());
            }
            assertBye("protocol", 1002, client);
        }
    }

    @Test
    void shouldNameUnknownTypesAndMissingOnes() {
        world = new World();
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.send("{'type':'teleport','id':'t'}");
            JsonNode error = client.next();
            assertError("unknown-type", error);
            assertEquals("t", error.path("id").asText());
            client.send("{'id':'t'}");
            assertError("invalid", client.next());
            client.send("{'type':'nack','conv':'c-carol','seq':1,'code':'No Code'}");
            assertError("invalid", client.next());
        }
    }

    @Test
    void shouldEndASocketThatMixesTextAndBinary() {
        world = new World();
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.raw().sendBinary(ByteBuffer.wrap(new byte[] {1}), true).join();
            assertError("malformed", client.next());
            assertBye("protocol", 1002, client);
        }
    }

    @Test
    void shouldEndASocketThatSendsTooMuch() {
        world = new World("switchboard.socket.max-frame = 1KiB");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.sendAsIs("x".repeat(1025), true);
            assertError("too-large", client.next());
            assertBye("too-large", 1009, client);
        }
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.raw().sendText("x".repeat(1000), false).join();
            client.sendAsIs("x".repeat(1000), false);
            assertError("too-large", client.next());
            assertBye("too-large", 1009, client);
        }
    }

    @Test
    void shouldReadAMessageInFragments() {
        world = new World();
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            String frame = "{\"type\":\"ping\",\"id\":\"in pieces\"}";
            for (int i = 0; i < frame.length(); i++) {
                client.raw()
                        .sendText(frame.substring(i, i + 1), i == frame.length() - 1)
                        .join();
            }
            assertEquals("in pieces", client.next("pong").path("id").asText());
        }
    }

    @Test
    void shouldDropASilentTerminal() {
        world = new World("switchboard.socket.heartbeat = 300ms");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            client.next("ping");
            client.send("{'type':'pong'}");
            client.next("ping");
            assertBye("silent", 1013, client);
        }
    }

    @Test
    void shouldKeepATerminalThatAnswers() {
        world = new World("switchboard.socket.heartbeat = 300ms");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            for (int i = 0; i < 6; i++) {
                client.next("ping");
                client.send("{'type':'pong'}");
            }
            assertTrue(client.isOpen());
        }
    }

    @Test
    void shouldLimitTheRateOfRequests() {
        world = new World("switchboard.socket.requests-per-second = 1", "switchboard.socket.request-burst = 2");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            for (int i = 0; i < 2; i++) {
                client.send("{'type':'status','id':'s','availability':'away'}");
                assertError("forbidden", client.next());
            }
            client.send("{'type':'status','id':'s','availability':'away'}");
            JsonNode error = client.next();
            assertError("rate-limited", error);
            assertTrue(error.path("retryable").asBoolean());
            assertTrue(error.path("retryAfterMs").asInt() > 0, error::toString);
        }
    }

    @Test
    void shouldLimitRequestsWithoutAnAnswer() {
        world = new World("switchboard.socket.max-in-flight = 2");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            client.next("welcome");
            for (int i = 0; i < 3; i++) {
                client.send("{'type':'post','id':'" + i + "','clientMsgId':'m" + i
                        + "','body':{'type':'text','text':'x'}}");
            }
            JsonNode error = client.next();
            assertError("too-many-in-flight", error);
            assertEquals("2", error.path("id").asText());
        }
    }

    @Test
    void shouldLeaveRequestsToTcpWhileOthersWaitForAnswers() {
        world = new World("switchboard.socket.hold-in-flight = 2", "switchboard.socket.heartbeat = 1s");
        try (Client client = Client.hello(world, "dev:customer:carol")) {
            for (int i = 0; i < 4; i++) {
                client.send("{'type':'post','id':'" + i + "','clientMsgId':'m" + i
                        + "','body':{'type':'text','text':'x'}}");
            }
            ConversationCommand.Post first = world.expect(ConversationCommand.Post.class);
            ConversationCommand.Post second = world.expect(ConversationCommand.Post.class);
            // Longer than a silent terminal has: that nothing is heard of it is not its fault.
            for (int i = 0; i < 3; i++) {
                client.next("ping");
            }
            world.conversations.expectNoMessage(Duration.ofMillis(1));
            assertTrue(client.isOpen());
            assertTrue(world.server.figures().snapshot().held() >= 1);
            first.replyTo().tell(new ConversationReply.Done("c-carol", 1, 1, 1, false));
            second.replyTo().tell(new ConversationReply.Done("c-carol", 2, 1, 2, false));
            assertEquals("m2", world.expect(ConversationCommand.Post.class).clientMsgId());
            assertEquals("m3", world.expect(ConversationCommand.Post.class).clientMsgId());
        }
    }

    @Test
    void shouldReplaceATerminalOfTheSameName() {
        world = new World();
        try (Client first = Client.open(world);
                Client second = Client.open(world);
                Client other = Client.open(world)) {
            first.send("{'type':'hello','token':'dev:customer:carol','terminal':'phone'}");
            first.next("welcome");
            other.send("{'type':'hello','token':'dev:customer:carol','terminal':'desktop'}");
            other.next("welcome");
            second.send("{'type':'hello','token':'dev:customer:carol','terminal':'phone'}");
            second.next("welcome");
            JsonNode bye = first.next("bye");
            assertEquals("replaced", bye.path("code").asText());
            assertFalse(bye.path("reconnect").asBoolean());
            assertEquals(1000, first.closeCode());
            other.send("{'type':'ping'}");
            other.next("pong");
        }
    }

    @Test
    void shouldEndTheSocketsOfARevokedPerson() {
        world = new World("switchboard.auth.revocation-refresh = 500ms");
        try (Client carol = Client.hello(world, "dev:customer:carol");
                Client dave = Client.hello(world, "dev:customer:dave")) {
            carol.next("welcome");
            dave.next("welcome");
            world.authentication.revocations().revoke(new Person(Role.CUSTOMER, "carol"), Instant.now());
            assertBye("unauthorized", 1008, carol);
            world.revoked.add("customer:dave");
            assertBye("unauthorized", 1008, dave);
        }
        try (Client carol = Client.hello(world, "dev:customer:carol")) {
            assertError("unauthorized", carol.next());
        }
    }

    @Test
    void shouldEndAllWithAWordWhenTheNodeStops() throws Exception {
        world = new World();
        try (Client carol = Client.hello(world, "dev:customer:carol");
                Client stranger = Client.open(world)) {
            carol.next("welcome");
            var closed = world.server.closeAll(Bye.RESTART, Duration.ofSeconds(10));
            for (Client client : new Client[] {carol, stranger}) {
                JsonNode bye = client.next("bye");
                assertEquals("restart", bye.path("code").asText());
                assertTrue(bye.path("reconnect").asBoolean());
                assertTrue(bye.path("retryAfterMs").asInt() <= 10_000, bye::toString);
                assertEquals(1012, client.closeCode());
            }
            closed.toCompletableFuture().get(10, java.util.concurrent.TimeUnit.SECONDS);
            Awaitility.await()
                    .atMost(World.PATIENCE)
                    .until(() -> world.server.figures().snapshot().open() == 0);
        }
    }

    @Test
    void shouldEndWithTheTokenUnlessAFreshOneComes(@TempDir Path folder) throws Exception {
        Path key = folder.resolve("token.key");
        KeyFiles.createSecret(key);
        world = new World(
                "switchboard.auth.mode = jwt",
                "switchboard.auth.clock-skew = 0s",
                "switchboard.auth.keys = [{ id = main, algorithm = HS256, file = \"" + key + "\" }]");
        TokenMinter minter = new TokenMinter(
                new KeySettings("main", KeySettings.Algorithm.HS256, key, null), "switchboard", "switchboard");
        String brief = minter.mint(customer("carol", 3));
        try (Client stays = Client.hello(world, brief);
                Client goes = Client.hello(world, brief)) {
            stays.next("welcome");
            goes.next("welcome");
            stays.send("{'type':'token','id':'1','token':'" + minter.mint(customer("dave", 60)) + "'}");
            assertError("forbidden", stays.next());
            stays.send("{'type':'token','id':'2','token':'nonsense'}");
            assertError("unauthorized", stays.next());
            stays.send("{'type':'token','id':'3','token':'" + minter.mint(customer("carol", 60)) + "'}");
            assertEquals("3", stays.next("reply").path("id").asText());
            assertBye("expired", 1008, goes);
            stays.send("{'type':'ping'}");
            stays.next("pong");
        }
        try (Client late = Client.hello(world, brief)) {
            assertError("token-expired", late.next());
            assertBye("expired", 1008, late);
        }
    }

    private static Principal customer(String id, int seconds) {
        return new Principal(
                Role.CUSTOMER,
                id,
                Set.of(),
                0,
                Set.of(),
                Set.of(),
                Instant.now().plusSeconds(seconds));
    }

    /** What the actors of a node say that stood still may be old: others may have taken over. */
    @Test
    void shouldSayNothingButGoodbyeWhenTheNodeMayHaveBeenReplaced() {
        world = new World();
        try (Client client = Client.open(world.uri(), "switchboard.v1.json")) {
            client.send("{'type':'hello','id':'h','token':'dev:customer:carol','terminal':'phone'}");
            client.next("welcome");
            world.standing = false;
            client.send("{'type':'ping','id':'p'}");
            JsonNode bye = client.next();
            assertEquals("bye", bye.path("type").asText(), bye::toString);
            assertEquals("restart", bye.path("code").asText(), bye::toString);
            assertTrue(bye.path("reconnect").asBoolean());
            assertEquals(1012, client.closeCode());
        }
    }
}
