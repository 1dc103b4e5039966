package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** C18: bad input gets the code that the wire names, ends the socket where it says so, and harms nobody else. */
class BadInputTest extends ConformanceTest {
    private Desk owner;
    private Scene.Talk bystander;
    private int messages;

    @BeforeEach
    void openBystanders() {
        String queue = scene.queue();
        owner = scene.agent(3, queue);
        bystander = scene.talk(queue);
        bystander.say("first", "hello");
        owner.awaitOwner(bystander.conv());
    }

    @AfterEach
    void shouldHaveHarmedNobodyElse() {
        String text = "still here " + ++messages;
        bystander.say("after" + messages, text);
        owner.awaitMessage(bystander.conv(), text);
        assertFalse(bystander.client().isClosed());
        assertFalse(owner.client().isClosed());
    }

    private RawSocket raw() {
        return scene.closing(RawSocket.open(scene.target().address(), WireClient.SUBPROTOCOL));
    }

    private RawSocket welcomed() {
        RawSocket socket = raw();
        socket.sendText(hello(scene.tokens().customer(scene.name("customer"))));
        socket.await("\"type\":\"welcome\"");
        return socket;
    }

    private static String hello(String token) {
        return "{\"type\":\"hello\",\"token\":\"" + token + "\"}";
    }

    /** The socket still works. */
    private static void assertServes(RawSocket socket) {
        socket.sendText("{\"type\":\"post\",\"id\":\"alive\",\"clientMsgId\":\"alive\","
                + "\"body\":{\"type\":\"text\",\"text\":\"alive\"}}");
        String answer = socket.await("\"id\":\"alive\"").text();
        assertTrue(answer.contains("\"type\":\"reply\""), answer);
    }

    @Test
    void shouldNameMalformedJson() {
        RawSocket socket = welcomed();
        socket.sendText("{\"type\":\"post\", nonsense");
        String answer = socket.await("\"type\":\"error\"").text();
        assertTrue(answer.contains("\"code\":\"malformed\""), answer);
        assertServes(socket);
    }

    @Test
    void shouldEndASocketThatSendsAFrameOfTenMegabytes() {
        RawSocket socket = welcomed();
        byte[] huge = new byte[10 * 1024 * 1024];
        Arrays.fill(huge, (byte) 'x');
        socket.send(RawSocket.TEXT, huge);
        String end = socket.untilClosed();
        assertTrue(end.contains("\"code\":\"too-large\""), end);
        assertTrue(end.contains("\"reconnect\":false"), end);
        assertTrue(end.endsWith("closed"), end);
    }

    @Test
    void shouldTakeAFrameInSingleBytes() {
        RawSocket socket = welcomed();
        socket.sendInSingleBytes("{\"type\":\"post\",\"id\":\"slow\",\"clientMsgId\":\"slow\","
                + "\"body\":{\"type\":\"text\",\"text\":\"one byte at a time\"}}");
        String answer = socket.await("\"id\":\"slow\"").text();
        assertTrue(answer.contains("\"type\":\"reply\""), answer);
        assertServes(socket);
    }

    @Test
    void shouldNameAnUnknownType() {
        RawSocket socket = welcomed();
        socket.sendText("{\"type\":\"teleport\",\"id\":\"t\"}");
        String answer = socket.await("\"type\":\"error\"").text();
        assertTrue(answer.contains("\"code\":\"unknown-type\""), answer);
        assertTrue(answer.contains("\"id\":\"t\""), answer);
        assertServes(socket);
    }

    @Test
    void shouldEndASocketThatSendsBinaryOnATextSubprotocol() {
        RawSocket socket = welcomed();
        socket.send(RawSocket.BINARY, "{}".getBytes(StandardCharsets.UTF_8));
        String end = socket.untilClosed();
        assertTrue(end.contains("\"code\":\"protocol\""), end);
        assertTrue(end.endsWith("closed"), end);
    }

    @Test
    void shouldRefuseASecondHello() {
        RawSocket socket = welcomed();
        socket.sendText("{\"type\":\"hello\",\"id\":\"again\",\"token\":\""
                + scene.tokens().customer(scene.name("other")) + "\"}");
        String answer = socket.await("\"code\":\"hello-repeated\"").text();
        assertTrue(answer.contains("\"type\":\"error\"") || answer.contains("\"type\":\"bye\""), answer);
    }

    @Test
    void shouldEndASocketThatSaysNoHelloInTime() {
        RawSocket socket = raw();
        String end = socket.untilClosed();
        assertTrue(end.contains("\"type\":\"bye\""), end);
        assertTrue(end.endsWith("closed"), end);
    }

    @Test
    void shouldAskForAHelloFirst() {
        RawSocket socket = raw();
        socket.sendText(
                "{\"type\":\"post\",\"id\":\"p\",\"clientMsgId\":\"m\",\"body\":{\"type\":\"text\",\"text\":\"x\"}}");
        String answer = socket.await("hello").text();
        assertTrue(answer.contains("\"code\":\"hello-required\"") || answer.contains("\"type\":\"bye\""), answer);
    }

    @Test
    void shouldRefuseAnExpiredToken() {
        Assumptions.assumeTrue(scene.tokens().canClaim(), "development tokens never end");
        RawSocket socket = raw();
        socket.sendText(hello(scene.tokens().expired(scene.name("customer"))));
        String end = socket.untilClosed();
        assertTrue(
                end.contains("\"code\":\"token-expired\"")
                        || end.contains("\"code\":\"unauthorized\"")
                        || end.contains("\"code\":\"expired\""),
                end);
        assertFalse(end.contains("\"type\":\"welcome\""), end);
        assertTrue(end.endsWith("closed"), end);
    }

    @Test
    void shouldRefuseATokenThatIsNone() {
        RawSocket socket = raw();
        socket.sendText(hello("not a token"));
        String end = socket.untilClosed();
        assertTrue(end.contains("\"code\":\"unauthorized\""), end);
        assertTrue(end.endsWith("closed"), end);
    }

    @Test
    void shouldRefuseWhatARoleMayNotDo() {
        JsonNode refused = bystander.client().ask(Frames.status("available"));
        assertEquals("forbidden", refused.path("code").asText(), refused::toString);
        JsonNode asOther = bystander
                .client()
                .ask(Frames.of("token").put("token", scene.tokens().agent(scene.name("agent"))));
        assertEquals("error", asOther.path("type").asText(), "a fresh token must be the same person's: " + asOther);
    }

    @Test
    void shouldRefuseAnUpgradeWithoutAKnownSubprotocol() {
        assertEquals(
                400,
                scene.closing(RawSocket.open(scene.target().address(), null)).status());
        assertEquals(
                400,
                scene.closing(RawSocket.open(scene.target().address(), "switchboard.v99.json"))
                        .status());
    }

    @Test
    void shouldRefuseFieldsThatAreWrongAndGoOn() {
        WireClient client = bystander.client();
        String conv = bystander.conv();
        assertCode("invalid", client.ask(Frames.of("post").put("conv", conv).put("clientMsgId", "m9")));
        assertCode("invalid", client.ask(Frames.post(conv, "x".repeat(65), "an id that is too long")));
        assertCode("not-found", client.ask(Frames.post("c-nobody-" + scene.name("x"), "m9", "hello")));
        assertCode("bad-ack", client.ask(Frames.ack(conv, 1_000_000)));
        int limit = client.welcome().path("limits").path("bodyBytes").asInt();
        assertCode("too-large", client.ask(Frames.post(conv, "m9", "x".repeat(limit + 1))));
    }

    private static void assertCode(String code, JsonNode answer) {
        assertEquals(code, answer.path("code").asText(), answer::toString);
    }
}
