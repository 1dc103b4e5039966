package dev.switchboard.conversation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keyed hashes of what requests asked, so that an id used again for something else is noticed, and so that the hash of an
 * erased body tells nothing without the conversation's key. HMAC-SHA-256 (RFC 2104), cut to 64 bits. Thread-safe.
 */
final class RequestHash {
    /** A key's length in bytes. */
    static final int KEY_BYTES = 16;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final ThreadLocal<Mac> MAC = ThreadLocal.withInitial(RequestHash::newMac);

    private RequestHash() {}

    static byte[] newKey() {
        byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        return key;
    }

    static long of(byte[] key, Body body) {
        return of(key, "post", body.type(), body.text(), body.url(), body.name(), body.mediaType(), "" + body.size());
    }

    /** The hash of a request's kind and parts; a null part differs from an empty one. Never 0. */
    static long of(byte[] key, String kind, String... parts) {
        try {
            Mac mac = MAC.get();
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            update(mac, kind);
            for (String part : parts) {
                update(mac, part);
            }
            long hash = ByteBuffer.wrap(mac.doFinal()).getLong();
            return hash == 0 ? 1 : hash;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is part of every Java platform", e);
        }
    }

    private static void update(Mac mac, String part) {
        byte[] bytes = part == null ? null : part.getBytes(StandardCharsets.UTF_8);
        int length = bytes == null ? -1 : bytes.length;
        mac.update((byte) (length >>> 24));
        mac.update((byte) (length >>> 16));
        mac.update((byte) (length >>> 8));
        mac.update((byte) length);
        if (bytes != null) {
            mac.update(bytes);
        }
    }

    private static Mac newMac() {
        try {
            return Mac.getInstance("HmacSHA256");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is part of every Java platform", e);
        }
    }
}
