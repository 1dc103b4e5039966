package dev.switchboard.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ErrorCode;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PagesTest {
    private static final ActorTestKit KIT = ActorTestKit.create();
    private static final Pages PAGES = new Pages(true, List.of());

    private static final List<String> PAGE_PATHS = List.of("/", "/chat", "/desk");

    @AfterAll
    static void end() {
        KIT.shutdownTestKit();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/chat", "/desk", "/assets/switchboard.css", "/assets/chat.js", "/assets/site.json"})
    void shouldAnswerWithTheHeadersOfAHardenedPage(String path) {
        HttpResponse response = ask(PAGES, HttpRequest.GET(path));

        assertEquals(StatusCodes.OK, response.status());
        String policy = header(response, "Content-Security-Policy");
        assertTrue(policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self';"), policy);
        assertTrue(policy.contains("frame-ancestors 'none'"), policy);
        assertFalse(policy.contains("unsafe"), policy);
        assertEquals("nosniff", header(response, "X-Content-Type-Options"));
        assertEquals("no-referrer", header(response, "Referrer-Policy"));
        assertEquals("no-cache", header(response, "Cache-Control"));
        assertFalse(header(response, "ETag").isEmpty());
    }

    @Test
    void shouldAnswer304WhenTheBrowserHasTheFile() {
        String tag = header(ask(PAGES, HttpRequest.GET("/chat")), "ETag");

        HttpResponse same = ask(PAGES, HttpRequest.GET("/chat").addHeader(HttpHeader.parse("If-None-Match", tag)));
        HttpResponse other =
                ask(PAGES, HttpRequest.GET("/chat").addHeader(HttpHeader.parse("If-None-Match", "\"other\"")));

        assertEquals(StatusCodes.NOT_MODIFIED, same.status());
        assertEquals(tag, header(same, "ETag"));
        assertEquals(StatusCodes.OK, other.status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets/nothing.js",
                "/assets/..%2fPages.class",
                "/assets/../index.html",
                "/chat/",
                "/desk/x",
                "/index.html",
                "/assets/"
            })
    void shouldKnowNoOtherPath(String path) {
        assertEquals(StatusCodes.NOT_FOUND, ask(PAGES, HttpRequest.GET(path)).status());
    }

    @Test
    void shouldAnswerReadsOnly() {
        assertEquals(
                StatusCodes.METHOD_NOT_ALLOWED,
                ask(PAGES, HttpRequest.POST("/chat")).status());
        assertEquals(StatusCodes.OK, ask(PAGES, HttpRequest.HEAD("/chat")).status());
    }

    @Test
    void shouldServeEveryFileThatAPageOrAScriptNames() {
        TreeSet<String> open = new TreeSet<>(PAGE_PATHS);
        TreeSet<String> seen = new TreeSet<>();
        Pattern inPage = Pattern.compile("(?:src|href)=[\"'](assets/[^\"']+)[\"']");
        Pattern inScript = Pattern.compile("from '\\./([a-z-]+\\.js)'");
        while (!open.isEmpty()) {
            String path = open.pollFirst();
            seen.add(path);
            String text = text(PAGES, path);
            Matcher matcher = (path.endsWith(".js") ? inScript : inPage).matcher(text);
            while (matcher.find()) {
                String found = path.endsWith(".js") ? "/assets/" + matcher.group(1) : "/" + matcher.group(1);
                if (!seen.contains(found)) {
                    open.add(found);
                }
            }
        }

        assertTrue(seen.contains("/assets/switchboard-client.js"), seen.toString());
        assertTrue(seen.contains("/assets/desk-dialogs.js"), seen.toString());
        assertTrue(seen.size() >= 17, seen.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/chat", "/desk"})
    void shouldHaveNothingInlineAndNothingFromElsewhere(String path) {
        String page = text(PAGES, path);

        assertFalse(Pattern.compile("<script(?![^>]*\\ssrc=)").matcher(page).find(), "an inline script");
        assertFalse(page.contains("<style"), "an inline style sheet");
        assertFalse(Pattern.compile("\\s(on[a-z]+|style)=").matcher(page).find(), "an inline handler or style");
        assertFalse(
                Pattern.compile("(src|href)=[\"'](https?:)?//").matcher(page).find(), "something from elsewhere");
        assertTrue(page.contains("<html lang=\"en\">"));
    }

    @Test
    void shouldNeverTurnTextIntoHtml() {
        for (String script : List.of("ui", "timeline", "chat", "desk", "desk-lists", "desk-dialogs", "sign-in")) {
            String text = text(PAGES, "/assets/" + script + ".js");
            for (String sink : List.of("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")) {
                assertFalse(text.contains(sink), script + " uses " + sink);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/chat", "/desk"})
    void shouldNameEveryControl(String path) {
        String page = text(PAGES, path);
        Matcher field = Pattern.compile("<(input|textarea|select)\\b[^>]*>").matcher(page);
        while (field.find()) {
            Matcher id = Pattern.compile("id=\"([^\"]+)\"").matcher(field.group());
            boolean labelled = id.find() && page.contains("for=\"" + id.group(1) + "\"");
            String before = page.substring(0, field.start());
            boolean inside = before.lastIndexOf("<label") > before.lastIndexOf("</label>");
            assertTrue(labelled || inside, "no label: " + field.group());
        }
        Matcher image = Pattern.compile("<img\\b[^>]*>").matcher(page);
        while (image.find()) {
            assertTrue(image.group().contains("alt="), image.group());
        }
    }

    @Test
    void shouldHaveWordsForEveryErrorCode() {
        String words = text(PAGES, "/assets/words.js");
        for (ErrorCode code : ErrorCode.values()) {
            boolean known = Pattern.compile("^ {2}'?" + code.wireName() + "'?: ['\"]", Pattern.MULTILINE)
                    .matcher(words)
                    .find();
            boolean internalToTheSocket = List.of(
                            "unsupported-subprotocol",
                            "method-not-allowed",
                            "bad-ack",
                            "hello-required",
                            "hello-repeated",
                            "unsupported-media-type")
                    .contains(code.wireName());
            assertTrue(known || internalToTheSocket, "no words for " + code.wireName());
        }
    }

    @Test
    void shouldTellThePagesHowToSignInAndWhosePicturesToLoad() {
        Pages signed = new Pages(false, List.of("media.example.org", "*.cdn.example.org:8443"));

        assertEquals("{\"signInByName\":true,\"mediaHosts\":[]}", text(PAGES, "/assets/site.json"));
        assertEquals(
                "{\"signInByName\":false,\"mediaHosts\":[\"media.example.org\",\"*.cdn.example.org:8443\"]}",
                text(signed, "/assets/site.json"));
        assertTrue(header(ask(signed, HttpRequest.GET("/chat")), "Content-Security-Policy")
                .contains("img-src 'self' https://media.example.org https://*.cdn.example.org:8443;"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "a b", "https://x.org", "x.org; script-src *", "x.org/path", "\"", "x.org:1:2"})
    void shouldRefuseWhatIsNotAMediaHost(String host) {
        assertThrows(IllegalArgumentException.class, () -> new Pages(true, List.of(host)));
    }

    private static HttpResponse ask(Pages pages, HttpRequest request) {
        try {
            return pages.route()
                    .seal()
                    .handler(KIT.system())
                    .apply(request)
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Pages pages, String path) {
        HttpResponse response = ask(pages, HttpRequest.GET(path));
        assertEquals(StatusCodes.OK, response.status(), path);
        HttpEntity.Strict entity = response.entity()
                .toStrict(10_000, KIT.system())
                .toCompletableFuture()
                .join();
        return entity.getData().utf8String();
    }

    private static String header(HttpResponse response, String name) {
        return response.getHeader(name).map(header -> header.value()).orElse("");
    }
}
