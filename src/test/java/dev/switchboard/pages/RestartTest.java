package dev.switchboard.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.switchboard.harness.ServerProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both pages over the death of the server's process: what was written is there once, in order, on both sides. */
class RestartTest {
    @Test
    void shouldGoOnWithoutAGapOrARepeatAfterSigkill() {
        try (Browser customers = Browser.desktop();
                Browser agents = Browser.desktop();
                ServerProcess server = ServerProcess.builder().start()) {
            server.awaitReady();
            ChatPage chat = ChatPage.signedIn(customers, server.address(), "carol");
            DeskPage desk = DeskPage.signedIn(agents, server.address(), "alice");
            desk.setAvailability("available");
            chat.write("c1");
            desk.acceptByKey("carol");
            desk.write("a1");
            chat.awaitMessage("a1");
            chat.write("c2");
            desk.awaitMessages(List.of("c1", "a1", "c2"));

            server.kill();
            chat.awaitOffline();
            desk.awaitOffline();
            chat.write("c3");
            chat.write("c4");
            desk.write("a2");
            customers.await("two posts wait", () -> chat.unsent().equals(List.of("c3", "c4")));
            agents.type("#compose", "a draft");
            server.startAgain();
            server.awaitReady();
            chat.awaitOnline();
            desk.awaitOnline();

            chat.awaitTick("c4", "read");
            desk.awaitTick("a2", "read");
            customers.await("nothing waits", () -> chat.unsent().isEmpty());
            assertEquals(6, chat.messages().size(), chat.messages().toString());
            assertEquals(List.of("c1", "a1", "c2"), chat.messages().subList(0, 3));
            assertEquals(
                    List.of("c1", "c2", "c3", "c4"),
                    chat.messages().stream()
                            .filter(text -> text.startsWith("c"))
                            .toList());
            agents.await("both show the same", () -> desk.messages().equals(chat.messages()));
            assertEquals(chat.seqs(), desk.seqs());
            assertEquals("a draft", agents.evaluate("document.querySelector('#compose').value"));

            chat.write("c5");
            desk.awaitMessage("c5");
            agents.driver().navigate().refresh();
            desk.awaitOnline();
            desk.select("carol");
            agents.await("a fresh page shows the same", () -> desk.messages().equals(chat.messages()));
            assertEquals(chat.seqs(), desk.seqs());
            assertEquals("a draft", agents.evaluate("document.querySelector('#compose').value"));
        }
    }

    @Test
    void shouldSendAfterAReloadWhatWasWrittenWhileTheServerWasAway() {
        try (Browser customers = Browser.desktop();
                ServerProcess server = ServerProcess.builder().start()) {
            server.awaitReady();
            ChatPage chat = ChatPage.signedIn(customers, server.address(), "dave");
            chat.write("before");
            chat.awaitTick("before", "accepted");
            server.kill();
            chat.awaitOffline();
            chat.write("while away 1");
            chat.write("while away 2");
            customers.await("two posts wait", () -> chat.unsent().size() == 2);
            server.startAgain();
            server.awaitReady();
            customers.driver().navigate().refresh();
            chat.awaitOnline();

            chat.awaitMessages(List.of("before", "while away 1", "while away 2"));
            customers.driver().navigate().refresh();
            chat.awaitOnline();
            chat.awaitMessages(List.of("before", "while away 1", "while away 2"));
            assertEquals(List.of(), chat.unsent());
        }
    }
}
