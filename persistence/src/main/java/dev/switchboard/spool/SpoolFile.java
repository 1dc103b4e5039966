package dev.switchboard.spool;

import dev.switchboard.directory.StorageStartException;
import dev.switchboard.ports.Spool.RefusedPost;
import dev.switchboard.ports.SpooledPost;
import dev.switchboard.serialization.SpoolCodec;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spool's file: two maps by number, what is kept and what was refused. Confined to one thread at a time. All methods
 * throw MVStoreException or IOException when the disk fails; the file is closed then, and {@link #reopen} tries again.
 *
 * <p><b>What is forced stays.</b> MVStore only appends: a commit writes a new chunk into space that no page of the last
 * forced version uses, so a commit that is torn leaves that version whole. Chunks that nothing uses any more are written
 * over after {@link #RETENTION_MS}, by when each of them has been followed by many forces.
 *
 * <p><b>A damaged file</b> is never written to and never deleted: it is moved aside, what can be read is taken over into
 * a new one, and the log says what and how much.
 */
final class SpoolFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpoolFile.class);

    private static final String NAME = "spool.mv";
    private static final String NEW_NAME = "spool.mv.new";
    private static final String MARK_NAME = "spool.mark";
    private static final int RETENTION_MS = 2_000;
    private static final int CACHE_MIB = 4;
    private static final DateTimeFormatter ASIDE =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS").withZone(ZoneOffset.UTC);

    /** What could be read of a file, in order. */
    record Contents(Map<Long, SpooledPost> posts, Map<Long, RefusedPost> refused) {}

    private final Path file;
    private final Path replacement;
    private final SpoolMark mark;
    private final Contents found;
    private MVStore store;
    private MVMap<Long, byte[]> posts;
    private MVMap<Long, byte[]> refused;

    /** Opens the file of that folder, or makes it. Throws StorageStartException with one line when that can't be. */
    SpoolFile(Path folder) {
        file = folder.resolve(NAME);
        replacement = folder.resolve(NEW_NAME);
        mark = new SpoolMark(folder.resolve(MARK_NAME));
        try {
            Files.createDirectories(folder);
            // A rewrite that didn't end; what it copied is still in the file itself.
            Files.deleteIfExists(replacement);
            found = openOrReplace();
        } catch (IOException | MVStoreException e) {
            throw new StorageStartException("the spool's file " + file + " can't be used: " + e.getMessage(), e);
        }
    }

    static boolean isThere(Path folder) {
        return Files.exists(folder.resolve(NAME)) || Files.exists(folder.resolve(MARK_NAME));
    }

    /** What it held when it was opened. */
    Contents found() {
        return found;
    }

    private Contents openOrReplace() throws IOException {
        Contents contents = new Contents(new TreeMap<>(), new TreeMap<>());
        String wrong = open(contents);
        if (wrong == null) {
            return contents;
        }
        closeAtOnce();
        mark.clear();
        Path aside = file.resolveSibling("spool.damaged-" + ASIDE.format(Instant.now()) + ".mv");
        Files.move(file, aside);
        openMaps();
        contents.posts().forEach((number, post) -> posts.put(number, SpoolCodec.write(post)));
        contents.refused().forEach((number, each) -> refused.put(number, SpoolCodec.write(each)));
        force();
        LOG.error(
                "The spool's file is damaged ({}). It was moved to {} and kept; {} posts could be read and will be sent."
                        + " What it held beyond them is in that file alone, and its senders were told \"spooled\".",
                wrong,
                aside,
                contents.posts().size());
        return contents;
    }

    /** Opens and reads everything; says what is wrong with the file, or null. */
    private String open(Contents contents) throws IOException {
        long forced = mark.read();
        try {
            openMaps();
            long version = store.getCurrentVersion();
            if (version < forced) {
                readAll(posts, SpoolFile::readPost, contents.posts());
                readAll(refused, SpoolFile::readRefused, contents.refused());
                return "its version is " + version + ", and " + forced + " was forced";
            }
            String wrong = readAll(posts, SpoolFile::readPost, contents.posts());
            String alsoWrong = readAll(refused, SpoolFile::readRefused, contents.refused());
            return wrong == null ? alsoWrong : wrong;
        } catch (MVStoreException e) {
            if (e.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
                throw new StorageStartException("the spool's file " + file + " is in use by another process", e);
            }
            return e.getMessage();
        }
    }

    private void openMaps() {
        store = new MVStore.Builder()
                .fileName(file.toString())
                .autoCommitDisabled()
                .cacheSize(CACHE_MIB)
                .open();
        store.setRetentionTime(RETENTION_MS);
        store.setVersionsToKeep(0);
        posts = store.openMap("posts", builder());
        refused = store.openMap("refused", builder());
    }

    private static MVMap.Builder<Long, byte[]> builder() {
        return new MVMap.Builder<Long, byte[]>().keyType(LongDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE);
    }

    private interface Reading<T> {
        T of(byte[] bytes) throws IOException;
    }

    private static SpooledPost readPost(byte[] bytes) throws IOException {
        return SpoolCodec.readPost(bytes);
    }

    private static RefusedPost readRefused(byte[] bytes) throws IOException {
        return SpoolCodec.readRefused(bytes);
    }

    /** Reads from both ends, so that one bad page hides no more than it must. */
    private static <T> String readAll(MVMap<Long, byte[]> map, Reading<T> reading, Map<Long, T> into) {
        String wrong = readFrom(map, map.keyIterator(null), reading, into);
        if (wrong != null) {
            readFrom(map, map.keyIteratorReverse(null), reading, into);
        }
        return wrong;
    }

    private static <T> String readFrom(
            MVMap<Long, byte[]> map, Iterator<Long> keys, Reading<T> reading, Map<Long, T> into) {
        String wrong = null;
        try {
            while (keys.hasNext()) {
                Long number = keys.next();
                try {
                    into.put(number, reading.of(map.get(number)));
                } catch (IOException e) {
                    wrong = e.getMessage();
                }
            }
        } catch (MVStoreException | IndexOutOfBoundsException e) {
            // The second is what a page with a wrong length ends in.
            wrong = String.valueOf(e.getMessage());
        }
        return wrong;
    }

    // ---- what it holds ----

    /** Null when there is none. Throws IOException when it can't be read. */
    SpooledPost post(long number) throws IOException {
        byte[] bytes = posts.get(number);
        return bytes == null ? null : SpoolCodec.readPost(bytes);
    }

    void put(long number, byte[] post) {
        posts.put(number, post);
    }

    /** Forgets a post. */
    void remove(long number) {
        posts.remove(number);
    }

    /** Forgets a post, and keeps that it was refused. */
    void refuse(long number, RefusedPost why) {
        posts.remove(number);
        refused.put(number, SpoolCodec.write(why));
    }

    void forgetRefusal(long number) {
        refused.remove(number);
    }

    /** What the file takes on the disk, in bytes. */
    long length() {
        return store.getFileStore().size();
    }

    /** Writes what was changed and waits until the disk has it. */
    void force() throws IOException {
        store.commit();
        store.sync();
        mark.write(store.getCurrentVersion());
    }

    // ---- rewriting ----

    /**
     * Writes what it holds into a new file that takes this one's place, so that nothing is left of what it held before.
     * When it returns, the disk has the new one.
     */
    void rewrite() throws IOException {
        force();
        try (MVStore fresh = new MVStore.Builder()
                .fileName(replacement.toString())
                .autoCommitDisabled()
                .open()) {
            copy(posts, fresh.openMap("posts", builder()), Function.identity());
            copy(refused, fresh.openMap("refused", builder()), Function.identity());
            fresh.commit();
            fresh.sync();
        }
        store.closeImmediately();
        mark.clear();
        Files.move(replacement, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
        openMaps();
    }

    private static void copy(MVMap<Long, byte[]> from, MVMap<Long, byte[]> to, Function<byte[], byte[]> as) {
        Iterator<Long> keys = from.keyIterator(null);
        while (keys.hasNext()) {
            Long number = keys.next();
            to.put(number, as.apply(from.get(number)));
        }
    }

    /** Opens the file again after the disk had failed. */
    void reopen() {
        closeAtOnce();
        openMaps();
    }

    private void closeAtOnce() {
        if (store != null && !store.isClosed()) {
            store.closeImmediately();
        }
    }

    @Override
    public void close() throws IOException {
        if (store != null && !store.isClosed()) {
            store.close();
        }
        mark.close();
    }
}
