package dev.switchboard.server;

import java.io.IOException;
import java.io.InputStream;

/** The end of the process's input: whoever holds the other end of the pipe has let it go, or is gone. Stateless. */
final class InputEnd {
    private InputEnd() {}

    /** Blocks until the input ends. */
    static void await() {
        InputStream input = System.in;
        byte[] ignored = new byte[256];
        try {
            int read;
            do {
                read = input.read(ignored);
            } while (read >= 0);
        } catch (IOException e) {
            // An input that can't be read has ended, too.
            return;
        }
    }
}
