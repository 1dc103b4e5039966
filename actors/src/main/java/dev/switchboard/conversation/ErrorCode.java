package dev.switchboard.conversation;

import java.util.Locale;

/**
 * Every reason for which Switchboard refuses something. The wire names are stable for ever; {@code docs/errors.md} lists
 * them and a test holds the two together.
 */
public enum ErrorCode {
    MALFORMED(400, false),
    UNKNOWN_TYPE(400, false),
    INVALID(400, false),
    UNSUPPORTED_SUBPROTOCOL(400, false),
    UNAUTHORIZED(401, false),
    TOKEN_EXPIRED(401, false),
    FORBIDDEN(403, false),
    ORIGIN_REFUSED(403, false),
    NOT_FOUND(404, false),
    UNKNOWN_AGENT(404, false),
    UNKNOWN_QUEUE(404, false),
    UNKNOWN_OFFER(404, false),
    METHOD_NOT_ALLOWED(405, false),
    NOT_OWNER(409, false),
    STALE_EPOCH(409, false),
    CLOSED(409, false),
    OFFER_ENDED(409, false),
    ALREADY_OWNER(409, false),
    AGENT_FULL(409, true),
    AGENT_UNAVAILABLE(409, true),
    OUT_OF_ORDER(409, true),
    BAD_ACK(409, false),
    LETTER_SETTLED(409, false),
    HELLO_REQUIRED(409, false),
    HELLO_REPEATED(409, false),
    TOO_LARGE(413, false),
    UNSUPPORTED_MEDIA_TYPE(415, false),
    ID_REUSED(422, false),
    RATE_LIMITED(429, true),
    TOO_MANY_IN_FLIGHT(429, true),
    INTERNAL(500, true),
    NOT_SUPPORTED(501, false),
    OVERLOAD(503, true),
    QUEUE_FULL(503, true),
    JOURNAL_UNAVAILABLE(503, true),
    UNREADABLE(503, false),
    SHUTTING_DOWN(503, true),
    TIMEOUT(504, true),
    NOT_NOW(409, true);

    private final int httpStatus;
    private final boolean retryable;
    private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    ErrorCode(int httpStatus, boolean retryable) {
        this.httpStatus = httpStatus;
        this.retryable = retryable;
    }

    public int httpStatus() {
        return httpStatus;
    }

    /** True when the same request can succeed later. */
    public boolean retryable() {
        return retryable;
    }

    public String wireName() {
        return wireName;
    }
}
