package dev.switchboard.server.demo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.switchboard.harness.ServerInProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The simulated hall on a real server: lively, and with room for whoever tries it. */
class ServiceHallTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final HttpClient HTTP = WireClient.http();
    private static ServerInProcess server;
    private static ServiceHall hall;
    private static StringWriter told;

    @BeforeAll
    static void openHall() {
        server = ServerInProcess.start();
        told = new StringWriter();
        hall = new ServiceHall(server.address().http(), new Pace(0.05), new PrintWriter(told, true), 42);
        hall.start();
    }

    @AfterAll
    static void closeHall() {
        hall.close();
        server.close();
    }

    @Test
    void shouldOpenAnswerAndCloseConversations() {
        ApiClient operator = new ApiClient(HTTP, server.address().http(), "dev:operator:test");
        Awaitility.await("some are assigned").atMost(PATIENCE).until(() -> count(operator, "assigned") > 0);
        Awaitility.await("some are closed").atMost(PATIENCE).until(() -> count(operator, "closed") > 0);
        Awaitility.await("the hall tells of it")
                .atMost(PATIENCE)
                .until(() -> told.toString().contains("messages"));
        assertTrue(told.toString().contains("/desk"), told::toString);
        assertFalse(told.toString().contains("stumbled"), told::toString);
    }

    private static int count(ApiClient operator, String status) {
        return operator.get("/conversations?status=" + status)
                .json()
                .path("items")
                .size();
    }

    @Test
    void shouldAnswerANewcomer() {
        try (WireClient newcomer = WireClient.to(HTTP, server.address().socket())
                .token("dev:customer:newcomer")
                .open()) {
            newcomer.must(Frames.post(null, "m1", "Hello, is this real?"));
            JsonNode answer = newcomer.await(
                    frame -> Frames.isMessage(frame)
                            && frame.path("from").path("role").asText().equals("agent"),
                    PATIENCE);
            assertFalse(Frames.textOf(answer).isEmpty());
        }
    }

    @Test
    void shouldOfferConversationsToANewcomerAtTheDesk() {
        try (WireClient newcomer = WireClient.to(HTTP, server.address().socket())
                .token("dev:agent:newcomer")
                .open()) {
            newcomer.must(Frames.status("available"));
            JsonNode offer = newcomer.await(frame -> Frames.is(frame, "offer"), PATIENCE);
            JsonNode taken = newcomer.ask(Frames.accept(offer.path("offer").asText()));
            assertTrue(Frames.is(taken, "reply") || Frames.is(taken, "error"), taken::toString);
            newcomer.must(Frames.status("away"));
        }
    }
}
