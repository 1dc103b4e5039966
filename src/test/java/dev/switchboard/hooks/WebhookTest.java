package dev.switchboard.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.harness.Folders;
import dev.switchboard.harness.ServerInProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Webhooks of a whole server, against receivers with real sockets. Each test has a receiver and a queue of its own. */
class WebhookTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> NAMES =
            List.of("order", "offers", "status", "redirect", "private", "restart", "stuck", "late");
    private static final int CONNECTIONS = 4;

    private static Path folder;
    private static HookReceiver receiver;

    /** At an address that no setting allows. */
    private static HookReceiver hidden;

    private static ServerInProcess server;
    private static HttpClient http;

    private final List<WireClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        folder = Folders.temporary("switchboard-hooks-");
        Path secret = folder.resolve("secret");
        Files.writeString(secret, HookReceiver.SECRET + "\n");
        receiver = HookReceiver.at("127.0.0.2");
        hidden = HookReceiver.at("127.0.0.1");
        List<Map<String, Object>> receivers = new ArrayList<>();
        Map<String, Object> queues = new LinkedHashMap<>();
        for (String name : NAMES) {
            queues.put(name, Map.of("acceptance", name.equals("offers") ? "manual" : "auto"));
            receivers.add(Map.of(
                    "agent",
                    "bot-" + name,
                    "url",
                    name.equals("private") ? hidden.url("/private") : receiver.url("/" + name),
                    "secret-file",
                    secret.toString(),
                    "queues",
                    List.of(name),
                    "timeout",
                    name.equals("late") ? "300ms" : "60s"));
        }
        queues.put("people", Map.of("acceptance", "auto"));
        server = ServerInProcess.start(Map.of(
                "switchboard.queues", queues,
                "switchboard.webhooks.receivers", receivers,
                "switchboard.webhooks.allow-networks", List.of("127.0.0.2"),
                "switchboard.webhooks.connections", CONNECTIONS,
                "switchboard.dead-letters.backoff-min", "50ms"));
        http = WireClient.http();
    }

    @AfterAll
    static void stop() {
        server.close();
        receiver.close();
        hidden.close();
        Folders.delete(folder);
    }

    @AfterEach
    void close() {
        clients.forEach(WireClient::close);
    }

    private WireClient connect(String token) {
        WireClient client =
                WireClient.to(http, server.address().socket()).token(token).open();
        clients.add(client);
        return client;
    }

    private ApiClient api(String token) {
        return new ApiClient(http, server.address().http(), token);
    }

    private static void until(String what, Callable<Boolean> holds) {
        Awaitility.await(what).atMost(PATIENCE).until(holds);
    }

    private static String open(WireClient customer, String queue) {
        return customer.insist(Frames.of("open").put("queue", queue))
                .path("conv")
                .asText();
    }

    private static List<String> texts(String path, String conv) {
        return receiver.got(path).stream()
                .filter(got -> got.isMessage() && got.conv().equals(conv))
                .map(HookReceiver.Got::text)
                .distinct()
                .toList();
    }

    private static List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "message " + i).toList();
    }

    private JsonNode letter(String queue) {
        ApiClient operator = api("dev:operator:op");
        List<JsonNode> found = new ArrayList<>();
        until("there is a dead letter of " + queue, () -> {
            JsonNode items = operator.get("/dead-letters?queue=" + queue).json().path("items");
            items.forEach(found::add);
            return !found.isEmpty();
        });
        String id = found.get(0).path("id").asText();
        return operator.get("/dead-letters/" + ApiClient.segment(id)).json();
    }

    private static void failedThreeTimes(JsonNode letter, String code, String reason) {
        JsonNode attempts = letter.path("attempts");
        assertEquals(3, attempts.size(), letter::toString);
        for (JsonNode attempt : attempts) {
            assertEquals(code, attempt.path("code").asText(), letter::toString);
            assertTrue(attempt.path("reason").asText().contains(reason), letter::toString);
        }
    }

    @Test
    void shouldSendEachConversationSignedAndInOrderOneAtATime() {
        List<WireClient> customers = new ArrayList<>();
        List<String> conversations = new ArrayList<>();
        for (int i = 0; i < 2 * CONNECTIONS; i++) {
            WireClient customer = connect("dev:customer:order-" + i);
            customers.add(customer);
            conversations.add(open(customer, "order"));
        }
        for (int i = 0; i < 20; i++) {
            for (int of = 0; of < customers.size(); of++) {
                customers.get(of).must(Frames.post(conversations.get(of), "m" + i, "message " + i));
            }
        }
        for (String conv : conversations) {
            until(conv + " is there", () -> texts("/order", conv).size() == 20);
            assertEquals(numbered(0, 20), texts("/order", conv));
            assertEquals(1, receiver.most(conv));
        }
        assertTrue(receiver.most("/order") <= CONNECTIONS);
        for (HookReceiver.Got got : receiver.got("/order")) {
            assertTrue(got.signed(), got::toString);
            assertEquals(got.conv() + "/" + got.body().path("seq").asLong(), got.id());
        }
        JsonNode status = api("dev:customer:order-0")
                .get(ApiClient.of(conversations.get(0), "/messages/m0/status"))
                .json();
        boolean written = StreamSupport.stream(status.path("steps").spliterator(), false)
                .anyMatch(step -> step.path("step").asText().equals("written")
                        && step.path("state").asText().equals("done"));
        assertTrue(written, status::toString);
        // What the receiver took counts as delivered.
        until(
                "the customer is told",
                () -> customers.get(0).inbox().stream()
                        .anyMatch(frame -> Frames.is(frame, "receipt")
                                && frame.path("delivered").asLong() >= 20));
    }

    @Test
    void shouldTakeOffersAndLetTheBackEndAnswerOverHttp() {
        WireClient customer = connect("dev:customer:offered");
        String conv = open(customer, "offers");
        customer.must(Frames.post(conv, "m1", "who is there?"));
        until("it was asked", () -> texts("/offers", conv).contains("who is there?"));
        until(
                "it was told that the conversation is its own",
                () -> receiver.got("/offers").stream()
                        .anyMatch(got -> got.body().path("kind").asText().equals("assigned")));
        long epoch = receiver.got("/offers").stream()
                .filter(got -> got.body().path("kind").asText().equals("assigned"))
                .findFirst()
                .orElseThrow()
                .body()
                .path("epoch")
                .asLong();
        ApiClient.Answer answer = api("dev:agent:bot-offers")
                .post(
                        ApiClient.of(conv, "/messages"),
                        ApiClient.messageBody("a bot").put("epoch", epoch),
                        "b1");
        assertEquals(201, answer.status(), answer::text);
        customer.await(frame -> Frames.isMessage(frame) && Frames.textOf(frame).equals("a bot"), PATIENCE);
        customer.must(Frames.post(conv, "m2", "I see"));
        until("it hears the rest", () -> texts("/offers", conv).contains("I see"));
        assertTrue(!texts("/offers", conv).contains("a bot"), "nobody is told what it said itself");
    }

    @Test
    void shouldMakeADeadLetterOfWhatIsRefusedAndGoOnBehindItWhenItIsTaken() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        receiver.answer("/status", got -> refuses.get() && got.text().equals("bad") ? 500 : 204);
        WireClient customer = connect("dev:customer:refused");
        String conv = open(customer, "status");
        customer.must(Frames.post(conv, "m1", "good"));
        customer.must(Frames.post(conv, "m2", "bad"));
        customer.must(Frames.post(conv, "m3", "behind"));
        JsonNode letter = letter("status");
        failedThreeTimes(letter, "webhook-status", "HTTP 500");
        assertEquals(List.of("good", "bad"), texts("/status", conv));
        List<Integer> attempts = receiver.got("/status").stream()
                .filter(got -> got.text().equals("bad"))
                .map(HookReceiver.Got::attempt)
                .distinct()
                .toList();
        assertEquals(List.of(1, 2, 3), attempts);
        refuses.set(false);
        String path = "/dead-letters/" + ApiClient.segment(letter.path("id").asText());
        ApiClient.Answer retried =
                api("dev:operator:op").post(path + "/retry", JsonNodeFactory.instance.objectNode(), "r1");
        assertTrue(retried.status() < 300, retried::text);
        until("it goes on", () -> texts("/status", conv).equals(List.of("good", "bad", "behind")));
    }

    @Test
    void shouldCountNoAnswerInTimeAsAnAttempt() {
        CountDownLatch late = new CountDownLatch(1);
        receiver.answer("/late", got -> {
            late.await();
            return 200;
        });
        WireClient customer = connect("dev:customer:waits");
        String conv = open(customer, "late");
        customer.must(Frames.post(conv, "m1", "anybody?"));
        customer.must(Frames.post(conv, "m2", "behind"));
        JsonNode letter = letter("late");
        failedThreeTimes(letter, "webhook-timeout", "");
        late.countDown();
        // The first entry was the assignment. A loaded machine may be too late once more.
        ApiClient operator = api("dev:operator:op");
        String path = "/dead-letters/" + ApiClient.segment(letter.path("id").asText());
        AtomicInteger retries = new AtomicInteger();
        until("all of it is there", () -> {
            if (operator.get(path).json().path("state").asText().equals("dead")) {
                operator.post(path + "/retry", JsonNodeFactory.instance.objectNode(), "r" + retries.incrementAndGet());
            }
            return texts("/late", conv).equals(List.of("anybody?", "behind"));
        });
    }

    @Test
    void shouldNotFollowARedirect() {
        receiver.answer("/redirect", got -> 307);
        WireClient customer = connect("dev:customer:redirected");
        String conv = open(customer, "redirect");
        customer.must(Frames.post(conv, "m1", "where to?"));
        failedThreeTimes(letter("redirect"), "webhook-redirect", "307");
        assertEquals(List.of(), receiver.got("/elsewhere"));
    }

    @Test
    void shouldNotCallAPrivateAddress() {
        WireClient customer = connect("dev:customer:insider");
        String conv = open(customer, "private");
        customer.must(Frames.post(conv, "m1", "anybody in?"));
        failedThreeTimes(letter("private"), "webhook-address", "127.0.0.1");
        assertEquals(List.of(), hidden.got("/private"));
    }

    @Test
    void shouldDeliverOnceOverARestart() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        receiver.answer("/restart", got -> {
            if (got.text().equals("message 10")) {
                reached.countDown();
                goOn.await();
            }
            return 200;
        });
        ApiClient customer = api("dev:customer:restarted");
        JsonNode opened = customer.post(
                        "/conversations", JsonNodeFactory.instance.objectNode().put("queue", "restart"), "o")
                .json();
        String conv = opened.path("conv").asText();
        for (int i = 0; i < 20; i++) {
            assertEquals(201, customer.message(conv, "m" + i, "message " + i).status());
        }
        assertTrue(reached.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "message 10 came");
        server.restart();
        goOn.countDown();
        until("all is there", () -> texts("/restart", conv).size() == 20);
        List<String> ids = receiver.got("/restart").stream()
                .filter(HookReceiver.Got::isMessage)
                .map(HookReceiver.Got::id)
                .distinct()
                .toList();
        assertEquals(20, ids.size(), "an id for each, whenever it was sent");
        assertEquals(numbered(0, 20), texts("/restart", conv));
    }

    @Test
    void shouldLeaveSocketsAsTheyWereWhileAReceiverIsStuck() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        receiver.answer("/stuck", got -> {
            stuck.await();
            return 200;
        });
        List<String> held = new ArrayList<>();
        List<WireClient> waiting = new ArrayList<>();
        for (int i = 0; i < 3 * CONNECTIONS; i++) {
            WireClient customer = connect("dev:customer:stuck-" + i);
            waiting.add(customer);
            held.add(open(customer, "stuck"));
        }
        for (int i = 0; i < held.size(); i++) {
            waiting.get(i).must(Frames.post(held.get(i), "m", "held"));
        }
        until("every connection is taken", () -> receiver.got("/stuck").size() == CONNECTIONS);

        WireClient agent = connect("dev:agent:human");
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        var profile = nodes.objectNode().put("capacity", 3);
        profile.withArray("queues").add("people");
        assertEquals(
                200,
                api("dev:operator:op").put("/agents/human/profile", profile).status());
        agent.must(Frames.status("available"));
        WireClient customer = connect("dev:customer:served");
        String conv = open(customer, "people");
        for (int i = 0; i < 100; i++) {
            String text = "message " + i;
            customer.must(Frames.post(conv, "m" + i, text));
            agent.await(frame -> Frames.isMessage(frame) && Frames.textOf(frame).equals(text), PATIENCE);
        }
        for (int i = 0; i < held.size(); i++) {
            waiting.get(i).must(Frames.post(held.get(i), "n", "held too"));
        }
        assertEquals(CONNECTIONS, receiver.got("/stuck").size(), "it was stuck all the time");
        stuck.countDown();
        for (String one : held) {
            until(one + " goes on", () -> texts("/stuck", one).equals(List.of("held", "held too")));
        }
    }
}
