package dev.switchboard.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.WireClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * C24: who may do what, cell by cell, over HTTP and as frames. {@code yes} is done; {@code no} is refused as
 * forbidden or as not the owner's, and changes nothing; {@code 404} is told that there is no such conversation. A
 * stranger is a customer of another conversation, an agent or a supervisor of another queue, or a service for other
 * customers.
 *
 * <p>What the matrix leaves open is named: {@code hidden} is refused either as not allowed or as not there, since a
 * colleague may not look at an assigned conversation; {@code idle} may be answered, but moves nothing, since a
 * supervisor's socket acknowledges what it watches.
 */
class MatrixTest extends ConformanceTest {
    /** An assigned conversation. */
    private static final String ASSIGNED = """
            deed       customer owner colleague supervisor service operator stranger
            look       yes      yes   404       yes        yes     yes      404
            entries    yes      yes   404       yes        yes     no       404
            post       yes      yes   no        no         yes     no       404
            ack        yes      yes   hidden    idle       yes     no       404
            read       yes      yes   hidden    idle       yes     no       404
            note       no       yes   no        yes        no      no       404
            label      no       yes   no        yes        no      no       404
            transfer   no       yes   no        yes        no      no       404
            close      yes      yes   no        yes        yes     no       404
            erase      no       no    no        no         no      yes      no
            """;

    /** One that waits. */
    private static final String WAITING = """
            deed       customer colleague supervisor service operator stranger
            look       yes      yes       yes        yes     yes      404
            entries    yes      preview   yes        yes     no       404
            post       yes      no        no         yes     no       404
            ack        yes      hidden    idle       yes     no       404
            note       no       no        yes        no      no       404
            label      no       no        yes        no      no       404
            transfer   no       no        yes        no      no       404
            close      yes      no        yes        yes     no       404
            assign     no       yes       yes        no      no       404
            """;

    private static final List<String> STRANGERS =
            List.of("other customer", "agent of another queue", "supervisor of another queue", "service for others");

    /** What the caller was answered: a status over HTTP, a code in an error frame. */
    private record Outcome(boolean done, int status, String code, JsonNode json, String text) {
        static Outcome of(ApiClient.Answer answer) {
            return new Outcome(answer.status() < 300, answer.status(), answer.code(), answer.json(), answer.text());
        }

        static Outcome of(JsonNode frame) {
            return new Outcome(Frames.is(frame, "reply"), 0, frame.path("code").asText(), frame, frame.toString());
        }
    }

    /** One cell's stage: the conversation and those around it. */
    private final class Stage {
        private final String queue;
        private final String other = scene.queue();
        private final Desk owner;
        private final Scene.Talk talk;
        private final long epoch;

        Stage(boolean assigned) {
            queue = scene.queue();
            owner = assigned ? scene.agent(5, queue) : null;
            talk = scene.talk(queue);
            talk.say("m1", "the first message");
            epoch = assigned ? owner.awaitOwner(talk.conv()) : 0;
        }

        String token(String who) {
            return switch (who) {
                case "customer" -> scene.tokens().customer(talk.customer());
                case "owner" -> scene.tokens().agent(owner.name());
                case "colleague" -> agentOf(queue);
                case "supervisor" -> scene.tokens().supervisor(scene.name("sup"), queue);
                case "service" -> scene.tokens().service(scene.name("bot"), talk.customer());
                case "operator" -> scene.tokens().operator(scene.name("op"));
                case "other customer" -> scene.tokens().customer(scene.name("customer"));
                case "agent of another queue" -> agentOf(other);
                case "supervisor of another queue" -> scene.tokens().supervisor(scene.name("sup"), other);
                case "service for others" -> scene.tokens().service(scene.name("bot"), "somebody-else-*");
                default -> throw new IllegalArgumentException(who);
            };
        }

        private String agentOf(String its) {
            String name = scene.name("agent");
            scene.profile(name, 3, its);
            return scene.tokens().agent(name);
        }

        /** An epoch for an agent to name: the owner's where there is one. */
        long someEpoch() {
            return Math.max(1, epoch);
        }

        /** What must not change when something is refused. */
        String facts() {
            JsonNode seen = Scene.expect(
                    200,
                    scene.api(scene.tokens().supervisor(scene.name("sup"), queue))
                            .get(ApiClient.of(talk.conv(), "")));
            return seen.path("status").asText() + " " + seen.path("owner").asText() + " "
                    + seen.path("epoch").asText() + " " + seen.path("lastSeq").asText() + " "
                    + seen.path("labels");
        }
    }

    @TestFactory
    List<DynamicTest> shouldHoldForAnAssignedConversationOverHttp() {
        return cells(ASSIGNED, true, true);
    }

    @TestFactory
    List<DynamicTest> shouldHoldForAWaitingConversationOverHttp() {
        return cells(WAITING, false, true);
    }

    @TestFactory
    List<DynamicTest> shouldHoldForAnAssignedConversationAsFrames() {
        return cells(ASSIGNED, true, false);
    }

    @TestFactory
    List<DynamicTest> shouldHoldForAWaitingConversationAsFrames() {
        return cells(WAITING, false, false);
    }

    private List<DynamicTest> cells(String table, boolean assigned, boolean http) {
        List<DynamicTest> tests = new ArrayList<>();
        List<String[]> rows =
                table.lines().map(line -> line.strip().split(" +")).toList();
        String[] head = rows.get(0);
        for (String[] row : rows.subList(1, rows.size())) {
            // Erasure has no frame, and looking is history as a frame; operators have no conversations on a socket.
            if (!http && (row[0].equals("erase") || row[0].equals("look"))) {
                continue;
            }
            for (int column = 1; column < head.length; column++) {
                if (!http && head[column].equals("operator")) {
                    continue;
                }
                String expected = row[column];
                for (String who : head[column].equals("stranger") ? STRANGERS : List.of(head[column])) {
                    tests.add(DynamicTest.dynamicTest(
                            who + ", " + row[0] + ": " + expected, () -> cell(who, row[0], expected, assigned, http)));
                }
            }
        }
        return tests;
    }

    private void cell(String who, String deed, String expected, boolean assigned, boolean http) {
        Assumptions.assumeTrue(
                scene.tokens().canClaim() || !STRANGERS.subList(2, 4).contains(who),
                "development tokens make supervisors and services of all");
        try (Scene scoped = new Scene(scene.target())) {
            Scene before = scene;
            scene = scoped;
            try {
                Stage stage = new Stage(assigned);
                String facts = stage.facts();
                Outcome outcome = http
                        ? overHttp(stage, deed, who, stage.token(who))
                        : asFrame(stage, deed, who, stage.token(who));
                check(expected, outcome);
                if (!outcome.done() || expected.equals("idle")) {
                    assertEquals(facts, stage.facts(), "a refusal changes nothing");
                }
            } finally {
                scene = before;
            }
        }
    }

    private static void check(String expected, Outcome outcome) {
        switch (expected) {
            case "yes" -> assertTrue(outcome.done(), outcome::text);
            case "no" ->
                assertTrue(
                        List.of("forbidden", "not-owner", "stale-epoch").contains(outcome.code())
                                && List.of(0, 403, 409).contains(outcome.status()),
                        outcome::text);
            case "404" -> {
                assertEquals("not-found", outcome.code(), outcome::text);
                assertTrue(outcome.status() == 0 || outcome.status() == 404, outcome::text);
            }
            case "preview" -> {
                assertTrue(outcome.done(), outcome::text);
                assertTrue(outcome.json().path("entries").size() <= 1, outcome::text);
            }
            case "hidden" ->
                assertTrue(List.of("forbidden", "not-owner", "not-found").contains(outcome.code()), outcome::text);
            case "idle" ->
                assertTrue(outcome.done() || List.of("forbidden", "bad-ack").contains(outcome.code()), outcome::text);
            default -> throw new IllegalArgumentException(expected);
        }
    }

    private Outcome overHttp(Stage stage, String deed, String who, String token) {
        ApiClient api = scene.api(token);
        String conv = stage.talk.conv();
        String id = scene.name("id");
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (isAgent(who)) {
            body.put("epoch", stage.someEpoch());
        }
        return Outcome.of(
                switch (deed) {
                    case "look" -> api.get(ApiClient.of(conv, ""));
                    case "entries" -> api.get(ApiClient.of(conv, "/entries?since=1"));
                    case "post" ->
                        api.post(ApiClient.of(conv, "/messages"), body.setAll(ApiClient.messageBody("hello")), id);
                    case "ack", "read" -> api.post(ApiClient.of(conv, "/" + deed), body.put("seq", 1), id);
                    case "note" -> api.post(ApiClient.of(conv, "/notes"), body.put("text", "careful"), id);
                    case "label" -> {
                        body.putArray("add").add("vip");
                        yield api.post(ApiClient.of(conv, "/labels"), body, id);
                    }
                    case "transfer" -> {
                        body.putObject("to").put("queue", stage.other);
                        yield api.post(ApiClient.of(conv, "/transfer"), body, id);
                    }
                    case "close" -> api.post(ApiClient.of(conv, "/close"), body, id);
                    case "assign" -> {
                        makeReady(who, token);
                        yield api.post(ApiClient.of(conv, "/assign"), body, id);
                    }
                    case "erase" -> api.delete(ApiClient.of(conv, ""));
                    default -> throw new IllegalArgumentException(deed);
                });
    }

    private static boolean isAgent(String who) {
        return who.equals("owner") || who.equals("colleague") || who.equals("agent of another queue");
    }

    /** Who takes a conversation must be at a desk. */
    private void makeReady(String who, String token) {
        if (who.equals("colleague") || who.equals("supervisor")) {
            scene.connect(token).must(Frames.status("available"));
        }
    }

    private Outcome asFrame(Stage stage, String deed, String who, String token) {
        String conv = stage.talk.conv();
        boolean acknowledges = deed.equals("ack") || deed.equals("read");
        // A service acknowledges what came to its own terminal, so it asks for the conversation first.
        WireClient client = who.equals("service") && acknowledges
                ? scene.closing(
                        scene.client(token).withoutAcks().resume(conv, 0, null).open())
                : scene.connect(token);
        if (who.equals("service") && acknowledges) {
            client.await("entry");
        }
        String id = scene.name("id");
        long epoch = isAgent(who) ? stage.someEpoch() : 0;
        return Outcome.of(
                switch (deed) {
                    case "entries" -> client.ask(Frames.history(conv, 1, 50));
                    case "post" ->
                        client.ask(epoch > 0 ? Frames.post(conv, id, "hello", epoch) : Frames.post(conv, id, "hello"));
                    case "ack" -> client.ask(Frames.ack(conv, 1));
                    case "read" -> client.ask(Frames.read(conv, 1));
                    case "note" -> client.ask(Frames.note(conv, "careful", epoch, id));
                    case "label" -> client.ask(Frames.label(conv, "vip", epoch, id));
                    case "transfer" -> client.ask(Frames.transferToQueue(conv, stage.other, epoch, id));
                    case "close" -> client.ask(Frames.close(conv, epoch, "done", id));
                    case "assign" -> {
                        if (who.equals("colleague") || who.equals("supervisor")) {
                            client.must(Frames.status("available"));
                        }
                        yield client.ask(Frames.assign(conv, id));
                    }
                    default -> throw new IllegalArgumentException(deed.toUpperCase(Locale.ROOT));
                });
    }

    @TestFactory
    List<DynamicTest> shouldLetOnlyThoseSetProfilesAndQueuesWhoMay() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String who : Arrays.asList("customer", "owner", "colleague", "supervisor", "service", "operator")) {
            tests.add(DynamicTest.dynamicTest(who + ", profile", () -> {
                Stage stage = new Stage(true);
                ObjectNode profile = JsonNodeFactory.instance.objectNode().put("capacity", 4);
                profile.putArray("queues").add(stage.queue);
                ApiClient.Answer answer =
                        scene.api(stage.token(who)).put("/agents/" + stage.owner.name() + "/profile", profile);
                boolean may = who.equals("supervisor") || who.equals("operator");
                assertEquals(may ? 200 : 403, answer.status(), answer::text);
            }));
            tests.add(DynamicTest.dynamicTest(who + ", queue", () -> {
                Stage stage = new Stage(true);
                ObjectNode queue = JsonNodeFactory.instance.objectNode().put("offerTo", 2);
                ApiClient.Answer answer = scene.api(stage.token(who)).put("/queues/" + stage.queue, queue);
                assertEquals(who.equals("operator") ? 200 : 403, answer.status(), answer::text);
            }));
        }
        return tests;
    }

    @TestFactory
    List<DynamicTest> shouldAskForATokenEverywhere() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String path : List.of(
                "/conversations",
                "/conversations/c-x",
                "/conversations/c-x/entries",
                "/agents",
                "/agents/x",
                "/queues")) {
            tests.add(DynamicTest.dynamicTest("GET " + path, () -> {
                assertEquals(401, scene.api(null).get(path).status());
                assertEquals(401, scene.api("nonsense").get(path).status());
            }));
        }
        return tests;
    }
}
