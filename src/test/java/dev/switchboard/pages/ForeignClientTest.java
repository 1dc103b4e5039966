package dev.switchboard.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.harness.ServerAddress;
import dev.switchboard.harness.ServerProcess;
import dev.switchboard.server.demo.WireClient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A customer in a browser and an agent whose client is somebody else's, over the death of the server's process. */
class ForeignClientTest {
    private static final String CONV = "c-carol";

    /** What the agent's terminals got of the conversation, in order of arrival, each {@code seq text}. */
    private final List<String> got = new CopyOnWriteArrayList<>();

    private final List<Long> seqs = new CopyOnWriteArrayList<>();

    @Test
    void shouldSeeTheSameSeqsAsTheBrowserBeforeAndAfterSigkill() {
        try (Browser customers = Browser.desktop();
                ServerProcess server = ServerProcess.builder().start()) {
            server.awaitReady();
            ChatPage chat = ChatPage.signedIn(customers, server.address(), "carol");
            WireClient agent = agent(server.address()).open();
            agent.must(frame("status").put("availability", "available"));
            chat.write("c1");
            JsonNode offer = agent.await("offer");
            agent.must(frame("accept").put("offer", offer.path("offer").asText()));
            agent.must(post(agent, "a1"));
            chat.awaitMessages(List.of("c1", "a1"));
            chat.write("c2");
            customers.await("the agent has it", () -> got.size() == 3);
            assertEquals(shown(customers), got);

            server.kill();
            chat.awaitOffline();
            chat.write("c3");
            server.startAgain();
            server.awaitReady();
            WireClient again = agent(server.address()).resumeAs(agent).open();
            chat.awaitOnline();
            again.insist(post(again, "a2"));
            customers.await(
                    "both have all", () -> got.size() == 5 && shown(customers).size() == 5);
            assertEquals(shown(customers), got);
            assertEquals(LongStream.rangeClosed(1, seqs.size()).boxed().toList(), seqs, "no gap and no repeat");
            again.close();
        }
    }

    private WireClient.Builder agent(ServerAddress server) {
        return WireClient.to(WireClient.http(), server.socket())
                .token("dev:agent:alice")
                .terminal("elsewhere")
                .listener((client, frame) -> {
                    if (frame.path("type").asText().equals("entry")) {
                        seqs.add(frame.path("seq").asLong());
                        if (frame.path("kind").asText().equals("message")) {
                            got.add(frame.path("seq").asText() + " "
                                    + frame.path("body").path("text").asText());
                        }
                    }
                });
    }

    private static ObjectNode post(WireClient agent, String text) {
        ObjectNode post =
                frame("post").put("conv", CONV).put("clientMsgId", text).put("epoch", agent.epoch(CONV));
        post.putObject("body").put("type", "text").put("text", text);
        return post;
    }

    private static ObjectNode frame(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    /** The messages in the browser, each {@code seq text}. */
    @SuppressWarnings("unchecked")
    private static List<String> shown(Browser browser) {
        return (List<String>) browser.evaluate(
                "[...document.querySelectorAll('#timeline .messages:not(.unsent) .message')].map((e) =>"
                        + " (e.dataset.seq ?? e.closest('[data-seq]').dataset.seq) + ' '"
                        + " + e.querySelector('.body').textContent)");
    }
}
