package dev.switchboard.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * Says in a small file of its own which version of the spool's file was forced last, so that a file which lost its end is
 * noticed: the store itself would quietly fall back to an older version. Written after each force and not forced itself,
 * so it never says more than is true. Confined to one thread.
 */
final class SpoolMark {
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    private final Path file;
    private FileChannel channel;

    SpoolMark(Path file) {
        this.file = file;
    }

    /** The version that was forced; 0 when nothing is known of any. */
    long read() throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer mark = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES) {
            return 0;
        }
        long version = mark.getLong();
        return mark.getInt() == checksum(version) ? version : 0;
    }

    void write(long version) throws IOException {
        if (channel == null) {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }
        ByteBuffer mark = ByteBuffer.allocate(BYTES);
        mark.putLong(version).putInt(checksum(version)).flip();
        int written = channel.write(mark, 0);
        if (written != BYTES) {
            throw new IOException("only " + written + " bytes of " + file + " were written");
        }
    }

    /** Before another file takes the place of the one that was marked. */
    void clear() throws IOException {
        close();
        Files.deleteIfExists(file);
    }

    void close() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    private static int checksum(long version) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(version).flip());
        return (int) sum.getValue();
    }
}
