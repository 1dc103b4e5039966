package dev.switchboard.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.SignedJWT;
import dev.switchboard.auth.AuthSettings.KeySettings;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.util.List;

/** One configured key, or one configured set of keys, with the only algorithm it is used with. Thread-safe. */
abstract class SigningKey {
    /** What came of checking a signature. */
    enum Found {
        GOOD,
        BAD,
        UNAVAILABLE
    }

    private final JWSAlgorithm algorithm;

    SigningKey(JWSAlgorithm algorithm) {
        this.algorithm = algorithm;
    }

    JWSAlgorithm algorithm() {
        return algorithm;
    }

    /** True when checking needs nothing but memory. */
    abstract boolean isLocal();

    /** True when a token with that {@code kid} (null: none) may be signed by this key. */
    abstract boolean mayBe(String kid);

    /** Checks the signature. May block unless {@link #isLocal}. */
    abstract Found verify(SignedJWT jwt) throws JOSEException;

    /** The key of these settings. Throws IllegalArgumentException, naming the key and its file, for an unusable one. */
    static SigningKey of(KeySettings settings, Duration jwksRefresh) {
        JWSAlgorithm algorithm = JWSAlgorithm.parse(settings.algorithm().name());
        if (settings.jwks() != null) {
            return new Remote(algorithm, source(settings, jwksRefresh));
        }
        return new Local(settings.id(), algorithm, verifier(settings));
    }

    private static JWSVerifier verifier(KeySettings settings) {
        try {
            return switch (settings.algorithm()) {
                case HS256 -> new MACVerifier(KeyFiles.readSecret(settings.file()));
                case RS256 -> new RSASSAVerifier(KeyFiles.readRsaPublicKey(settings.file()));
                case ES256 -> new ECDSAVerifier(KeyFiles.readEcPublicKey(settings.file()));
            };
        } catch (JOSEException e) {
            throw new IllegalArgumentException("switchboard.auth.keys: " + settings.id() + ": " + e.getMessage(), e);
        }
    }

    private static JWKSource<SecurityContext> source(KeySettings settings, Duration refresh) {
        URL url;
        try {
            url = URI.create(settings.jwks()).toURL();
        } catch (MalformedURLException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "switchboard.auth.keys: " + settings.id() + ": jwks is not an address: " + settings.jwks(), e);
        }
        boolean secure = url.getProtocol().equals("https");
        if (!secure && !(url.getProtocol().equals("http") && AuthSettings.isLoopback(url.getHost()))) {
            throw new IllegalArgumentException("switchboard.auth.keys: " + settings.id()
                    + ": jwks must be an https address, or http on loopback: " + settings.jwks());
        }
        long refreshMs = refresh.toMillis();
        return JWKSourceBuilder.<SecurityContext>create(url)
                .cache(refreshMs, Duration.ofSeconds(15).toMillis())
                .rateLimited(Math.min(30_000, refreshMs / 2))
                .retrying(true)
                .outageTolerant(Duration.ofHours(4).toMillis())
                .build();
    }

    /** A key from a file. */
    private static final class Local extends SigningKey {
        private final String id;
        private final JWSVerifier verifier;

        Local(String id, JWSAlgorithm algorithm, JWSVerifier verifier) {
            super(algorithm);
            this.id = id;
            this.verifier = verifier;
        }

        @Override
        boolean isLocal() {
            return true;
        }

        @Override
        boolean mayBe(String kid) {
            return kid == null || kid.equals(id);
        }

        @Override
        Found verify(SignedJWT jwt) throws JOSEException {
            return jwt.verify(verifier) ? Found.GOOD : Found.BAD;
        }
    }

    /** Keys that are fetched, kept, and fetched again when a token names one that isn't among them. */
    private static final class Remote extends SigningKey {
        private final JWKSource<SecurityContext> source;

        Remote(JWSAlgorithm algorithm, JWKSource<SecurityContext> source) {
            super(algorithm);
            this.source = source;
        }

        @Override
        boolean isLocal() {
            return false;
        }

        @Override
        boolean mayBe(String kid) {
            return true;
        }

        @Override
        Found verify(SignedJWT jwt) throws JOSEException {
            List<JWK> keys;
            try {
                keys = source.get(new JWKSelector(JWKMatcher.forJWSHeader(jwt.getHeader())), null);
            } catch (KeySourceException e) {
                return Found.UNAVAILABLE;
            }
            for (JWK key : keys) {
                if (jwt.verify(verifier(key))) {
                    return Found.GOOD;
                }
            }
            return Found.BAD;
        }

        private JWSVerifier verifier(JWK key) throws JOSEException {
            if (algorithm().equals(JWSAlgorithm.RS256) && key instanceof RSAKey rsa) {
                return new RSASSAVerifier(rsa);
            }
            if (algorithm().equals(JWSAlgorithm.ES256) && key instanceof ECKey ec) {
                return new ECDSAVerifier(ec);
            }
            throw new JOSEException("a " + key.getKeyType() + " key can't check " + algorithm());
        }
    }
}
