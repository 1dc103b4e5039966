package dev.switchboard.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/**
 * The people and queues of one test, with names that no other test has. Everything it opened ends with it. Any
 * thread may call it.
 */
final class Scene implements AutoCloseable {
    /** How long a test waits for what must come. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final HttpClient HTTP = WireClient.http();
    private static final AtomicLong SCENES = new AtomicLong();
    private static final String RUN = Long.toString(System.currentTimeMillis() / 1000 % 100_000_000, 36);

    private final Target target;
    private final String tag = RUN + Long.toString(SCENES.incrementAndGet(), 36);
    private final List<AutoCloseable> opened = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong names = new AtomicLong();

    Scene(Target target) {
        this.target = target;
    }

    Target target() {
        return target;
    }

    Tokens tokens() {
        return target.tokens();
    }

    /** A name that only this test has. */
    String name(String base) {
        return base + "-" + tag + "-" + names.incrementAndGet();
    }

    // ---- calls ----

    ApiClient api(String token) {
        return new ApiClient(HTTP, target.address().http(), token);
    }

    /** An operator of this test's own: calls are limited by person. */
    ApiClient operator() {
        return api(tokens().operator("op-" + tag));
    }

    /** The answer if its status is that one; else the test fails. */
    static JsonNode expect(int status, ApiClient.Answer answer) {
        if (answer.status() != status) {
            throw new AssertionError("expected " + status + " but got " + answer.status() + ": " + answer.text());
        }
        return answer.json();
    }

    // ---- queues and agents ----

    /** A new queue with the server's defaults. */
    String queue() {
        return queue(settings -> settings);
    }

    /** A new queue with these settings over the server's defaults. */
    String queue(UnaryOperator<ObjectNode> settings) {
        String name = name("q");
        change(name, settings);
        return name;
    }

    /** Changes a queue's settings. */
    void change(String queue, UnaryOperator<ObjectNode> settings) {
        expect(200, operator().put("/queues/" + queue, settings.apply(JsonNodeFactory.instance.objectNode())));
    }

    /** Says what an agent may hold and serves. */
    void profile(String agent, int capacity, String... queues) {
        ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", capacity);
        for (String queue : queues) {
            profile.withArray("queues").add(queue);
        }
        expect(200, operator().put("/agents/" + agent + "/profile", profile));
    }

    /** A new agent of that queue who has a profile and a socket, is available, and takes what is offered. */
    Desk agent(int capacity, String queue) {
        return agent(name("agent"), capacity, queue, true);
    }

    /** A new agent of that queue who is available and lets offers stand. */
    Desk silentAgent(int capacity, String queue) {
        return agent(name("agent"), capacity, queue, false);
    }

    /** A new agent of that queue who takes what is offered and judges every entry. */
    Desk judgingAgent(int capacity, String queue, Desk.Judgement by) {
        String name = name("agent");
        profile(name, capacity, queue);
        Desk desk = new Desk(this, name, true);
        desk.judge(by);
        desk.come();
        desk.status("available");
        return desk;
    }

    private Desk agent(String name, int capacity, String queue, boolean takes) {
        profile(name, capacity, queue);
        Desk desk = new Desk(this, name, takes);
        desk.come();
        desk.status("available");
        return desk;
    }

    // ---- customers ----

    WireClient.Builder client(String token) {
        return WireClient.to(HTTP, target.address().socket()).token(token);
    }

    /** Remembers to end it with the scene. */
    <T extends AutoCloseable> T closing(T one) {
        opened.add(one);
        return one;
    }

    WireClient connect(String token) {
        return closing(client(token).open());
    }

    /** A socket of the customer of that name. */
    WireClient customer(String name) {
        return connect(tokens().customer(name));
    }

    /** Opens the customer's conversation in that queue and gives its id; asks again where the server says it helps. */
    static String open(WireClient customer, String queue) {
        return customer.insist(Frames.of("open").put("queue", queue))
                .path("conv")
                .asText();
    }

    /** A customer with a socket and a conversation in that queue. */
    Talk talk(String queue) {
        String name = name("customer");
        WireClient client = customer(name);
        return new Talk(name, client, open(client, queue));
    }

    /** A customer, its socket and its conversation. */
    record Talk(String customer, WireClient client, String conv) {
        /** Posts a text and gives its seq. */
        long say(String clientMsgId, String text) {
            return client.must(Frames.post(conv, clientMsgId, text)).path("seq").asLong();
        }
    }

    // ---- looking ----

    /** A conversation as its customer sees it. */
    JsonNode look(String customer, String conv) {
        return expect(200, api(tokens().customer(customer)).get(ApiClient.of(conv, "")));
    }

    /** The conversations that a query finds, as an operator sees them. */
    List<JsonNode> conversations(String query) {
        List<JsonNode> all = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = expect(200, operator().get("/conversations?limit=200&" + query + cursor));
            page.path("items").forEach(all::add);
            cursor = page.hasNonNull("cursor")
                    ? "&cursor=" + ApiClient.segment(page.path("cursor").asText())
                    : "";
        } while (!cursor.isEmpty());
        return all;
    }

    /** Every entry the customer sees, from the first. */
    List<JsonNode> history(String customer, String conv) {
        return history(api(tokens().customer(customer)), conv);
    }

    /** Every entry the caller sees, from the first. */
    static List<JsonNode> history(ApiClient by, String conv) {
        List<JsonNode> all = new ArrayList<>();
        boolean more = true;
        long since = 1;
        while (more) {
            JsonNode page = expect(200, by.get(ApiClient.of(conv, "/entries?since=" + since + "&limit=200")));
            page.path("entries").forEach(all::add);
            more = page.path("hasMore").asBoolean() && page.path("entries").size() > 0;
            since = all.isEmpty() ? since : all.get(all.size() - 1).path("seq").asLong() + 1;
        }
        return all;
    }

    /** Waits until it holds. */
    static void until(String what, Callable<Boolean> holds) {
        until(what, PATIENCE, holds);
    }

    /** Waits until it holds. */
    static void until(String what, Duration patience, Callable<Boolean> holds) {
        Awaitility.await(what)
                .pollInterval(Duration.ofMillis(40))
                .pollDelay(Duration.ZERO)
                .atMost(patience)
                .until(holds);
    }

    /** Makes sure that it goes on to hold for that time. */
    static void during(String what, Duration time, Callable<Boolean> holds) {
        Awaitility.await(what)
                .pollInterval(Duration.ofMillis(40))
                .pollDelay(Duration.ZERO)
                .during(time)
                .atMost(time.plus(PATIENCE))
                .until(holds);
    }

    @Override
    public void close() {
        for (AutoCloseable one : List.copyOf(opened)) {
            try {
                one.close();
            } catch (Exception e) {
                throw new IllegalStateException("could not close " + one, e);
            }
        }
    }
}
