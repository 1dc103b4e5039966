package dev.switchboard.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A node's hold on its data folder: a file in it, locked as long as the process lives, so that two nodes never write to
 * one folder. The operating system lets go of it when the process ends, however that happens. Thread-safe.
 */
final class DataFolder implements AutoCloseable {
    private static final String LOCK_FILE = "switchboard.lock";

    private final FileChannel channel;

    private DataFolder(FileChannel channel) {
        this.channel = channel;
    }

    /** Makes the folder when there is none and takes hold of it. Throws StartFailure when that can't be. */
    static DataFolder hold(Path folder) {
        Path file = folder.resolve(LOCK_FILE);
        FileChannel channel = null;
        try {
            Files.createDirectories(folder);
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            Optional<FileLock> lock = tryLock(channel);
            if (lock.isPresent()) {
                return new DataFolder(channel);
            }
            channel.close();
        } catch (IOException e) {
            closeQuietly(channel, e);
            throw new StartFailure("the data folder " + folder.toAbsolutePath() + " can't be used: " + reason(e), e);
        }
        throw new StartFailure(
                "the data folder " + folder.toAbsolutePath() + " is in use by another process (switchboard.data-dir)");
    }

    private static Optional<FileLock> tryLock(FileChannel channel) throws IOException {
        try {
            return Optional.ofNullable(channel.tryLock());
        } catch (OverlappingFileLockException e) {
            return Optional.empty();
        }
    }

    private static String reason(IOException e) {
        if (e instanceof FileSystemException file) {
            String kind = e.getClass().getSimpleName().replace("Exception", "");
            return file.getReason() == null ? kind : file.getReason();
        }
        return String.valueOf(e.getMessage());
    }

    private static void closeQuietly(FileChannel channel, IOException first) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                first.addSuppressed(e);
            }
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
