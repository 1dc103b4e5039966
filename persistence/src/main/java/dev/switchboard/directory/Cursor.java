package dev.switchboard.directory;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Where a page of a list ended; opaque outside of this package. Immutable. */
record Cursor(String list, long number, String text) {
    private static final String VERSION = "1";

    String write() {
        String plain = VERSION + ":" + list + ":" + number + ":" + text;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a cursor of that list. Throws IllegalArgumentException for anything else. */
    static Cursor read(String list, String cursor) {
        String[] parts = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split(":", 4);
        if (parts.length != 4 || !parts[0].equals(VERSION) || !parts[1].equals(list)) {
            throw new IllegalArgumentException("not a cursor of this list: " + cursor);
        }
        return new Cursor(list, Long.parseLong(parts[2]), parts[3]);
    }
}
