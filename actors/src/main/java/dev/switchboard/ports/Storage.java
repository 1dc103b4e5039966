package dev.switchboard.ports;

/** What the persistence house fills, together. {@code spool} is {@link Spool#NONE} where posts are never spooled. */
public record Storage(Directory directory, EntryLog entryLog, Deadlines deadlines, Eraser eraser, Spool spool) {
    /** Without a spool. */
    public Storage(Directory directory, EntryLog entryLog, Deadlines deadlines, Eraser eraser) {
        this(directory, entryLog, deadlines, eraser, Spool.NONE);
    }

    /** The same with that spool, which forgets what the rest forgets. */
    public Storage with(Spool other) {
        Eraser both = eraser.then((conv, marker) -> other.erase(conv).thenApply(erased -> null));
        return new Storage(directory, entryLog, deadlines, both, other);
    }
}
