package dev.switchboard.webhook;

import java.util.Locale;

/** What became of one attempt to send an entry to a webhook. Immutable. */
public sealed interface HookOutcome {
    /** The receiver answered with success. */
    record Delivered() implements HookOutcome {}

    /** It counts as a failed attempt. {@code reason} has no line breaks and at most 128 characters. */
    record Failed(Code code, String reason) implements HookOutcome {
        private static final int MAX_REASON_CHARS = 128;

        public Failed {
            String line = reason.lines().findFirst().orElse("");
            reason = line.length() <= MAX_REASON_CHARS ? line : line.substring(0, MAX_REASON_CHARS);
        }
    }

    /** Why an attempt failed, as the dead letter names it. */
    enum Code {
        /** The entry has no form as bytes. */
        CONVERSION("conversion"),
        /** Another status than success. */
        STATUS,
        /** The receiver sent the request elsewhere, which isn't followed. */
        REDIRECT,
        /** No answer in time. */
        TIMEOUT,
        /** The host is at an address that webhooks may not go to. */
        ADDRESS,
        /** No connection, or it broke before the answer. */
        CONNECTION;

        private final String wireName;

        Code() {
            this.wireName = "webhook-" + name().toLowerCase(Locale.ROOT);
        }

        Code(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }
}
