package dev.switchboard.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/**
 * The operators' console, for the management port alone. Thread-safe: every file is read once, when this is made. The
 * files hold nothing secret, so they need no token; what the page asks for does. It has the same policy as {@link Pages}
 * and takes nothing from elsewhere: the charting library (uPlot) is on the class path.
 */
public final class ConsolePages {
    private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";
    private static final String HTML = "text/html; charset=UTF-8";
    private static final String SCRIPT = "text/javascript; charset=UTF-8";
    private static final String STYLE = "text/css; charset=UTF-8";

    private final Map<String, Served> served;
    private final List<HttpHeader> headers = Pages.headers(List.of());

    @SuppressWarnings("ArrayRecordComponent") // Never written after construction, and never compared.
    private record Served(String tag, ContentType type, byte[] bytes) {}

    /** Reads the files. {@code signInByName}: the server takes development tokens, so the page asks for a name only. */
    public ConsolePages(boolean signInByName) {
        Map<String, Served> all = new LinkedHashMap<>();
        for (String path : List.of("/", "/console")) {
            all.put(path, served(HTML, Pages.read("console.html")));
        }
        for (String script : List.of(
                "console",
                "console-figures",
                "console-charts",
                "console-letters",
                "ui",
                "words",
                "sign-in",
                "outbox",
                "switchboard-client")) {
            all.put("/assets/" + script + ".js", served(SCRIPT, Pages.read("assets/" + script + ".js")));
        }
        for (String style : List.of("switchboard", "console")) {
            all.put("/assets/" + style + ".css", served(STYLE, Pages.read("assets/" + style + ".css")));
        }
        all.put("/assets/uplot.js", served(SCRIPT, Pages.read(UPLOT + "uPlot.esm.js")));
        all.put("/assets/uplot.css", served(STYLE, Pages.read(UPLOT + "uPlot.min.css")));
        all.put("/assets/favicon.svg", served("image/svg+xml", Pages.read("assets/favicon.svg")));
        all.put("/assets/site.json", served("application/json", Pages.site(signInByName, List.of())));
        served = Map.copyOf(all);
    }

    private static Served served(String type, byte[] bytes) {
        return new Served('"' + Pages.digest(bytes) + '"', ContentTypes.parse(type), bytes);
    }

    /** True when there is a file at that path. */
    public boolean has(String path) {
        return served.containsKey(path);
    }

    /** The file at the request's path, which there must be; 304 when the browser has it. */
    public HttpResponse answer(HttpRequest request) {
        Served file = served.get(request.getUri().path());
        boolean reads =
                request.method().equals(HttpMethods.GET) || request.method().equals(HttpMethods.HEAD);
        if (!reads) {
            return HttpResponse.create().withStatus(StatusCodes.METHOD_NOT_ALLOWED);
        }
        boolean known = request.getHeader("If-None-Match")
                .filter(header -> header.value().equals(file.tag()))
                .isPresent();
        HttpResponse response = known
                ? HttpResponse.create().withStatus(StatusCodes.NOT_MODIFIED)
                : HttpResponse.create().withEntity(HttpEntities.create(file.type(), file.bytes()));
        return response.addHeaders(headers).addHeader(RawHeader.create("ETag", file.tag()));
    }
}
