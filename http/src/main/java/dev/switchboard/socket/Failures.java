package dev.switchboard.socket;

import dev.switchboard.api.RefusedException;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.ports.StorageUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says to a client what went wrong on this side. Stateless. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private Failures() {}

    /** The refusal for a failed stage or a thrown exception; what nobody expected is logged. */
    static Refusal refusal(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof RefusedException refused) {
            return refused.refusal();
        }
        if (cause instanceof StorageUnavailableException) {
            return Refusal.of(ErrorCode.JOURNAL_UNAVAILABLE, "the database can't answer now")
                    .retryAfter(RETRY);
        }
        LOG.error("a request failed", cause);
        return Refusal.of(ErrorCode.INTERNAL, "something went wrong on this side")
                .retryAfter(RETRY);
    }
}
