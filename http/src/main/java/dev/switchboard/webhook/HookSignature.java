package dev.switchboard.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what a webhook gets, in the form of the Standard Webhooks specification (version 1, symmetric), so that receivers find
 * a library that checks it: HMAC-SHA-256 over {@code id.timestamp.body}. Immutable and thread-safe.
 */
final class HookSignature {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String PREFIX = "whsec_";
    private static final int MIN_BYTES = 24;

    private final List<SecretKeySpec> keys;

    private HookSignature(List<SecretKeySpec> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Reads the lines of a secret's file: each {@code whsec_} and base64 of at least 24 bytes; with two of them receivers can
     * be moved from one to the other. Throws IllegalArgumentException that doesn't show the secret.
     */
    static HookSignature of(List<String> lines) {
        List<SecretKeySpec> keys = new ArrayList<>();
        for (String line : lines) {
            String secret = line.strip();
            if (secret.isEmpty() || secret.startsWith("#")) {
                continue;
            }
            keys.add(new SecretKeySpec(decoded(secret), ALGORITHM));
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("has no secret");
        }
        return new HookSignature(keys);
    }

    private static byte[] decoded(String secret) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a secret must be whsec_ and base64");
        }
        if (bytes.length < MIN_BYTES) {
            throw new IllegalArgumentException("a secret must have at least " + MIN_BYTES + " bytes");
        }
        return bytes;
    }

    /** The value of {@code webhook-signature}. {@code timestamp} is in seconds. */
    String header(String id, long timestamp, byte[] body) {
        List<String> signatures = new ArrayList<>();
        for (SecretKeySpec key : keys) {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(key);
                mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
                signatures.add("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body)));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java has " + ALGORITHM, e);
            }
        }
        return String.join(" ", signatures);
    }
}
