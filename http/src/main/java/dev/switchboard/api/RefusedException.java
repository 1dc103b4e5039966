package dev.switchboard.api;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;

/**
 * Carries a refusal out of the code that reads a client's input. Immutable; it has no stack trace, because what a
 * client
 * sent is no fault of the code that read it.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    public RefusedException(Refusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    /** The refusal of a field whose value can't be taken; {@code field} becomes a fact of it. */
    public static RefusedException invalid(String field, String problem) {
        return new RefusedException(
                Refusal.of(ErrorCode.INVALID, "'" + field + "' " + problem).withFact("field", field));
    }

    /** The refusal of a field that is larger than it may be; {@code field} and {@code limit} become facts of it. */
    public static RefusedException tooLarge(String field, long limit, String unit) {
        return new RefusedException(
                Refusal.of(ErrorCode.TOO_LARGE, "'" + field + "' may have at most " + limit + " " + unit)
                        .withFact("field", field)
                        .withFact("limit", limit));
    }

    public Refusal refusal() {
        return refusal;
    }
}
