package dev.switchboard.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.api.ApiFixture.Answer;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Entry;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.RequestRecord;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The calls over real HTTP; what stands behind them is scripted. Every answer is held against the OpenAPI document. */
class ApiRoutesTest {
    private static final String HELLO = "{\"body\":{\"type\":\"text\",\"text\":\"hello\"}}";
    private static final String CAROL = "customer:carol";
    private static final String ALICE = "agent:alice";
    private static final String SUE = "supervisor:sue";
    private static final String BOT = "service:bot";
    private static final String OPS = "operator:ops";

    private final ApiFixture api = new ApiFixture();

    @BeforeEach
    void aConversation() {
        api.fakes.add(Fakes.row("carol", Status.ASSIGNED, "alice", "default"));
        api.fakes.agent("alice", true, "default");
        api.fakes.agent("bob", true, "default");
        api.fakes.agent("ben", true, "billing");
    }

    @AfterEach
    void close() {
        api.close();
    }

    private ConversationCommand asked() {
        assertEquals(1, api.fakes.asked.size());
        return api.fakes.asked.get(0);
    }

    // ---- opening ----

    @Test
    void shouldOpenTheCustomersOwnConversation() {
        Answer answer = api.post(CAROL, "/conversations", "{\"queue\":\"billing\",\"attributes\":{\"page\":\"/\"}}");
        assertEquals(201, answer.status());
        assertEquals("c-carol", answer.json().path("conv").asText());
        assertEquals(
                "/api/v1/conversations/c-carol",
                answer.headers().firstValue("Location").orElse(""));
        ConversationCommand.Open open = (ConversationCommand.Open) asked();
        assertEquals("carol", open.customer());
        assertEquals("billing", open.queue());
        assertEquals("/", open.attributes().get("page"));
    }

    @Test
    void shouldOpenWithoutABody() {
        assertEquals(201, api.post(CAROL, "/conversations", null).status());
        assertEquals("default", ((ConversationCommand.Open) asked()).queue());
    }

    @Test
    void shouldLetAServiceNameCustomerPriorityAndSkills() {
        Answer missing = api.post(BOT, "/conversations", "{}");
        assertEquals(400, missing.status());
        assertEquals("customer", missing.json().path("field").asText());
        api.post(BOT, "/conversations", "{\"customer\":\"carol\",\"priority\":7,\"skills\":[\"french\"]}");
        ConversationCommand.Open open = (ConversationCommand.Open) asked();
        assertEquals(7, open.by().priority());
        assertEquals(Set.of("french"), open.by().skills());
        assertEquals("carol", open.customer());
    }

    @Test
    void shouldTakeNoPriorityFromACustomer() {
        api.post(CAROL, "/conversations", "{\"priority\":9,\"skills\":[\"boss\"]}");
        ConversationCommand.Open open = (ConversationCommand.Open) asked();
        assertEquals(0, open.by().priority());
        assertEquals(Set.of(), open.by().skills());
    }

    @Test
    void shouldRefuseAnOpeningOfOthers() {
        assertEquals(403, api.post(ALICE, "/conversations", "{}").status());
        assertEquals(403, api.post(SUE, "/conversations", "{}").status());
        assertEquals(403, api.post(OPS, "/conversations", "{}").status());
        assertEquals(
                403,
                api.post("customer:eve", "/conversations", "{\"customer\":\"carol\"}")
                        .status());
        assertEquals(
                "unknown-queue",
                api.post(CAROL, "/conversations", "{\"queue\":\"none\"}").code());
        assertTrue(api.fakes.asked.isEmpty());
    }

    // ---- posting ----

    @Test
    void shouldPostAsTheCustomer() {
        Answer answer = api.post(CAROL, "/conversations/c-carol/messages", HELLO, "Idempotency-Key", "m1");
        assertEquals(201, answer.status());
        assertEquals(7, answer.json().path("seq").asLong());
        assertEquals("accepted", answer.json().path("state").asText());
        ConversationCommand.Post post = (ConversationCommand.Post) asked();
        assertEquals("m1", post.clientMsgId());
        assertEquals("hello", post.body().text());
        assertEquals(new Person(Role.CUSTOMER, "carol"), post.sender());
        assertFalse(post.viaSocket());
    }

    @Test
    void shouldAnswerARepeatWith200() {
        api.fakes.answer = command -> new ConversationReply.Done("c-carol", 3, 4, 7, true);
        Answer answer = api.post(CAROL, "/conversations/c-carol/messages", HELLO, "Idempotency-Key", "m1");
        assertEquals(200, answer.status());
        assertTrue(answer.json().path("duplicate").asBoolean());
    }

    @Test
    void shouldPostAsTheCustomerWhenAServiceDoes() {
        api.post(BOT, "/conversations/c-carol/messages", HELLO, "Idempotency-Key", "m1");
        assertEquals(new Person(Role.CUSTOMER, "carol"), ((ConversationCommand.Post) asked()).sender());
    }

    @Test
    void shouldNeedAnEpochFromAnAgent() {
        Answer answer = api.post(ALICE, "/conversations/c-carol/messages", HELLO, "Idempotency-Key", "m1");
        assertEquals(400, answer.status());
        assertEquals("epoch", answer.json().path("field").asText());
        api.post(
                ALICE,
                "/conversations/c-carol/messages",
                "{\"epoch\":4,\"body\":{\"type\":\"text\",\"text\":\"hi\"}}",
                "Idempotency-Key",
                "m1");
        assertEquals(4, ((ConversationCommand.Post) asked()).epoch());
    }

    @Test
    void shouldNeedAnIdempotencyKeyForAMessage() {
        Answer answer = api.post(CAROL, "/conversations/c-carol/messages", HELLO);
        assertEquals(400, answer.status());
        assertEquals("Idempotency-Key", answer.json().path("field").asText());
        Answer tooLong = api.post(CAROL, "/conversations/c-carol/messages", HELLO, "Idempotency-Key", "x".repeat(65));
        assertEquals("invalid", tooLong.code());
    }

    @Test
    void shouldSayWhoOwnsAConversationThatAnAgentLost() {
        api.fakes.answer = command ->
                new ConversationReply.Refused(Refusal.of(ErrorCode.STALE_EPOCH, "The epoch is 5, not 4.")
                        .withFact("owner", "bob")
                        .withFact("epoch", 5L));
        Answer answer = api.post(
                ALICE,
                "/conversations/c-carol/messages",
                "{\"epoch\":4,\"body\":{\"type\":\"text\",\"text\":\"hi\"}}",
                "Idempotency-Key",
                "m1");
        assertEquals(409, answer.status());
        assertEquals("stale-epoch", answer.code());
        assertEquals("bob", answer.json().path("owner").asText());
        assertEquals(5, answer.json().path("epoch").asLong());
    }

    @Test
    void shouldNotWakeAConversationThatIsUnknown() {
        assertEquals(
                404,
                api.post(CAROL, "/conversations/c-nobody/messages", HELLO, "Idempotency-Key", "m")
                        .status());
        assertEquals(
                404,
                api.post(CAROL, "/conversations/nonsense/messages", HELLO, "Idempotency-Key", "m")
                        .status());
        assertEquals(404, api.get(CAROL, "/conversations/c-nobody").status());
        assertEquals(404, api.get(CAROL, "/conversations/c-nobody/entries").status());
        assertEquals(
                404,
                api.post(CAROL, "/conversations/c-nobody/ack", "{\"seq\":1}").status());
        assertTrue(api.fakes.asked.isEmpty());
    }

    // ---- bad input ----

    @Test
    void shouldNameTheFieldThatIsWrong() {
        record Case(String json, String code, String field) {}
        List<Case> cases = List.of(
                new Case("{\"body\":{\"type\":\"text\",\"text\":7}}", "invalid", "body.text"),
                new Case("{\"body\":{\"type\":\"text\"}}", "invalid", "body.text"),
                new Case("{\"body\":{\"type\":\"text\",\"text\":\"\"}}", "invalid", "body.text"),
                new Case("{\"body\":{\"type\":\"film\",\"text\":\"x\"}}", "invalid", "body.type"),
                new Case("{\"body\":{\"type\":\"image\"}}", "invalid", "body.url"),
                new Case("{\"body\":{\"type\":\"image\",\"url\":\"javascript:alert(1)\"}}", "invalid", "body.url"),
                new Case("{\"body\":\"hello\"}", "invalid", "body"),
                new Case("{}", "invalid", "body"),
                new Case("{\"repeat\":1,\"body\":{\"type\":\"text\",\"text\":\"x\"}}", "invalid", "repeat"),
                new Case("{\"after\":[],\"body\":{\"type\":\"text\",\"text\":\"x\"}}", "invalid", "after"),
                new Case("{\"epoch\":1.5,\"body\":{\"type\":\"text\",\"text\":\"x\"}}", "invalid", "epoch"),
                new Case("{\"body\":{\"type\":\"text\",\"text\":\"\\ud800\"}}", "invalid", "body.text"),
                new Case(
                        "{\"body\":{\"type\":\"text\",\"text\":\"" + "x".repeat(16 * 1024 + 1) + "\"}}",
                        "too-large",
                        "body.text"));
        for (Case bad : cases) {
            Answer answer = api.post(CAROL, "/conversations/c-carol/messages", bad.json(), "Idempotency-Key", "m1");
            assertEquals(bad.code(), answer.code(), bad.json());
            assertEquals(bad.field(), answer.json().path("field").asText(), bad.json());
        }
        assertTrue(api.fakes.asked.isEmpty());
    }

    @Test
    void shouldRefuseWhatIsNoJson() {
        for (String bad : List.of("{", "hello", "[]", "7", "{\"a\":1}x", "{\"a\":1,\"a\":2}", "[".repeat(2000))) {
            Answer answer = api.post(CAROL, "/conversations/c-carol/messages", bad, "Idempotency-Key", "m1");
            assertEquals(400, answer.status(), bad);
            assertEquals("malformed", answer.code(), bad);
        }
    }

    @Test
    void shouldIgnoreUnknownFields() {
        String json = "{\"body\":{\"type\":\"text\",\"text\":\"x\",\"colour\":1},\"newer\":{\"a\":[]}}";
        assertEquals(
                201,
                api.post(CAROL, "/conversations/c-carol/messages", json, "Idempotency-Key", "m1")
                        .status());
    }

    @Test
    void shouldRefuseTooMuchOrAnotherMediaType() {
        Answer large =
                api.post(CAROL, "/conversations/c-carol/messages", "x".repeat(70 * 1024), "Idempotency-Key", "m1");
        assertEquals(413, large.status());
        Answer xml = api.post(
                CAROL, "/conversations/c-carol/messages", "<x/>", "Idempotency-Key", "m1", "Content-Type", "text/xml");
        assertEquals(415, xml.status());
        Answer attributes = api.post(CAROL, "/conversations", "{\"attributes\":{\"a\":\"" + "x".repeat(4096) + "\"}}");
        assertEquals(413, attributes.status());
        assertEquals("attributes", attributes.json().path("field").asText());
        assertEquals(
                "attributes.n",
                api.post(CAROL, "/conversations", "{\"attributes\":{\"n\":1}}")
                        .json()
                        .path("field")
                        .asText());
    }

    @Test
    void shouldSayWhatAnAddressTakes() {
        Answer answer = api.call(CAROL, "PATCH", "/conversations/c-carol", "{}");
        assertEquals(405, answer.status());
        assertEquals("DELETE, GET", answer.json().path("allow").asText());
        assertEquals("not-found", api.get(CAROL, "/nothing/here").code());
        assertEquals("not-found", api.get(CAROL, "/lost-letters").code());
        assertEquals("not-found", api.get(CAROL, "/").code());
    }

    @Test
    void shouldRefuseBadQueries() {
        assertEquals(
                "limit",
                api.get(CAROL, "/conversations?limit=201").json().path("field").asText());
        assertEquals(
                "limit",
                api.get(CAROL, "/conversations?limit=x").json().path("field").asText());
        assertEquals(
                "status",
                api.get(CAROL, "/conversations?status=new").json().path("field").asText());
        assertEquals(
                "cursor",
                api.get(CAROL, "/conversations?cursor=xx").json().path("field").asText());
        assertEquals(
                "cursor",
                api.get(ALICE, "/agents?cursor=xx").json().path("field").asText());
        assertEquals(
                "since",
                api.get(CAROL, "/conversations/c-carol/entries?since=-1")
                        .json()
                        .path("field")
                        .asText());
    }

    // ---- who calls ----

    @Test
    void shouldNeedAToken() {
        Answer none = api.get(null, "/conversations");
        assertEquals(401, none.status());
        assertEquals("unauthorized", none.code());
        assertEquals("Bearer", none.headers().firstValue("WWW-Authenticate").orElse(""));
        assertEquals(401, api.get("nobody:x", "/conversations").status());
        assertEquals(
                401,
                api.call(null, "GET", "/conversations", null, "Authorization", "Basic eA==")
                        .status());
    }

    @Test
    void shouldRefusePagesFromElsewhere() {
        assertEquals(200, api.get(CAROL, "/conversations").status());
        assertEquals(
                "origin-refused",
                api.call(CAROL, "GET", "/conversations", null, "Origin", "https://evil.example")
                        .code());
        assertEquals(
                200,
                api.call(CAROL, "GET", "/conversations", null, "Origin", "https://desk.example.com")
                        .status());
        String own = "http://127.0.0.1:" + api.uri("").getPort();
        assertEquals(
                200,
                api.call(CAROL, "GET", "/conversations", null, "Origin", own).status());
    }

    @Test
    void shouldLetPagesOfListedOriginsReadTheAnswers() {
        String desk = "https://desk.example.com";
        Answer asked = api.options("/conversations", "Origin", desk, "Access-Control-Request-Method", "POST");
        assertEquals(204, asked.status());
        assertEquals(
                desk, asked.headers().firstValue("Access-Control-Allow-Origin").orElse(""));
        assertTrue(asked.headers()
                .firstValue("Access-Control-Allow-Headers")
                .orElse("")
                .contains("Idempotency-Key"));
        Answer answer = api.call(CAROL, "GET", "/conversations/c-nobody", null, "Origin", desk);
        assertEquals(404, answer.status());
        assertEquals(
                desk, answer.headers().firstValue("Access-Control-Allow-Origin").orElse(""));
        Answer evil = api.options(
                "/conversations", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST");
        assertEquals(403, evil.status());
        assertTrue(evil.headers().firstValue("Access-Control-Allow-Origin").isEmpty());
        assertTrue(api.get(CAROL, "/conversations")
                .headers()
                .firstValue("Access-Control-Allow-Origin")
                .isEmpty());
    }

    @Test
    void shouldAnswerWhenTheDatabaseIsDown() {
        api.fakes.databaseDown = true;
        Answer answer = api.post(CAROL, "/conversations/c-carol/messages", HELLO, "Idempotency-Key", "m1");
        assertEquals(503, answer.status());
        assertEquals("journal-unavailable", answer.code());
        assertTrue(answer.json().path("retryable").asBoolean());
        assertEquals("2", answer.headers().firstValue("Retry-After").orElse(""));
    }

    @Test
    void shouldAnswerItsOwnMistakesAsAProblem() {
        api.fakes.answer = command -> {
            throw new IllegalStateException("expected by this test");
        };
        Answer answer = api.get(CAROL, "/conversations/c-carol");
        assertEquals(500, answer.status());
        assertEquals("internal", answer.code());
        assertFalse(answer.text().contains("expected by this test"));
    }

    // ---- reading ----

    private void history() {
        Person carol = new Person(Role.CUSTOMER, "carol");
        Person alice = new Person(Role.AGENT, "alice");
        List<Entry> entries = new ArrayList<>();
        entries.add(Entry.message(1, carol, Fakes.NOON, "m1", Body.text("x".repeat(300))));
        entries.add(Entry.lifecycle(2, Entry.Kind.ASSIGNED, null, Fakes.NOON, null, "alice", 2, "default", null, null));
        entries.add(Entry.note(3, alice, Fakes.NOON, "n1", "for colleagues"));
        entries.add(Entry.label(4, alice, Fakes.NOON, "l1", List.of("vip"), List.of()));
        entries.add(Entry.lifecycle(
                5, Entry.Kind.TRANSFERRED, alice, Fakes.NOON, "t1", null, 3, "billing", "bob", "billing"));
        api.fakes.entries.put("c-carol", entries);
    }

    @Test
    void shouldShowACustomerWhatIsForTheCustomer() {
        history();
        Answer answer = api.get(CAROL, "/conversations/c-carol/entries");
        assertEquals(List.of(1, 2, 5), seqs(answer));
        assertFalse(answer.json().path("hasMore").asBoolean());
        assertTrue(answer.json().path("entries").get(2).path("owner").isNull());
    }

    @Test
    void shouldShowTheOwnerAndItsSupervisorEverything() {
        history();
        assertEquals(List.of(1, 2, 3, 4, 5), seqs(api.get(ALICE, "/conversations/c-carol/entries")));
        assertEquals(List.of(1, 2, 3, 4, 5), seqs(api.get(SUE, "/conversations/c-carol/entries")));
        assertEquals(List.of(2, 3), seqs(api.get(SUE, "/conversations/c-carol/entries?since=2&limit=2")));
        assertEquals(List.of(2, 3), seqs(api.get(SUE, "/conversations/c-carol/entries?before=4&limit=2")));
        assertEquals(List.of(1, 2, 5), seqs(api.get(BOT, "/conversations/c-carol/entries")));
    }

    @Test
    void shouldShowColleaguesAPreviewWhileItWaits() {
        history();
        assertEquals(404, api.get("agent:bob", "/conversations/c-carol/entries").status());
        assertEquals(404, api.get("agent:bob", "/conversations/c-carol").status());
        api.fakes.add(Fakes.row("carol", Status.WAITING, null, "default"));
        Answer answer = api.get("agent:bob", "/conversations/c-carol/entries");
        assertTrue(answer.json().path("preview").asBoolean());
        assertEquals(List.of(1), seqs(answer));
        assertEquals(
                200,
                answer.json()
                        .path("entries")
                        .get(0)
                        .path("body")
                        .path("text")
                        .asText()
                        .length());
        Answer shown = api.get("agent:bob", "/conversations/c-carol");
        assertEquals(200, shown.json().path("preview").path("text").asText().length());
        assertEquals(404, api.get("agent:ben", "/conversations/c-carol").status());
        assertTrue(api.fakes.asked.isEmpty());
    }

    @Test
    void shouldShowOperatorsFactsWithoutContent() {
        history();
        Answer answer = api.get(OPS, "/conversations/c-carol");
        assertEquals(200, answer.status());
        assertFalse(answer.json().has("attributes"));
        assertEquals(403, api.get(OPS, "/conversations/c-carol/entries").status());
    }

    @Test
    void shouldHideAConversationFromStrangers() {
        history();
        for (String stranger : List.of("customer:eve", "agent:ben")) {
            assertEquals(404, api.get(stranger, "/conversations/c-carol").status(), stranger);
            assertEquals(
                    404, api.get(stranger, "/conversations/c-carol/entries").status(), stranger);
            assertEquals(
                    404, api.get(stranger, "/conversations/c-carol/routing").status(), stranger);
            assertEquals(
                    404,
                    api.get(stranger, "/conversations/c-carol/messages/m1/status")
                            .status(),
                    stranger);
        }
    }

    @Test
    void shouldTellHowFarAMessageGot() {
        api.fakes.requests.put("c-carol customer:carol m1", new RequestRecord("m1", 0, 2, 1));
        api.fakes.requests.put("c-carol customer:carol m2", new RequestRecord("m2", 0, 4, 1));
        api.fakes.requests.put("c-carol customer:carol m3", new RequestRecord("m3", 0, 5, 1));
        assertEquals("read", state("m1"));
        assertEquals("delivered", state("m2"));
        assertEquals("accepted", state("m3"));
        assertEquals(
                404, api.get(CAROL, "/conversations/c-carol/messages/m4/status").status());
        assertEquals(
                404, api.get(ALICE, "/conversations/c-carol/messages/m1/status").status());
        assertEquals(
                200, api.get(BOT, "/conversations/c-carol/messages/m1/status").status());
    }

    private String state(String id) {
        return api.get(CAROL, "/conversations/c-carol/messages/" + id + "/status")
                .json()
                .path("state")
                .asText();
    }

    @Test
    void shouldExplainTheRouting() {
        Answer answer = api.get(ALICE, "/conversations/c-carol/routing");
        assertEquals(
                "alice", answer.json().path("decisions").get(0).path("agent").asText());
        assertFalse(answer.json().has("waiting"));
        api.fakes.add(Fakes.row("carol", Status.WAITING, null, "default"));
        assertEquals(
                2,
                api.get(SUE, "/conversations/c-carol/routing")
                        .json()
                        .path("waiting")
                        .path("position")
                        .asInt());
        assertEquals(403, api.get(CAROL, "/conversations/c-carol/routing").status());
    }

    // ---- lists ----

    @Test
    void shouldNarrowListsToWhatTheCallerMaySee() {
        api.fakes.add(Fakes.row("dan", Status.WAITING, null, "default"));
        api.fakes.add(Fakes.row("erin", Status.OFFERED, null, "billing"));
        api.fakes.add(Fakes.row("fred", Status.ASSIGNED, "ben", "billing"));
        api.fakes.add(Fakes.row("gus", Status.CLOSED, null, "default"));
        assertEquals(Set.of("c-carol"), convs(CAROL, ""));
        assertEquals(Set.of("c-carol", "c-dan"), convs(ALICE, ""));
        assertEquals(Set.of("c-dan"), convs(ALICE, "?status=waiting"));
        assertEquals(Set.of("c-carol"), convs(ALICE, "?owner=alice"));
        assertEquals(Set.of(), convs(ALICE, "?owner=ben"));
        assertEquals(Set.of("c-fred", "c-erin"), convs("agent:ben", ""));
        assertEquals(Set.of("c-carol", "c-dan", "c-erin", "c-fred", "c-gus"), convs(SUE, ""));
        assertEquals(Set.of("c-erin", "c-fred"), convs(OPS, "?queue=billing"));
        assertEquals(Set.of("c-dan"), convs(BOT, "?customer=dan"));
    }

    @Test
    void shouldPageThroughAnAgentsSeveralLists() {
        for (int i = 0; i < 5; i++) {
            api.fakes.add(Fakes.row("own" + i, Status.ASSIGNED, "alice", "default"));
            api.fakes.add(Fakes.row("wait" + i, Status.WAITING, null, "default"));
            api.fakes.add(Fakes.row("offer" + i, Status.OFFERED, null, "default"));
        }
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            Answer page = api.get(ALICE, "/conversations?limit=3" + cursor);
            page.json().path("items").forEach(item -> seen.add(item.path("conv").asText()));
            cursor = page.json().has("cursor")
                    ? "&cursor=" + page.json().path("cursor").asText()
                    : "";
        } while (!cursor.isEmpty());
        assertEquals(16, seen.size());
        assertEquals(16, new TreeSet<>(seen).size());
    }

    private Set<String> convs(String who, String query) {
        Set<String> convs = new TreeSet<>();
        api.get(who, "/conversations" + query)
                .json()
                .path("items")
                .forEach(item -> convs.add(item.path("conv").asText()));
        return convs;
    }

    private static List<Integer> seqs(Answer answer) {
        assertEquals(200, answer.status(), answer.text());
        List<Integer> seqs = new ArrayList<>();
        answer.json()
                .path("entries")
                .forEach(entry -> seqs.add(entry.path("seq").asInt()));
        return seqs;
    }

    // ---- changes ----

    @Test
    void shouldPassChangesOn() {
        String base = "/conversations/c-carol";
        assertEquals(200, api.post(CAROL, base + "/ack", "{\"seq\":3}").status());
        assertEquals(200, api.post(ALICE, base + "/read", "{\"seq\":3}").status());
        Answer closed = api.post(ALICE, base + "/close", "{\"epoch\":4,\"reason\":\"solved\"}", "Idempotency-Key", "k");
        assertEquals(4, closed.json().path("epoch").asLong());
        assertEquals(200, api.post(SUE, base + "/notes", "{\"text\":\"look\"}").status());
        assertEquals(200, api.post(SUE, base + "/labels", "{\"add\":[\"vip\"]}").status());
        assertEquals(
                200,
                api.post(SUE, base + "/transfer", "{\"to\":{\"agent\":\"bob\"},\"note\":\"n\"}")
                        .status());
        assertEquals(
                200,
                api.post(ALICE, base + "/transfer", "{\"to\":{\"queue\":\"billing\"},\"epoch\":4}")
                        .status());
        assertEquals(200, api.post(SUE, base + "/assign", "{\"agent\":\"bob\"}").status());
        assertEquals(200, api.post(ALICE, base + "/assign", null).status());
        assertEquals(9, api.fakes.asked.size());
        ConversationCommand.Close close = (ConversationCommand.Close) api.fakes.asked.get(2);
        assertEquals("k", close.clientMsgId());
        assertEquals("solved", close.reason());
        assertEquals(4, close.epoch());
        ConversationCommand.Transfer transfer = (ConversationCommand.Transfer) api.fakes.asked.get(5);
        assertEquals("bob", transfer.toAgent());
        assertEquals("n", transfer.note());
        assertEquals("alice", ((ConversationCommand.Assign) api.fakes.asked.get(8)).agent());
    }

    @Test
    void shouldRefuseChangesThatMakeNoSense() {
        String base = "/conversations/c-carol";
        assertEquals(
                "to",
                api.post(SUE, base + "/transfer", "{\"to\":{}}")
                        .json()
                        .path("field")
                        .asText());
        assertEquals(
                "to",
                api.post(SUE, base + "/transfer", "{\"to\":{\"agent\":\"bob\",\"queue\":\"default\"}}")
                        .json()
                        .path("field")
                        .asText());
        assertEquals(
                "unknown-agent",
                api.post(SUE, base + "/transfer", "{\"to\":{\"agent\":\"zoe\"}}")
                        .code());
        assertEquals(
                "not-found",
                api.post("agent:ben", base + "/transfer", "{\"epoch\":4,\"to\":{\"agent\":\"zoe\"}}")
                        .code());
        assertEquals(
                "unknown-agent",
                api.post(SUE, base + "/assign", "{\"agent\":\"zoe\"}").code());
        assertEquals(
                "seq",
                api.post(CAROL, base + "/ack", "{\"seq\":0}")
                        .json()
                        .path("field")
                        .asText());
        assertEquals(
                "text",
                api.post(SUE, base + "/notes", "{}").json().path("field").asText());
        assertEquals(
                "add",
                api.post(SUE, base + "/labels", "{}").json().path("field").asText());
        assertEquals(
                "add[0]",
                api.post(SUE, base + "/labels", "{\"add\":[\"\"]}")
                        .json()
                        .path("field")
                        .asText());
        assertTrue(api.fakes.asked.isEmpty());
    }

    @Test
    void shouldKeepOperatorsOutOfConversations() {
        String base = "/conversations/c-carol";
        assertEquals(
                403,
                api.post(OPS, base + "/messages", HELLO, "Idempotency-Key", "m").status());
        assertEquals(403, api.post(OPS, base + "/ack", "{\"seq\":1}").status());
        assertEquals(403, api.post(OPS, base + "/close", null).status());
        assertEquals(403, api.post(OPS, base + "/notes", "{\"text\":\"x\"}").status());
        assertEquals(403, api.post(OPS, base + "/assign", null).status());
        assertEquals(
                403,
                api.post(OPS, base + "/transfer", "{\"to\":{\"queue\":\"billing\"}}")
                        .status());
        assertEquals(404, api.post(OPS, "/conversations/c-nobody/close", null).status());
        assertTrue(api.fakes.asked.isEmpty());
    }

    @Test
    void shouldLetOnlyStaffDirectConversations() {
        String base = "/conversations/c-carol";
        for (String who : List.of(CAROL, BOT)) {
            assertEquals(403, api.post(who, base + "/assign", null).status(), who);
            assertEquals(
                    403,
                    api.post(who, base + "/transfer", "{\"to\":{\"agent\":\"zoe\"}}")
                            .status(),
                    who);
        }
        assertEquals(404, api.post("customer:eve", base + "/assign", null).status());
        assertEquals(
                404,
                api.post("customer:eve", base + "/transfer", "{\"to\":{\"agent\":\"bob\"}}")
                        .status());
        assertEquals(200, api.post(SUE, base + "/assign", null).status());
        assertEquals("sue", ((ConversationCommand.Assign) asked()).agent());
    }

    @Test
    void shouldLetOperatorsAloneErase() {
        for (String who : List.of(CAROL, ALICE, SUE, BOT, "customer:eve")) {
            assertEquals(
                    403, api.call(who, "DELETE", "/conversations/c-carol", null).status(), who);
        }
        api.fakes.answer = command -> new ConversationReply.Erased("c-carol", 9, true, false);
        ApiFixture.Answer done = api.call(OPS, "DELETE", "/conversations/c-carol", null);
        assertEquals(200, done.status());
        assertEquals("erased", done.json().path("state").asText());
        assertEquals(9, done.json().path("seq").asLong());
        assertEquals("ops", ((ConversationCommand.Erase) asked()).by().id());
        api.fakes.answer = command -> new ConversationReply.Erased("c-carol", 9, false, true);
        ApiFixture.Answer later = api.call(OPS, "DELETE", "/conversations/c-carol", null);
        assertEquals(202, later.status());
        assertEquals("erasing", later.json().path("state").asText());
        assertEquals(
                404, api.call(OPS, "DELETE", "/conversations/c-nobody", null).status());
    }

    // ---- agents, queues, revocations ----

    @Test
    void shouldShowAgents() {
        assertEquals(3, api.get(ALICE, "/agents").json().path("items").size());
        assertEquals(
                1, api.get(ALICE, "/agents?queue=billing").json().path("items").size());
        assertEquals(403, api.get(CAROL, "/agents").status());
        assertTrue(api.get(ALICE, "/agents/alice").json().has("slots"));
        assertFalse(api.get(ALICE, "/agents/bob").json().has("slots"));
        assertTrue(api.get(OPS, "/agents/bob").json().has("slots"));
        assertEquals("unknown-agent", api.get(OPS, "/agents/zoe").code());
    }

    @Test
    void shouldLetAnAgentAndThoseAboveChooseItsStatus() {
        String away = "{\"availability\":\"away\"}";
        assertEquals(200, api.put(ALICE, "/agents/alice/status", away).status());
        assertEquals(200, api.put(SUE, "/agents/alice/status", away).status());
        assertEquals(200, api.put(OPS, "/agents/alice/status", away).status());
        assertEquals(3, api.fakes.desksAsked.size());
        assertEquals(Availability.AWAY, ((DeskCommand.ChooseAvailability) api.fakes.desksAsked.get(0)).availability());
        assertEquals(403, api.put("agent:bob", "/agents/alice/status", away).status());
        assertEquals(403, api.put(CAROL, "/agents/alice/status", away).status());
        assertEquals("unknown-agent", api.put(SUE, "/agents/zoe/status", away).code());
        assertEquals(
                "invalid",
                api.put(ALICE, "/agents/alice/status", "{\"availability\":\"busy\"}")
                        .code());
        assertEquals("invalid", api.put(ALICE, "/agents/alice/status", "{}").code());
    }

    @Test
    void shouldSetProfiles() {
        String profile = "{\"capacity\":5,\"skills\":[\"french\"],\"queues\":[\"default\",\"billing\"]}";
        assertEquals(200, api.put(OPS, "/agents/zoe/profile", profile).status());
        assertEquals(200, api.put(SUE, "/agents/zoe/profile", profile).status());
        assertEquals(
                Set.of("default", "billing"),
                ((DeskCommand.SetProfile) api.fakes.desksAsked.get(0)).profile().queues());
        assertEquals(403, api.put(ALICE, "/agents/alice/profile", profile).status());
        assertEquals(
                "unknown-queue",
                api.put(OPS, "/agents/zoe/profile", "{\"capacity\":5,\"queues\":[\"no\"]}")
                        .code());
        assertEquals(
                "capacity",
                api.put(OPS, "/agents/zoe/profile", "{\"capacity\":1001}")
                        .json()
                        .path("field")
                        .asText());
        assertEquals(
                "capacity",
                api.put(OPS, "/agents/zoe/profile", "{}").json().path("field").asText());
    }

    @Test
    void shouldShowAndSetQueues() {
        Answer queue = api.get(ALICE, "/queues/default");
        assertEquals(2, queue.json().path("length").asInt());
        assertEquals(20000, queue.json().path("offerTimeoutMs").asInt());
        api.fakes.lineAnswers = false;
        assertFalse(api.get(ALICE, "/queues/default").json().has("length"));
        assertEquals(2, api.get(ALICE, "/queues").json().path("items").size());
        assertEquals(
                "billing",
                api.get(ALICE, "/queues?limit=1").json().path("cursor").asText());
        assertEquals(
                1, api.get(ALICE, "/queues?cursor=billing").json().path("items").size());
        assertEquals("unknown-queue", api.get(ALICE, "/queues/none").code());
        assertEquals(403, api.get(CAROL, "/queues").status());
        Answer set = api.put(OPS, "/queues/new", "{\"offerTo\":2,\"whenClosed\":\"open-new\"}");
        assertEquals(2, set.json().path("offerTo").asInt());
        assertEquals(
                "open-new",
                api.fakes.queues.containsKey("new")
                        ? set.json().path("whenClosed").asText()
                        : "");
        assertEquals(403, api.put(SUE, "/queues/new", "{}").status());
        assertEquals(
                "offerTo",
                api.put(OPS, "/queues/new", "{\"offerTo\":11}")
                        .json()
                        .path("field")
                        .asText());
        assertEquals(
                "strategy",
                api.put(OPS, "/queues/new", "{\"strategy\":\"x\"}")
                        .json()
                        .path("field")
                        .asText());
        assertEquals(
                "offerTimeoutMs",
                api.put(OPS, "/queues/new", "{\"offerTimeoutMs\":999}")
                        .json()
                        .path("field")
                        .asText());
    }

    @Test
    void shouldRevokeAPerson() {
        assertEquals(200, api.get("customer:eve", "/conversations").status());
        assertEquals(204, api.put(OPS, "/revocations/customer/eve", null).status());
        assertEquals(
                "eve",
                api.get(OPS, "/revocations")
                        .json()
                        .path("items")
                        .get(0)
                        .path("id")
                        .asText());
        assertEquals(401, api.get("customer:eve", "/conversations").status());
        assertEquals(
                204, api.call(OPS, "DELETE", "/revocations/customer/eve", null).status());
        assertEquals(200, api.get("customer:eve", "/conversations").status());
        assertEquals(403, api.put(SUE, "/revocations/customer/eve", null).status());
        assertEquals(403, api.put(OPS, "/revocations/operator/ops", null).status());
        assertEquals("invalid", api.put(OPS, "/revocations/king/x", null).code());
    }
}
