package dev.switchboard.ports;

/**
 * What the persistence house fills, together. {@code spool} is {@link Spool#NONE} where posts are never spooled, and
 * {@code bulkRetries} {@link BulkRetries#NONE} where there are none.
 */
public record Storage(
        Directory directory,
        EntryLog entryLog,
        Deadlines deadlines,
        Eraser eraser,
        Spool spool,
        BulkRetries bulkRetries) {
    /** Without a spool and bulk retries. */
    public Storage(Directory directory, EntryLog entryLog, Deadlines deadlines, Eraser eraser) {
        this(directory, entryLog, deadlines, eraser, Spool.NONE, BulkRetries.NONE);
    }

    /** Without bulk retries. */
    public Storage(Directory directory, EntryLog entryLog, Deadlines deadlines, Eraser eraser, Spool spool) {
        this(directory, entryLog, deadlines, eraser, spool, BulkRetries.NONE);
    }

    /** The same with that spool, which forgets what the rest forgets. */
    public Storage with(Spool other) {
        Eraser both = eraser.then((conv, marker) -> other.erase(conv).thenApply(erased -> null));
        return new Storage(directory, entryLog, deadlines, both, other, bulkRetries);
    }
}
