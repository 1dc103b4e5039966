package dev.switchboard.server;

import dev.switchboard.console.ConsolePages;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/** What the management port serves for the console: its page, and the API that the page uses. Thread-safe. */
final class ConsoleRoutes {
    private static final String API = "/api/v1/";

    private final ConsolePages pages;
    private final Supplier<Optional<Function<HttpRequest, CompletionStage<HttpResponse>>>> calls;

    /**
     * Reads the page.
     *
     * @param signInByName true when development tokens are taken
     * @param calls the API; empty as long as the start has not come so far
     */
    ConsoleRoutes(
            boolean signInByName, Supplier<Optional<Function<HttpRequest, CompletionStage<HttpResponse>>>> calls) {
        this.pages = new ConsolePages(signInByName);
        this.calls = calls;
    }

    /** True for what is open to all: the page holds nothing secret. */
    boolean isPage(String path) {
        return pages.has(path);
    }

    HttpResponse page(HttpRequest request) {
        return pages.answer(request);
    }

    /** True for a call of the API, whose body is then read there. */
    boolean isCall(String path) {
        return path.startsWith(API);
    }

    /** The API's answer, to an operator; empty before the start has come so far. */
    Optional<CompletionStage<HttpResponse>> call(HttpRequest request) {
        return calls.get().map(api -> api.apply(request));
    }
}
