package dev.switchboard.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.harness.Folders;
import dev.switchboard.harness.ServerInProcess;
import dev.switchboard.server.demo.ApiClient;
import dev.switchboard.server.demo.Frames;
import dev.switchboard.server.demo.Pace;
import dev.switchboard.server.demo.ServiceHall;
import dev.switchboard.server.demo.WireClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.OutputType;

/** The operators' console in a browser, on the management port of a whole server. */
class ConsoleTest {
    private static final HttpClient HTTP = WireClient.http();
    private static ServerInProcess server;
    private static Browser browser;
    private static WireClient agent;
    private static ApiClient customer;

    /** True while the agent's terminal refuses every message. */
    private static volatile boolean refusing;

    @BeforeAll
    static void start() {
        browser = Browser.desktop();
        server = ServerInProcess.start(Map.of(
                "switchboard.dead-letters.attempts", 1,
                "switchboard.doctor.window", "1s",
                "switchboard.doctor.interval", "200ms"));
        agent = WireClient.to(HTTP, server.address().socket())
                .token("dev:agent:ida")
                .terminal("desk")
                .withoutAcks()
                .listener(ConsoleTest::heard)
                .open();
        agent.must(Frames.status("available"));
        customer = new ApiClient(HTTP, server.address().http(), "dev:customer:carl");
        assertTrue(customer.post("/conversations", JsonNodeFactory.instance.objectNode(), "o1")
                        .status()
                < 300);
    }

    private static void heard(WireClient from, JsonNode frame) {
        if (Frames.is(frame, "offer")) {
            from.send(Frames.accept(frame.path("offer").asText()).put("id", "take"));
        } else if (Frames.is(frame, "entry")) {
            String conv = frame.path("conv").asText();
            long seq = frame.path("seq").asLong();
            boolean refuse = refusing && Frames.isMessage(frame);
            from.send(
                    refuse
                            ? Frames.of("nack")
                                    .put("conv", conv)
                                    .put("seq", seq)
                                    .put("code", "too-hard")
                            : Frames.ack(conv, seq));
        }
    }

    @AfterAll
    static void end() {
        for (AutoCloseable closeable : new AutoCloseable[] {agent, browser, server}) {
            if (closeable != null) {
                assertCloses(closeable);
            }
        }
    }

    private static void assertCloses(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void shouldReportNoProblems() {
        assertEquals(List.of(), browser.problems(), "the console reports problems");
    }

    private static void open(Browser in) {
        in.openAnew(server.address().management("/console") + "#token=dev:operator:olga");
        in.await("the console is open", () -> in.shows("#app"));
    }

    private static void say(String id, String text) {
        assertEquals(201, customer.message("c-carl", id, text).status());
    }

    @Test
    void shouldShowWhatTheNodeDoesOnOneTimeAxis() {
        open(browser);
        int[] said = {0};
        browser.await("entries are shown as they come", () -> {
            say("live-" + said[0]++, "hello");
            return browser.texts("#charts .chart:nth-child(1) .key").stream()
                    .allMatch(text -> text.matches(".* [0-9.]*[1-9].*"));
        });
        browser.await("times from acceptance are shown", () -> {
            say("live-" + said[0]++, "hello");
            return browser.texts("#charts .chart:nth-child(2) .key").stream()
                    .allMatch(text -> text.matches(".* (ms|µs|s)"));
        });
        browser.await(
                "the processor and switches are shown",
                () -> browser.texts("#charts .chart:nth-child(n+4) .key").stream()
                        .noneMatch(text -> text.endsWith("–")));
        assertEquals(5, browser.texts("#charts .chart").size());
        assertEquals(
                1L,
                browser.evaluate("new Set([...document.querySelectorAll('#charts .u-over')]"
                        + ".map((e) => Math.round(e.getBoundingClientRect().left)"
                        + " + ' ' + Math.round(e.getBoundingClientRect().width))).size"),
                "all charts have the same time at the same place");
        browser.await("the doctor says something", () -> browser.shows("#doctor .verdict"));
        browser.await(
                "lanes, desks, shards and sockets are listed",
                () -> browser.text("#lanes").contains("parks/s")
                        && browser.text("#desks").contains("available")
                        && browser.text("#shards").contains("conversation")
                        && browser.text("#sockets").contains("open")
                        && browser.text("#journal").contains("P99"));
    }

    @Test
    void shouldBringARefusedMessageToItsReceiver() {
        browser.await("the agent has the conversation", () -> {
            String owner =
                    customer.get("/conversations/c-carl").json().path("owner").asText();
            return owner.equals("ida");
        });
        refusing = true;
        say("hard", "too hard to take");
        open(browser);
        browser.await("it is listed", () -> {
            browser.click("#letters-search button[type=submit]");
            return browser.texts("#letters-list tbody .state").contains("dead");
        });
        assertTrue(browser.text("#letters-list").contains("too-hard"), browser.text("#letters-list"));
        refusing = false;
        browser.click("#letters-list tbody button");
        browser.await(
                "its attempts are shown", () -> browser.text("dialog .attempts").contains("too-hard"));
        browser.click("dialog button[type=submit]");
        browser.await(
                "it is delivered", () -> browser.texts("#notices .notice p").contains("It is delivered."));
        browser.await("nothing is left", () -> browser.shows("#letters-none"));
    }

    @Test
    void shouldBeUsedByKeyboard() {
        open(browser);
        browser.press("/");
        assertEquals("letters-queue", browser.evaluate("document.activeElement.id"));
        browser.evaluate("document.activeElement.blur()");
        browser.press("p");
        assertEquals("true", browser.evaluate("document.getElementById('pause').getAttribute('aria-pressed')"));
    }

    @Test
    void shouldFitATelephone() {
        try (Browser phone = Browser.phone()) {
            open(phone);
            phone.await(
                    "the charts are there", () -> phone.texts("#charts .chart").size() == 5);
            phone.await(
                    "nothing is wider than the screen",
                    () -> phone.is("document.documentElement.scrollWidth <= " + Browser.PHONE_WIDTH));
            assertEquals(List.of(), phone.problems());
        }
    }

    @Test
    void shouldBeForOperatorsAndOnTheManagementPortAlone() throws Exception {
        assertEquals(200, status(server.address().management("/console"), null));
        assertEquals(200, status(server.address().management("/assets/uplot.js"), null));
        for (String path : List.of("/console", "/assets/console.js", "/assets/uplot.js", "/metrics", "/ops/switches")) {
            assertEquals(404, status(server.address().http().resolve(path), "dev:operator:olga"), path);
        }
        URI letters = server.address().management("/api/v1/dead-letters");
        assertEquals(200, status(letters, "dev:operator:olga"));
        assertEquals(403, status(letters, "dev:supervisor:sue"));
        assertEquals(403, status(server.address().management("/metrics"), "dev:supervisor:sue"));
        assertEquals(401, status(letters, null));
    }

    private static int status(URI address, String token) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /** Makes {@code docs/screenshots}: {@code -Dscreenshots=true}. */
    @Test
    @EnabledIfSystemProperty(named = "screenshots", matches = "true")
    void shouldBeDrawn() throws Exception {
        refusing = true;
        say("pictured", "for the picture");
        try (ServiceHall hall =
                new ServiceHall(server.address().http(), new Pace(0.05), new PrintWriter(Writer.nullWriter()))) {
            hall.start();
            open(browser);
            browser.await("there are figures of a while", () -> {
                browser.evaluate("document.getElementById('letters-search').requestSubmit()");
                return browser.is("performance.now() > 45000") && browser.shows("#letters-list tbody");
            });
            browser.driver().manage().window().setSize(new org.openqa.selenium.Dimension(1280, 1150));
            for (String theme : List.of("light", "dark")) {
                browser.evaluate("document.documentElement.dataset.theme = arguments[0]", theme);
                picture(browser, "live", "console-" + theme);
            }
            picture(browser, "threads", "console-threads");
            picture(browser, "letters", "console-letters");
            browser.evaluate("document.documentElement.dataset.theme = 'light'");
            picture(browser, "hall", "console-hall");
            try (Browser phone = Browser.phone()) {
                open(phone);
                phone.await("there are figures", () -> phone.is("performance.now() > 20000"));
                picture(phone, "live", "console-phone");
            }
        }
        refusing = false;
        browser.problems();
    }

    private static void picture(Browser of, String section, String name) throws IOException {
        of.evaluate("document.getElementById(arguments[0]).scrollIntoView()", section);
        of.await(
                "it is drawn",
                () -> of.is("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true), 500)))"));
        Path folder = Files.createDirectories(Folders.top().resolve("docs/screenshots"));
        Files.write(folder.resolve(name + ".png"), of.driver().getScreenshotAs(OutputType.BYTES));
    }
}
