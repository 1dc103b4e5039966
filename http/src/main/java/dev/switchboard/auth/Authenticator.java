package dev.switchboard.auth;

import java.util.concurrent.CompletionStage;

/**
 * Looks at tokens. Thread-safe; never blocks the caller, also where keys have to be fetched. The stage never fails:
 * every outcome is a {@link Verdict}.
 */
public interface Authenticator {
    /** Who calls with that token. {@code null} and anything malformed is denied as {@code unauthorized}. */
    CompletionStage<Verdict> verify(String token);
}
