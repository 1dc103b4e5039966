package dev.switchboard.auth;

import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;

/** What came of looking at a token. Immutable. */
public sealed interface Verdict {
    /** The token is good, and this is who calls. */
    record Verified(Principal principal) implements Verdict {}

    /**
     * The token isn't taken: {@code unauthorized}, {@code token-expired}, or {@code overload} when keys can't be had.
     */
    record Denied(Refusal refusal) implements Verdict {}
}
