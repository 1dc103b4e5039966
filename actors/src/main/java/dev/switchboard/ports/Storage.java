package dev.switchboard.ports;

/** What the persistence house fills, together. */
public record Storage(Directory directory, EntryLog entryLog, Deadlines deadlines, Eraser eraser) {}
