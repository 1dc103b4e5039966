package dev.switchboard.api;

import java.util.List;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/**
 * What browsers need to be told before a page of another, listed origin may call and read the answers (CORS). The
 * origin is
 * named, never a wildcard, and no cookies are asked for: the token travels in a header that only a page's script can
 * set.
 * Stateless.
 */
final class CrossOrigin {
    private static final List<HttpHeader> PREFLIGHT = List.of(
            RawHeader.create("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"),
            RawHeader.create("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key"),
            RawHeader.create("Access-Control-Max-Age", "600"));
    private static final HttpHeader EXPOSED =
            RawHeader.create("Access-Control-Expose-Headers", "Location, Retry-After");
    private static final HttpHeader VARY = RawHeader.create("Vary", "Origin");

    private CrossOrigin() {}

    /** True for the question that a browser asks before the call itself. */
    static boolean isPreflight(HttpRequest request) {
        return request.method().value().equals("OPTIONS")
                && request.getHeader("Access-Control-Request-Method").isPresent();
    }

    /** The answer to that question; {@link #allow} adds who was allowed. */
    static HttpResponse preflight() {
        return HttpResponse.create().withStatus(204).addHeaders(PREFLIGHT);
    }

    /** The answer, readable by pages of that origin, which was found to be allowed. */
    static HttpResponse allow(HttpResponse answer, String origin) {
        return answer.addHeaders(List.of(RawHeader.create("Access-Control-Allow-Origin", origin), EXPOSED, VARY));
    }
}
