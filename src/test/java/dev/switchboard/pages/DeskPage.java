package dev.switchboard.pages;

import dev.switchboard.harness.ServerAddress;
import java.util.List;
import org.openqa.selenium.Keys;

/** The agent's desk in a browser. For one thread at a time. */
final class DeskPage {
    private final Browser browser;
    private final String address;

    DeskPage(Browser browser, ServerAddress server) {
        this.browser = browser;
        this.address = server.http() + "/desk";
    }

    static DeskPage signedIn(Browser browser, ServerAddress server, String agent) {
        DeskPage page = new DeskPage(browser, server);
        browser.openAnew(page.address + "#token=dev:agent:" + agent);
        page.awaitOnline();
        return page;
    }

    Browser browser() {
        return browser;
    }

    void awaitOnline() {
        browser.await("the desk is connected", () -> browser.shows("#app #link .link-online"));
    }

    void awaitOffline() {
        browser.await("the desk says it has no connection", () -> browser.shows("#strip.warn"));
    }

    /** {@code available}, {@code away} or {@code offline}; waits until the server has agreed. */
    void setAvailability(String availability) {
        browser.click("#availability label:has(input[value=" + availability + "])");
        browser.await(
                "the desk is " + availability, () -> browser.texts("#said").contains("You are " + availability + "."));
    }

    void awaitOffer(String customer) {
        browser.await(
                "an offer of " + customer,
                () -> browser.texts("#offers .offer strong").contains(customer));
    }

    List<String> offers() {
        return browser.texts("#offers .offer strong");
    }

    /** Accepts the only offer by its key, and waits until its conversation is on screen. */
    void acceptByKey(String customer) {
        awaitOffer(customer);
        if (browser.is(
                "/INPUT|TEXTAREA/.test(document.activeElement.tagName) && document.activeElement.type !== 'radio'")) {
            browser.leaveField();
        }
        browser.press("a");
        awaitOpen(customer);
    }

    void awaitOpen(String customer) {
        browser.await(
                customer + " is on screen",
                () -> browser.text("#thread-name").equals(customer)
                        && !browser.is("document.querySelector('#compose').disabled"));
    }

    /** Selects a conversation in the list of one's own. */
    void select(String customer) {
        browser.await(customer + " is in the list", () -> mine().contains(customer));
        browser.evaluate(
                "[...document.querySelectorAll('#mine .row')].find((row) =>"
                        + " row.querySelector('strong').textContent === arguments[0]).click()",
                customer);
        browser.await(
                customer + " is selected", () -> browser.text("#thread-name").equals(customer));
    }

    List<String> mine() {
        return browser.texts("#mine .row strong");
    }

    /** The unread count of a conversation in the list; 0 when none is shown. */
    int unread(String customer) {
        return ((Number) browser.evaluate(
                        "Number([...document.querySelectorAll('#mine .row')].find((row) =>"
                                + " row.querySelector('strong').textContent === arguments[0])"
                                + "?.querySelector('.unread')?.dataset.unread ?? 0)",
                        customer))
                .intValue();
    }

    void write(String text) {
        browser.type("#compose", text, Keys.ENTER);
    }

    void note(String text) {
        browser.click("#mode-note");
        write(text);
        browser.await(
                "the note '" + text + "'",
                () -> browser.texts("#timeline .note .body").contains(text));
    }

    void label(String labels) {
        browser.leaveField();
        browser.press("l");
        browser.type("dialog input[name=add]", labels, Keys.ENTER);
        browser.await("the dialog is gone", () -> !browser.shows("dialog"));
    }

    void awaitMessage(String text) {
        browser.await("the message '" + text + "'", () -> messages().contains(text));
    }

    void awaitMessages(List<String> texts) {
        browser.await("the messages " + texts, () -> messages().equals(texts));
    }

    /** The messages in the log on screen, in order, without notes. */
    List<String> messages() {
        return browser.texts("#timeline .messages:not(.unsent) .message:not(.note) .body");
    }

    List<String> seqs() {
        return Seqs.shown(browser);
    }

    void awaitTick(String text, String state) {
        browser.await("'" + text + "' is " + state, () -> state.equals(Seqs.tick(browser, text)));
    }

    void awaitStrip(String part) {
        browser.await(
                "the conversation's strip says " + part,
                () -> browser.text("#thread-strip").contains(part));
    }

    /** Passes the conversation on screen to an agent by name. */
    void transferToAgent(String agent, String note) {
        browser.leaveField();
        browser.press("t");
        browser.type("dialog input[name=name]", agent);
        browser.type("dialog textarea[name=note]", note);
        browser.click("dialog button[type=submit]");
        browser.await("the dialog is gone", () -> !browser.shows("dialog"));
    }

    void close(String reason) {
        browser.leaveField();
        browser.press("c");
        browser.type("dialog input[name=reason]", reason, Keys.ENTER);
        browser.await("the dialog is gone", () -> !browser.shows("dialog"));
    }
}
