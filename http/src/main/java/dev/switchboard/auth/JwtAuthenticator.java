package dev.switchboard.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.switchboard.auth.SigningKey.Found;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Checks signed tokens. Thread-safe. Keys from files are checked on the caller's thread; keys that have to be fetched
 * on an executor of their own.
 *
 * <p>The algorithm is the key's, never the token's: a token is tried only against keys that were configured with
 * exactly the algorithm of its header, so neither {@code none} nor a public key used as a shared secret can pass.
 */
final class JwtAuthenticator implements Authenticator {
    /** The longest token that is looked at, in characters. */
    static final int MAX_TOKEN_CHARS = 8 * 1024;

    private final List<SigningKey> keys;
    private final String issuer;
    private final String audience;
    private final Duration clockSkew;
    private final Clock clock;
    private final Executor fetching;

    JwtAuthenticator(
            List<SigningKey> keys, String issuer, String audience, Duration clockSkew, Clock clock, Executor fetching) {
        this.keys = List.copyOf(keys);
        this.issuer = issuer;
        this.audience = audience;
        this.clockSkew = clockSkew;
        this.clock = clock;
        this.fetching = fetching;
    }

    @Override
    public CompletionStage<Verdict> verify(String token) {
        if (token == null || token.length() > MAX_TOKEN_CHARS) {
            return done(denied("a signed token was expected"));
        }
        SignedJWT jwt;
        try {
            jwt = SignedJWT.parse(token);
        } catch (ParseException e) {
            return done(denied("the token is not a signed JWT"));
        }
        List<SigningKey> candidates = candidates(jwt);
        if (candidates.isEmpty()) {
            return done(denied("no configured key has the token's algorithm and key id"));
        }
        if (candidates.stream().allMatch(SigningKey::isLocal)) {
            return done(check(jwt, candidates));
        }
        try {
            return CompletableFuture.supplyAsync(() -> check(jwt, candidates), fetching)
                    .exceptionally(failure -> keysUnavailable());
        } catch (RejectedExecutionException e) {
            return done(keysUnavailable());
        }
    }

    private List<SigningKey> candidates(SignedJWT jwt) {
        JWSAlgorithm algorithm = jwt.getHeader().getAlgorithm();
        String kid = jwt.getHeader().getKeyID();
        List<SigningKey> candidates = new ArrayList<>(1);
        for (SigningKey key : keys) {
            if (key.algorithm().equals(algorithm) && key.mayBe(kid)) {
                candidates.add(key);
            }
        }
        return candidates;
    }

    private Verdict check(SignedJWT jwt, List<SigningKey> candidates) {
        boolean unavailable = false;
        for (SigningKey key : candidates) {
            Found found = verify(key, jwt);
            if (found == Found.GOOD) {
                return checkClaims(jwt);
            }
            unavailable |= found == Found.UNAVAILABLE;
        }
        return unavailable ? keysUnavailable() : denied("the token's signature is not by a configured key");
    }

    private static Found verify(SigningKey key, SignedJWT jwt) {
        try {
            return key.verify(jwt);
        } catch (JOSEException e) {
            // A key that can't even be tried has not signed it; another one may have.
            return Found.BAD;
        }
    }

    private Verdict checkClaims(SignedJWT jwt) {
        JWTClaimsSet claims;
        try {
            claims = jwt.getJWTClaimsSet();
        } catch (ParseException e) {
            return denied("the token's claims are not JSON");
        }
        if (!issuer.equals(claims.getIssuer())) {
            return denied("the token's iss is not " + issuer);
        }
        if (claims.getAudience() == null || !claims.getAudience().contains(audience)) {
            return denied("the token's aud is not " + audience);
        }
        if (claims.getExpirationTime() == null) {
            return denied("the token has no exp");
        }
        if (!clock.instant().isBefore(claims.getExpirationTime().toInstant().plus(clockSkew))) {
            return new Verdict.Denied(Refusal.of(ErrorCode.TOKEN_EXPIRED, "the token has expired"));
        }
        if (claims.getNotBeforeTime() != null
                && clock.instant()
                        .isBefore(claims.getNotBeforeTime().toInstant().minus(clockSkew))) {
            return denied("the token is not valid yet");
        }
        try {
            Principal principal = Claims.principal(claims);
            return new Verdict.Verified(principal);
        } catch (ParseException | IllegalArgumentException e) {
            return denied(e.getMessage());
        }
    }

    private static Verdict keysUnavailable() {
        return new Verdict.Denied(Refusal.of(ErrorCode.OVERLOAD, "the keys that check tokens can't be fetched now")
                .retryAfter(Duration.ofSeconds(2)));
    }

    private static Verdict denied(String message) {
        return new Verdict.Denied(Refusal.of(ErrorCode.UNAUTHORIZED, message));
    }

    private static CompletionStage<Verdict> done(Verdict verdict) {
        return CompletableFuture.completedFuture(verdict);
    }
}
