package dev.switchboard.server.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Texts as the kernel and a JVM wrote them. */
final class Recorded {
    private Recorded() {}

    static byte[] bytes(String name) {
        try (InputStream in = Recorded.class.getResourceAsStream("/doctor/" + name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String name) {
        return new String(bytes(name), StandardCharsets.UTF_8);
    }
}
