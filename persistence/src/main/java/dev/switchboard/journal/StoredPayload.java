package dev.switchboard.journal;

import dev.switchboard.ports.EntityKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.apache.pekko.serialization.Serialization;
import scala.util.Failure;
import scala.util.Try;

/** Reads stored bytes back, of a row whose length has been looked at before. Stateless. */
final class StoredPayload {
    /**
     * The largest event or snapshot of ours: bodies, attributes and what is held in memory of a log are bounded far below.
     * What claims to be larger is damage, and isn't loaded.
     */
    static final int MAX_OWN_BYTES = 16 * 1024 * 1024;

    private static final int MAX_REASON = 200;

    private StoredPayload() {}

    /** How many bytes of that entity are loaded at most; others' events may be as large as the database takes. */
    static int bound(String persistenceId) {
        return EntityKind.ofPersistenceId(persistenceId).isPresent() ? MAX_OWN_BYTES : Integer.MAX_VALUE;
    }

    /** SQL for a column's bytes, or null where there are more than the parameter says. */
    static String bounded(String column) {
        return "CASE WHEN OCTET_LENGTH(" + column + ") <= ? THEN " + column + " END";
    }

    /** The value whose serializer, manifest and bounded bytes stand in those columns. */
    static Try<Object> read(ResultSet row, int first, Serialization serialization) throws SQLException {
        int serializer = row.getInt(first);
        String manifest = row.getString(first + 1);
        byte[] bytes = row.getBytes(first + 2);
        if (bytes == null) {
            return new Failure<>(new IllegalStateException(
                    "it is larger than " + MAX_OWN_BYTES + " bytes, under the manifest " + shown(manifest)));
        }
        return serialization.deserialize(bytes, serializer, manifest);
    }

    /** The metadata in those columns, where there is any; ours has none. Throws for what can't be read. */
    static Optional<Object> metadata(ResultSet row, int first, Serialization serialization) throws SQLException {
        byte[] bytes = row.getBytes(first + 2);
        if (bytes == null) {
            return Optional.empty();
        }
        Try<Object> read = serialization.deserialize(bytes, row.getInt(first), row.getString(first + 1));
        if (read.isFailure()) {
            throw new IllegalStateException(
                    "the metadata of an event or snapshot can't be read",
                    read.failed().get());
        }
        return Optional.of(read.get());
    }

    /** Why it can't be read, in one line of bounded length. */
    static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String line = cause.getClass().getSimpleName() + ": " + cause.getMessage();
        return shown(line.lines().findFirst().orElse(""));
    }

    private static String shown(String text) {
        return text.length() > MAX_REASON ? text.substring(0, MAX_REASON) + "…" : text;
    }
}
