package dev.switchboard.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.harness.ServerInProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** A customer and agents, each in a browser of their own, through a whole server. */
class TwoBrowsersTest {
    private static ServerInProcess server;
    private static Browser customers;
    private static Browser agents;
    private static Browser others;

    private final List<String> presentAgents = new ArrayList<>();
    private final List<String> presentCustomers = new ArrayList<>();

    @BeforeAll
    static void start() {
        customers = Browser.desktop();
        agents = Browser.desktop();
        others = Browser.desktop();
        server = ServerInProcess.start();
    }

    @AfterAll
    static void end() {
        for (AutoCloseable closeable : new AutoCloseable[] {customers, agents, others, server}) {
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

    /** The next test's offers must not go to this one's agents, and its agents get none of this one's customers. */
    @AfterEach
    void leave() {
        assertEquals(List.of(), customers.problems(), "the chat reports problems");
        assertEquals(List.of(), agents.problems(), "the desk reports problems");
        presentAgents.forEach(agent -> Calls.goOffline(server.address(), agent));
        presentCustomers.forEach(customer -> Calls.close(server.address(), customer));
        for (Browser browser : List.of(customers, agents, others)) {
            browser.open("about:blank");
        }
    }

    private ChatPage customer(String name) {
        return customer(customers, name);
    }

    private ChatPage customer(Browser browser, String name) {
        presentCustomers.add(name);
        return ChatPage.signedIn(browser, server.address(), name);
    }

    private DeskPage agent(Browser browser, String name) {
        DeskPage desk = DeskPage.signedIn(browser, server.address(), name);
        presentAgents.add(name);
        desk.setAvailability("available");
        return desk;
    }

    @Test
    void shouldCarryAConversationFromTheFirstWordToTheReadTick() {
        ChatPage chat = customer("carol");
        chat.write("Where is my order 4711?");
        chat.awaitTick("Where is my order 4711?", "accepted");
        chat.awaitStrip("You are next. How long it takes can’t be said yet.");

        DeskPage desk = agent(agents, "alice");
        desk.awaitOffer("carol");
        assertEquals("Where is my order 4711?", agents.text("#offers .offer blockquote"));
        desk.acceptByKey("carol");
        desk.awaitMessage("Where is my order 4711?");
        chat.awaitPartner("alice");
        chat.awaitTick("Where is my order 4711?", "read");

        desk.browser().type("#compose", "Let me look");
        customers.await(
                "the customer sees that the agent types",
                () -> customers.text("#timeline .typing").contains("alice is typing"));
        desk.browser().press(Keys.ENTER);
        chat.awaitMessage("Let me look");
        desk.awaitTick("Let me look", "read");
        customers.await(
                "nobody types any more",
                () -> customers.text("#timeline .typing").isEmpty());

        chat.browser().type("#compose", "Thanks");
        agents.await(
                "the agent sees that the customer types",
                () -> agents.text("#timeline .typing").contains("carol is typing"));
        chat.browser().press(Keys.ENTER);
        desk.awaitMessages(List.of("Where is my order 4711?", "Let me look", "Thanks"));
        chat.awaitMessages(List.of("Where is my order 4711?", "Let me look", "Thanks"));
        assertEquals(chat.seqs(), desk.seqs());
    }

    @Test
    void shouldCountUnreadMessagesOnly() {
        ChatPage chat = customer("dora");
        chat.write("one");
        chat.awaitTick("one", "accepted");
        DeskPage desk = agent(agents, "anna");
        desk.acceptByKey("dora");

        ChatPage second = customer(others, "erik");
        second.write("hello");
        desk.acceptByKey("erik");
        desk.awaitMessage("hello");
        chat.write("two");
        chat.write("three");
        agents.await("two are unread", () -> desk.unread("dora") == 2);
        assertEquals(0, desk.unread("erik"));
        agents.await("the title counts them", () -> agents.driver().getTitle().startsWith("(2)"));
        chat.awaitTick("three", "delivered");

        desk.note("keep an eye on this one");
        desk.label("slow, invoice");
        agents.await("the labels are there", () -> agents.text("#thread-state").contains("#invoice"));
        second.write("are you there?");
        desk.awaitMessage("are you there?");
        assertEquals(2, desk.unread("dora"));
        assertEquals(0, desk.unread("erik"));

        desk.select("dora");
        agents.await("nothing is unread", () -> desk.unread("dora") == 0);
        assertTrue(agents.texts("#timeline .unread-line").contains("New"));
        chat.awaitTick("three", "read");
        assertFalse(others.texts("#timeline .body").contains("keep an eye on this one"));
        assertFalse(others.texts("#timeline .event").stream().anyMatch(text -> text.contains("invoice")));
    }

    @Test
    void shouldHandOverToAColleague() {
        ChatPage chat = customer("frida");
        chat.write("I want my money back");
        DeskPage first = agent(agents, "aron");
        first.acceptByKey("frida");
        first.write("A colleague knows more");
        chat.awaitMessage("A colleague knows more");

        DeskPage second = agent(others, "bea");
        first.transferToAgent("bea", "has the receipt");
        first.awaitStrip("Remove from my list");
        assertTrue(agents.is("document.querySelector('#compose').disabled"));
        chat.awaitEvent("passed on to a colleague");
        second.acceptByKey("frida");
        second.awaitMessages(List.of("I want my money back", "A colleague knows more"));
        assertTrue(others.texts("#timeline .note .body").contains("has the receipt"));
        chat.awaitPartner("bea");
        second.write("You get it today");
        chat.awaitMessages(List.of("I want my money back", "A colleague knows more", "You get it today"));
        assertEquals(List.of("I want my money back", "A colleague knows more"), first.messages());

        first.browser().click("#thread-strip button");
        agents.await("the list is empty", () -> first.mine().isEmpty());
    }

    @Test
    void shouldOpenAgainWhenTheCustomerWritesToAClosedConversation() {
        ChatPage chat = customer("gus");
        chat.write("It is done, thanks");
        DeskPage desk = agent(agents, "ada");
        desk.acceptByKey("gus");
        desk.awaitMessage("It is done, thanks");
        desk.close("solved");
        desk.awaitStrip("Closed");
        chat.awaitStrip("closed");
        chat.awaitEvent("Closed by ada: solved");

        chat.write("One more thing");
        chat.awaitEvent("Open again");
        desk.acceptByKey("gus");
        desk.awaitMessages(List.of("It is done, thanks", "One more thing"));
        desk.awaitStrip("Opened again");
        assertEquals(chat.seqs(), desk.seqs());
    }

    @Test
    void shouldTakeAConversationFromTheWaitingList() {
        ChatPage chat = customer("hedda");
        chat.write("anybody?");
        chat.awaitTick("anybody?", "accepted");
        DeskPage desk = agent(agents, "axel");
        desk.awaitOffer("hedda");
        agents.press("d");
        agents.await("the offer is gone", () -> desk.offers().isEmpty());
        agents.click("#waiting button[aria-label='Take hedda']");
        desk.awaitOpen("hedda");
        desk.write("I am here");
        chat.awaitMessage("I am here");
        chat.awaitPartner("axel");
    }

    @Test
    void shouldShowMarkupAsText() {
        ChatPage chat = customer("ivo");
        String attack = "<img src=x onerror=\"document.title='owned'\"> <script>alert(1)</script> **b**";
        chat.write(attack);
        DeskPage desk = agent(agents, "amy");
        desk.acceptByKey("ivo");
        desk.awaitMessage(attack);
        chat.awaitMessage(attack);
        assertFalse(agents.shows("#timeline img"));
        assertFalse(agents.driver().getTitle().contains("owned"));

        desk.write("See https://example.org/a?b=1. Or http://x.example/(y)");
        chat.awaitMessage("See https://example.org/a?b=1. Or http://x.example/(y)");
        assertEquals(
                List.of("https://example.org/a?b=1", "http://x.example/(y"),
                customers.evaluate("[...document.querySelectorAll('#timeline a')].map((a) => a.getAttribute('href'))"));
        assertEquals(
                "noopener noreferrer nofollow",
                customers.evaluate("document.querySelector('#timeline a').getAttribute('rel')"));
    }

    @Test
    void shouldPageBackThroughALongHistory() {
        ChatPage chat = customer("jana");
        customers.evaluate("document.querySelector('#compose').focus()");
        for (int i = 1; i <= 70; i++) {
            chat.write("message " + i);
        }
        chat.awaitTick("message 70", "accepted");
        DeskPage desk = agent(agents, "abel");
        desk.acceptByKey("jana");
        desk.awaitMessage("message 70");
        assertFalse(desk.messages().contains("message 1"));
        agents.evaluate("void (document.querySelector('#timeline').scrollTop = 0)");
        desk.awaitMessage("message 1");
        assertEquals(70, desk.messages().size());
        assertEquals(70, desk.messages().stream().distinct().count());
    }

    @Test
    void shouldSayWhichTabGoesOnWhenAnotherTakesItsPlace() {
        ChatPage chat = customer("kim");
        chat.write("first tab");
        chat.awaitTick("first tab", "accepted");
        Object terminal = customers.evaluate("sessionStorage.getItem('switchboard.terminal.chat')");

        others.openAnew(server.address().http() + "/chat");
        others.evaluate("sessionStorage.setItem('switchboard.terminal.chat', arguments[0])", terminal);
        ChatPage copy = customer(others, "kim");
        copy.awaitMessage("first tab");
        chat.awaitStrip("opened in another tab");
        customers.click("#strip button");
        chat.awaitOnline();
        chat.write("both");
        copy.awaitMessages(List.of("first tab", "both"));
    }
}
