package dev.switchboard.pages;

import dev.switchboard.harness.ServerAddress;
import java.util.List;
import org.openqa.selenium.Keys;

/** The customer's chat in a browser. For one thread at a time. */
final class ChatPage {
    private final Browser browser;
    private final String address;

    ChatPage(Browser browser, ServerAddress server) {
        this.browser = browser;
        this.address = server.http() + "/chat";
    }

    static ChatPage signedIn(Browser browser, ServerAddress server, String customer) {
        ChatPage page = new ChatPage(browser, server);
        browser.openAnew(page.address + "#token=dev:customer:" + customer);
        page.awaitOnline();
        return page;
    }

    Browser browser() {
        return browser;
    }

    void awaitOnline() {
        browser.await("the chat is connected", () -> browser.shows("#app #link .link-online"));
    }

    void awaitOffline() {
        browser.await("the chat says it has no connection", () -> browser.shows("#strip.warn"));
    }

    void write(String text) {
        browser.type("#compose", text, Keys.ENTER);
    }

    void awaitMessage(String text) {
        browser.await("the message '" + text + "'", () -> messages().contains(text));
    }

    void awaitMessages(List<String> texts) {
        browser.await("the messages " + texts, () -> messages().equals(texts));
    }

    /** What is in the log, in order; posts without an answer are not. */
    List<String> messages() {
        return browser.texts("#timeline .messages:not(.unsent) .message .body");
    }

    List<String> unsent() {
        return browser.texts("#timeline .unsent .body");
    }

    List<String> seqs() {
        return Seqs.shown(browser);
    }

    void awaitTick(String text, String state) {
        browser.await("'" + text + "' is " + state, () -> state.equals(Seqs.tick(browser, text)));
    }

    void awaitStrip(String part) {
        browser.await("the strip says " + part, () -> browser.text("#strip").contains(part));
    }

    void awaitPartner(String name) {
        browser.await(
                "the partner is " + name, () -> browser.text("#partner-name").equals(name));
    }

    void awaitEvent(String part) {
        browser.await(
                "an event says " + part,
                () -> browser.texts("#timeline .event").stream().anyMatch(event -> event.contains(part)));
    }
}
