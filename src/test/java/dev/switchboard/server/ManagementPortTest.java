package dev.switchboard.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.api.WireJson;
import dev.switchboard.harness.Folders;
import dev.switchboard.harness.ServerInProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import picocli.CommandLine;

/** Who gets what from the management port of a node that takes signed tokens, minted as an operator would. */
class ManagementPortTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Path FOLDER = Folders.temporary("switchboard-keys-");
    private static ServerInProcess server;
    private static Path settingsFile;

    @BeforeAll
    static void start() throws Exception {
        Path key = FOLDER.resolve("key");
        Files.writeString(key, "c3dpdGNoYm9hcmQtdGVzdC1rZXktb2YtMzItYnl0ZXMhIQ==\n");
        List<Map<String, String>> keys = List.of(Map.of("id", "k1", "algorithm", "HS256", "file", key.toString()));
        settingsFile = FOLDER.resolve("mine.conf");
        Files.writeString(
                settingsFile,
                "switchboard.auth { mode = jwt, keys = [{ id = k1, algorithm = HS256, file = \"" + key + "\" }] }");
        server = ServerInProcess.start(Map.of(
                "switchboard.auth.mode",
                "jwt",
                "switchboard.auth.keys",
                keys,
                "switchboard.doctor.window",
                "1s",
                "switchboard.doctor.interval",
                "200ms"));
    }

    @AfterAll
    static void stop() {
        server.close();
        Folders.delete(FOLDER);
    }

    @Test
    void shouldTellAnyoneWhetherItLivesAndServes() throws Exception {
        assertEquals(200, get("/alive", null, null).statusCode());
        HttpResponse<String> ready = get("/ready", null, null);
        assertEquals(200, ready.statusCode(), ready::body);
        assertEquals("{\"ready\":true}", ready.body());
    }

    @Test
    void shouldShowFiguresToOperatorsOnly() throws Exception {
        HttpResponse<String> metrics = get("/metrics", mint("operator", "olga"), null);
        assertEquals(200, metrics.statusCode(), metrics::body);
        for (String name : List.of(
                "jvm_memory_used_bytes",
                "switchboard_http_answers_total{status=\"2xx\"}",
                "switchboard_sockets_open",
                "switchboard_sockets_closes_total{code=\"restart\"}",
                "switchboard_lanes_in_use{dispatcher=\"switchboard.session-dispatcher\"}",
                "switchboard_lane_wake_ups_lost_total{dispatcher=\"switchboard.session-dispatcher\",lane=\"0\"} 0.0",
                "switchboard_mailbox_wait_seconds_count{dispatcher=\"switchboard.session-dispatcher\"}",
                "switchboard_journal_writes_total",
                "switchboard_journal_write_seconds_bucket{le=\"0.001\"}")) {
            assertTrue(metrics.body().contains(name), () -> name + " is not in\n" + metrics.body());
        }
        assertEquals(403, get("/metrics", mint("supervisor", "sue"), null).statusCode());
        assertEquals(401, get("/metrics", null, null).statusCode());
        assertEquals(401, get("/metrics", "dev:operator:olga", null).statusCode());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayWhatItsContextSwitchesMeanToOperatorsOnly() throws Exception {
        String operator = mint("operator", "olga");
        HttpResponse<String> first = get("/ops/switches", operator, null);
        assertEquals(200, first.statusCode(), first::body);
        JsonNode json = WireJson.json().readTree(first.body());
        assertEquals(
                ProcessHandle.current().pid(), json.path("process").path("pid").asLong());
        assertTrue(json.path("verdict").path("kind").isTextual(), first::body);
        assertTrue(json.path("window").path("seconds").asDouble() >= 1, first::body);
        assertTrue(json.path("threads").size() > 10, first::body);

        HttpResponse<String> words = send(request("/ops/switches", operator).header("Accept", "text/plain"));
        assertEquals(200, words.statusCode(), words::body);
        assertTrue(words.body().contains("VERDICT: "), words::body);

        assertEquals(
                405,
                send(request("/ops/switches", operator).POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode());
        assertEquals(403, get("/ops/switches", mint("supervisor", "sue"), null).statusCode());
        assertEquals(401, get("/ops/switches", null, null).statusCode());
    }

    @Test
    void shouldShowShardsAndKeepWhoDidWhatForOperatorsOnly() throws Exception {
        String operator = mint("operator", "olga");
        HttpResponse<String> shards = get("/ops/shards?places=true", operator, null);
        assertEquals(200, shards.statusCode(), shards::body);
        JsonNode seen = WireJson.json().readTree(shards.body());
        assertEquals("serving", seen.path("nodes").path(0).path("state").asText(), shards::body);
        assertEquals(
                seen.path("nodes").path(0).path("shards").path("conversation").asInt(),
                seen.path("places").path("conversation").size(),
                shards::body);
        HttpResponse<String> plan = post("/ops/shards/plans", operator, "{\"by\":\"load\"}");
        assertEquals(200, plan.statusCode(), plan::body);
        String id = WireJson.json().readTree(plan.body()).path("id").asText();
        HttpResponse<String> log = get("/ops/operations", operator, null);
        JsonNode newest = WireJson.json().readTree(log.body()).path("items").path(0);
        assertEquals(id, newest.path("id").asText(), log::body);
        assertEquals("operator:olga", newest.path("who").asText(), log::body);

        String node = seen.path("nodes").path(0).path("node").asText();
        HttpResponse<String> alone = post("/ops/nodes/" + node + "/drain", operator, "{}");
        assertEquals(409, alone.statusCode(), alone::body);
        assertTrue(alone.body().contains("\"code\":\"not-now\""), alone::body);
        assertEquals(200, get("/ready", null, null).statusCode(), "it serves as before");
        assertEquals(404, post("/ops/nodes/nobody/drain", operator, "{}").statusCode());
        assertEquals(
                404, post("/ops/shards/moves", operator, "{\"plan\":\"none\"}").statusCode());
        assertEquals(
                400, post("/ops/shards/plans", operator, "{\"by\":\"luck\"}").statusCode());
        assertEquals(
                400, post("/ops/shards/moves", operator, "{\"atOnce\":1000}").statusCode());
        assertEquals(400, post("/ops/shards/plans", operator, "no JSON").statusCode());
        assertEquals(405, get("/ops/shards/plans", operator, null).statusCode());
        assertEquals(
                403, post("/ops/shards/plans", mint("supervisor", "sue"), "{}").statusCode());
        assertEquals(401, get("/ops/shards", null, null).statusCode());
    }

    private static HttpResponse<String> post(String path, String token, String body) throws Exception {
        return send(request(path, token).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    @Test
    void shouldRefusePagesOfOtherOrigins() throws Exception {
        HttpResponse<String> refused = get("/metrics", mint("operator", "olga"), "https://elsewhere.example");
        assertEquals(403, refused.statusCode());
        assertTrue(refused.body().contains("\"code\":\"origin-refused\""), refused::body);
    }

    @Test
    void shouldHideWhatThereIsFromOthers() throws Exception {
        assertEquals(401, get("/nothing", null, null).statusCode());
        assertEquals(404, get("/nothing", mint("operator", "olga"), null).statusCode());
    }

    @Test
    void shouldAnswerOnlyGet() throws Exception {
        HttpRequest post = HttpRequest.newBuilder(server.address().management("/ready"))
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        HttpResponse<String> answer = HTTP.send(post, HttpResponse.BodyHandlers.ofString());
        assertEquals(405, answer.statusCode());
        assertEquals(
                "application/problem+json",
                answer.headers().firstValue("content-type").orElse(""));
    }

    @Test
    void shouldSayWhatIsWrongWithATokensOptions() {
        assertEquals(2, run(new StringWriter(), "--role", "boss", "--id", "x"));
        assertEquals(2, run(new StringWriter(), "--role", "agent", "--id", "x", "--ttl", "soon"));
        assertEquals(2, run(new StringWriter(), "--role", "agent", "--id", "x", "--ttl", "0s"));
        assertEquals(1, run(new StringWriter(), "--role", "agent", "--id", "no spaces"));
    }

    private static String mint(String role, String id) {
        StringWriter out = new StringWriter();
        assertEquals(0, run(out, "--role", role, "--id", id, "--ttl", "5m"));
        return out.toString().strip();
    }

    private static int run(StringWriter out, String... options) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(new StringWriter()));
        String[] arguments = new String[options.length + 3];
        arguments[0] = "token";
        arguments[1] = "--config";
        arguments[2] = settingsFile.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return line.execute(arguments);
    }

    private static HttpResponse<String> get(String path, String token, String origin) throws Exception {
        HttpRequest.Builder request = request(path, token);
        if (origin != null) {
            request.header("Origin", origin);
        }
        return send(request);
    }

    private static HttpRequest.Builder request(String path, String token) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(server.address().management(path)).timeout(Duration.ofSeconds(30));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
