package dev.switchboard.api;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import org.apache.pekko.event.LoggingAdapter;
import org.apache.pekko.http.ParsingErrorHandler;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.scaladsl.model.ErrorInfo;
import org.apache.pekko.http.scaladsl.model.StatusCode;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;

/**
 * Answers requests that are no HTTP, or too large in line or header, as problem documents; Pekko HTTP then closes the
 * connection. Pekko HTTP makes one for each connection. Stateless.
 */
public final class UnreadableRequests extends ParsingErrorHandler {
    @Override
    public HttpResponse handle(StatusCode status, ErrorInfo info, LoggingAdapter log, ServerSettings settings) {
        log.debug("a request could not be read: {}", info.summary());
        return Answers.problem(refusal(status.intValue()));
    }

    private static Refusal refusal(int status) {
        return switch (status) {
            case 413, 414, 431 ->
                Refusal.of(ErrorCode.TOO_LARGE, "the request's line, a header or the body is too large");
            case 501, 505 -> Refusal.of(ErrorCode.NOT_SUPPORTED, "this method or version of HTTP is not supported");
            default -> Refusal.of(ErrorCode.MALFORMED, "the request is not well-formed HTTP");
        };
    }
}
