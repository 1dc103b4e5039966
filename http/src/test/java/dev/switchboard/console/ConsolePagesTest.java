package dev.switchboard.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.junit.jupiter.api.Test;

class ConsolePagesTest {
    private static final ConsolePages PAGES = new ConsolePages(true);
    private static final Pattern IN_PAGE = Pattern.compile("(?:src|href)=\"(assets/[^\"]+)\"");
    private static final Pattern IN_SCRIPT = Pattern.compile("from '\\./([a-z-]+\\.js)'");

    private static String text(String path) {
        HttpResponse response = PAGES.answer(HttpRequest.GET(path));
        assertEquals(200, response.status().intValue(), path);
        return new String(((HttpEntity.Strict) response.entity()).getData().toArrayUnsafe(), StandardCharsets.UTF_8);
    }

    private static String header(HttpResponse response, String name) {
        return response.getHeader(name).map(HttpHeader::value).orElse("");
    }

    @Test
    void shouldServeEveryFileThatThePageOrAScriptNames() {
        TreeSet<String> open = new TreeSet<>();
        TreeSet<String> seen = new TreeSet<>();
        open.add("/console");
        while (!open.isEmpty()) {
            String path = open.pollFirst();
            seen.add(path);
            boolean script = path.endsWith(".js");
            if (script || path.equals("/console")) {
                Matcher named = (script ? IN_SCRIPT : IN_PAGE).matcher(text(path));
                while (named.find()) {
                    String found = (script ? "/assets/" : "/") + named.group(1);
                    assertTrue(PAGES.has(found), path + " names " + found);
                    if (!seen.contains(found)) {
                        open.add(found);
                    }
                }
            }
        }
        assertTrue(seen.contains("/assets/uplot.js"), seen::toString);
        assertTrue(seen.size() >= 14, seen::toString);
        assertFalse(PAGES.has("/assets/nothing.js"));
        assertFalse(PAGES.has("/assets/chat.js"));
    }

    @Test
    void shouldTakeNothingFromElsewhereAndRunNothingInline() {
        HttpResponse response = PAGES.answer(HttpRequest.GET("/console"));
        String policy = header(response, "Content-Security-Policy");
        assertTrue(
                policy.contains("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"), policy);
        assertFalse(policy.contains("unsafe"), policy);
        String page = text("/console");
        assertFalse(Pattern.compile("<script(?![^>]*\\ssrc=)").matcher(page).find(), "an inline script");
        assertFalse(Pattern.compile("\\s(on[a-z]+|style)=").matcher(page).find(), "an inline handler or style");
        assertFalse(
                Pattern.compile("(src|href)=[\"'](https?:)?//").matcher(page).find(), "something from elsewhere");
        for (String script :
                new String[] {"console", "console-figures", "console-charts", "console-letters", "uplot"}) {
            String text = text("/assets/" + script + ".js");
            for (String sink :
                    new String[] {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("}) {
                assertFalse(text.contains(sink), script + " uses " + sink);
            }
        }
    }

    @Test
    void shouldAnswerReadsOnlyAnd304WhenTheBrowserHasTheFile() {
        String tag = header(PAGES.answer(HttpRequest.GET("/assets/console.js")), "ETag");
        HttpRequest again = HttpRequest.GET("/assets/console.js").addHeader(HttpHeader.parse("If-None-Match", tag));
        assertEquals(304, PAGES.answer(again).status().intValue());
        assertEquals(405, PAGES.answer(HttpRequest.POST("/console")).status().intValue());
    }
}
