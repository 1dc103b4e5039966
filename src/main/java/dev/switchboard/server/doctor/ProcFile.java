package dev.switchboard.server.doctor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * One file of {@code /proc}, read as often as wanted. One thread uses it.
 *
 * <p>Kept open it costs a tenth of what opening it anew does, and it stays the file of the task it was opened for: when
 * that task has ended a read fails, also when its number was given to another.
 */
final class ProcFile implements AutoCloseable {
    private final Path path;
    private final boolean stayOpen;
    private RandomAccessFile open;

    ProcFile(Path path, boolean stayOpen) {
        this.path = path;
        this.stayOpen = stayOpen;
    }

    /** Reads the file's text as it is now into the buffer and returns its length. Throws when the task has ended. */
    int read(Buffer buffer) throws IOException {
        if (open == null) {
            open = new RandomAccessFile(path.toString(), "r");
        } else {
            open.seek(0);
        }
        try {
            return buffer.fill(open);
        } finally {
            if (!stayOpen) {
                close();
            }
        }
    }

    String text(Buffer buffer) throws IOException {
        int length = read(buffer);
        return new String(buffer.bytes(), 0, length, StandardCharsets.UTF_8);
    }

    /** Reads a file once. */
    static String once(Path path, Buffer buffer) throws IOException {
        try (ProcFile file = new ProcFile(path, false)) {
            return file.text(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            RandomAccessFile last = open;
            open = null;
            last.close();
        }
    }

    /** Bytes to read into, used again for each file; grows to the longest of them. One thread uses it. */
    static final class Buffer {
        private byte[] bytes = new byte[8 * 1024];

        byte[] bytes() {
            return bytes;
        }

        private int fill(RandomAccessFile file) throws IOException {
            int length = 0;
            while (true) {
                int read = file.read(bytes, length, bytes.length - length);
                if (read <= 0) {
                    return length;
                }
                length += read;
                if (length < bytes.length) {
                    // The kernel hands these files over in one piece; a second read would only say that it is the end.
                    return length;
                }
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
        }
    }
}
