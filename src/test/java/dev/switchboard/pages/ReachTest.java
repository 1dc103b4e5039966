package dev.switchboard.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.harness.ServerInProcess;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Whoever comes: on a telephone, with a keyboard only, with a screen reader, with dark colours. */
class ReachTest {
    /** Names of what has no name, ids that are there twice, controls too small to touch: the plain faults. */
    private static final String FAULTS = """
            (() => {
              const faults = [];
              const name = (e) => {
                const by = e.getAttribute('aria-labelledby');
                return (e.getAttribute('aria-label') ?? (by && document.getElementById(by)?.textContent) ??
                  [...(e.labels ?? [])].map((l) => l.textContent).join(' ') + e.textContent).trim();
              };
              for (const e of document.querySelectorAll('button, a, input, textarea, select, dialog, [role=region]')) {
                if (e.checkVisibility() && !name(e)) faults.push('no name: ' + e.outerHTML.slice(0, 120));
              }
              for (const e of document.querySelectorAll('img')) {
                if (e.getAttribute('alt') === null) faults.push('no alt: ' + e.outerHTML);
              }
              const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
              for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('twice: ' + id);
              for (const e of document.querySelectorAll('[for]')) {
                if (!document.getElementById(e.getAttribute('for'))) faults.push('label of nothing: ' + e.outerHTML);
              }
              for (const e of document.querySelectorAll('button')) {
                const box = e.getBoundingClientRect();
                if (e.checkVisibility() && (box.width < 24 || box.height < 24)) faults.push('small: ' + name(e));
              }
              if ([...document.querySelectorAll('main')].filter((e) => e.checkVisibility()).length > 1) {
                faults.push('more than one main');
              }
              if (![...document.querySelectorAll('h1')].some((e) => e.checkVisibility()) &&
                  ![...document.querySelectorAll('h2')].some((e) => e.checkVisibility())) faults.push('no heading');
              if (!document.documentElement.lang) faults.push('no language');
              return faults;
            })()""";

    private static ServerInProcess server;

    @BeforeAll
    static void start() {
        server = ServerInProcess.start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Test
    void shouldFitATelephone() {
        try (Browser phone = Browser.phone();
                Browser desktop = Browser.desktop()) {
            String wide = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz".repeat(4);
            phone.open(server.address().http() + "/");
            assertFits(phone);
            phone.open(server.address().http() + "/chat");
            phone.await("the sign-in is there", () -> phone.shows("#sign-in-name"));
            assertFits(phone);
            ChatPage chat = ChatPage.signedIn(phone, server.address(), "phoebe");
            assertFits(phone);
            phone.type("#compose", wide);
            phone.click("#send");
            chat.awaitTick(wide, "accepted");
            assertFits(phone);
            assertFaultless(phone);

            DeskPage desk = DeskPage.signedIn(desktop, server.address(), "paul");
            desk.setAvailability("available");
            desk.acceptByKey("phoebe");
            desk.write("https://example.org/" + "a/".repeat(200));
            chat.awaitPartner("paul");
            phone.await("the answer is there", () -> chat.messages().size() == 2);
            assertFits(phone);

            DeskPage small = DeskPage.signedIn(phone, server.address(), "paul");
            assertFits(phone);
            assertFalse(phone.shows("#thread"));
            assertFaultless(phone);
            small.select("phoebe");
            assertFits(phone);
            assertFalse(phone.shows("#mine"));
            assertTrue(phone.shows("#compose"));
            assertFaultless(phone);
            phone.click("#do-transfer");
            phone.await("the dialog is there", () -> phone.shows("dialog"));
            assertFits(phone);
            phone.press(Keys.ESCAPE);
            phone.click("#do-facts");
            phone.await("the details are there", () -> phone.shows("#facts"));
            assertFits(phone);
            phone.click("#facts button");
            phone.click("#back");
            phone.await("the list is there", () -> phone.shows("#mine"));
            Calls.goOffline(server.address(), "paul");
            Calls.close(server.address(), "phoebe");
        }
    }

    @Test
    void shouldWorkWithAKeyboardAlone() {
        try (Browser browser = Browser.desktop();
                Browser other = Browser.desktop()) {
            browser.open(server.address().http() + "/chat");
            browser.await("the name has the focus", () -> browser.is("document.activeElement.id === 'sign-in-name'"));
            browser.press("Karla K", Keys.ENTER);
            browser.await("writing has the focus", () -> browser.is("document.activeElement.id === 'compose'"));
            ChatPage chat = new ChatPage(browser, server.address());
            chat.awaitOnline();
            browser.press("line one", Keys.chord(Keys.SHIFT, Keys.ENTER), "line two", Keys.ENTER);
            chat.awaitMessage("line one\nline two");

            browser.press(Keys.chord(Keys.SHIFT, Keys.TAB));
            assertTrue(browser.is("document.activeElement !== document.body"));
            assertEquals(
                    "solid",
                    browser.evaluate("getComputedStyle(document.activeElement).outlineStyle"),
                    "the focus can be seen");

            DeskPage desk = DeskPage.signedIn(other, server.address(), "kasper");
            other.press(Keys.TAB);
            assertEquals("Skip to writing", other.evaluate("document.activeElement.textContent"));
            desk.setAvailability("available");
            desk.acceptByKey("Karla-K");
            other.await("writing has the focus", () -> other.is("document.activeElement.id === 'compose'"));
            other.press("Hello Karla", Keys.ENTER);
            chat.awaitMessage("Hello Karla");

            other.leaveField();
            other.press("?");
            other.await("the shortcuts are there", () -> other.shows("dialog .keys"));
            assertFaultless(other);
            other.press(Keys.ESCAPE);
            other.press("t");
            other.await("the dialog is there", () -> other.text("dialog h2").equals("Transfer Karla-K"));
            assertTrue(other.is("document.querySelector('dialog').contains(document.activeElement)"));
            assertFaultless(other);
            other.press(Keys.ESCAPE);
            other.press("n");
            other.press("for colleagues", Keys.ENTER);
            other.await(
                    "the note is there",
                    () -> other.texts("#timeline .note .body").contains("for colleagues"));
            other.await("writing has the focus", () -> other.is("document.activeElement.id === 'compose'"));
            assertFaultless(other);

            // inside a field letters are letters, and with Alt and Shift they are shortcuts there, too
            other.press("acd");
            assertEquals("acd", other.evaluate("document.querySelector('#compose').value"));
            assertFalse(other.shows("dialog"));
            other.press(Keys.chord(Keys.ALT, Keys.SHIFT, "c"));
            other.await("the dialog is there", () -> other.text("dialog h2").startsWith("Close the conversation"));
            other.press(Keys.ESCAPE);
            Calls.goOffline(server.address(), "kasper");
            Calls.close(server.address(), "Karla-K");
        }
    }

    @Test
    void shouldTellScreenReadersWhatHappens() {
        try (Browser customers = Browser.desktop();
                Browser agents = Browser.desktop()) {
            ChatPage chat = ChatPage.signedIn(customers, server.address(), "lea");
            chat.write("hello");
            DeskPage desk = DeskPage.signedIn(agents, server.address(), "lars");
            desk.setAvailability("available");
            agents.await(
                    "the offer is announced",
                    () -> agents.texts("#said-now").stream()
                            .anyMatch(text -> text.startsWith("Offer: lea") && text.contains("Press A to accept")));
            assertEquals("alert", agents.evaluate("document.querySelector('#said-now').getAttribute('role')"));
            desk.acceptByKey("lea");
            assertEquals("log", agents.evaluate("document.querySelector('.messages').getAttribute('role')"));
            assertEquals("polite", customers.evaluate("document.querySelector('.messages').getAttribute('aria-live')"));
            desk.write("hi");
            chat.awaitMessage("hi");
            assertTrue(customers.is("document.querySelector('.message.theirs .who').textContent === 'lars'"));
            assertFaultless(customers);
            assertFaultless(agents);
            Calls.goOffline(server.address(), "lars");
            Calls.close(server.address(), "lea");
        }
    }

    @Test
    void shouldFollowTheDevicesColoursUntilToldOtherwise() {
        try (Browser browser = Browser.desktop()) {
            ChatPage.signedIn(browser, server.address(), "mia");
            String background = "getComputedStyle(document.body).backgroundColor";
            browser.driver()
                    .executeCdpCommand(
                            "Emulation.setEmulatedMedia",
                            java.util.Map.of(
                                    "features",
                                    List.of(java.util.Map.of("name", "prefers-color-scheme", "value", "dark"))));
            browser.await("it is dark", () -> "rgb(16, 20, 26)".equals(browser.evaluate(background)));
            browser.click("#theme");
            browser.await("it is light", () -> "rgb(244, 246, 249)".equals(browser.evaluate(background)));
            browser.driver().navigate().refresh();
            browser.await("it stays light", () -> "rgb(244, 246, 249)".equals(browser.evaluate(background)));
            browser.click("#theme");
            browser.await("it is dark", () -> "rgb(16, 20, 26)".equals(browser.evaluate(background)));
            assertEquals(List.of(), browser.problems());
        }
    }

    @Test
    void shouldRefuseATokenThatIsForAnotherPage() {
        try (Browser browser = Browser.desktop()) {
            browser.open(server.address().http() + "/desk#token=dev:customer:nina");
            browser.await(
                    "it says why",
                    () -> browser.text("#sign-in-problem")
                            .equals("This token is for a customer. This page is for an agent."));
            assertFalse(browser.driver().getCurrentUrl().contains("token"), "the token left the address");
            browser.type("#sign-in-name", "not a name!", Keys.ENTER);
            browser.await("it says why", () -> browser.text("#sign-in-problem").startsWith("Please use letters"));
            assertTrue(browser.shows("#sign-in"));
        }
    }

    private static void assertFits(Browser browser) {
        Number wide = (Number) browser.evaluate("document.documentElement.scrollWidth");
        Number inner = (Number) browser.evaluate("window.innerWidth");
        assertEquals(inner.intValue(), wide.intValue(), "nothing is wider than the screen");
        assertEquals(Browser.PHONE_WIDTH, inner.intValue());
        assertEquals(
                List.of(),
                browser.evaluate("[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() &&"
                        + " e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.skip, .hidden-text, svg'))"
                        + ".map((e) => e.tagName + '.' + e.className)"));
    }

    private static void assertFaultless(Browser browser) {
        assertEquals(List.of(), browser.evaluate(FAULTS));
    }
}
