package dev.switchboard.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.switchboard.auth.AuthSettings.KeySettings;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.util.Date;
import java.util.List;

/** Signs tokens with an HS256 key, for the command line and tests. Thread-safe. */
public final class TokenMinter {
    private final String keyId;
    private final String issuer;
    private final String audience;
    private final MACSigner signer;

    /**
     * A minter of tokens that a node with these settings takes. Throws IllegalArgumentException for an unusable key.
     */
    public TokenMinter(KeySettings key, String issuer, String audience) {
        if (key.algorithm() != KeySettings.Algorithm.HS256 || key.file() == null) {
            throw new IllegalArgumentException("key " + key.id() + " is not an HS256 key in a file: it can't sign");
        }
        this.keyId = key.id();
        this.issuer = issuer;
        this.audience = audience;
        try {
            this.signer = new MACSigner(KeyFiles.readSecret(key.file()));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("key " + key.id() + ": " + e.getMessage(), e);
        }
    }

    /** A token for that principal; it ends when the principal does. Empty sets and priority 0 make no claim. */
    public String mint(Principal principal) {
        if (!ConversationIds.PERSON_ID.matcher(principal.id()).matches()) {
            throw new IllegalArgumentException(
                    "id must match " + ConversationIds.PERSON_ID.pattern() + ", not " + principal.id());
        }
        if (principal.priority() < 0 || principal.priority() > 9) {
            throw new IllegalArgumentException("priority must be 0 to 9, not " + principal.priority());
        }
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(issuer)
                .audience(audience)
                .subject(principal.id())
                .claim(Claims.ROLE, principal.role().wireName())
                .expirationTime(Date.from(principal.expires()));
        if (!principal.queues().isEmpty()) {
            claims.claim(Claims.QUEUES, List.copyOf(principal.queues()));
        }
        if (principal.role() == Role.CUSTOMER && principal.priority() > 0) {
            claims.claim(Claims.PRIORITY, principal.priority());
        }
        if (!principal.skills().isEmpty()) {
            claims.claim(Claims.SKILLS, List.copyOf(principal.skills()));
        }
        if (!principal.customers().isEmpty()) {
            claims.claim(Claims.CUSTOMERS, List.copyOf(principal.customers()));
        }
        SignedJWT jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(keyId).build(), claims.build());
        try {
            jwt.sign(signer);
        } catch (JOSEException e) {
            throw new IllegalStateException("an HS256 signature could not be made", e);
        }
        return jwt.serialize();
    }
}
