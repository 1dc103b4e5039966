package dev.switchboard.server.doctor;

import java.util.List;

/**
 * A window, where its switches went, what they mean, and how it stands against a baseline; immutable.
 *
 * @param intervalSeconds how far the looks were apart
 * @param baseline null when there was none to hold it against
 * @param notes what the reader should know of how it was done
 */
record Examination(
        Window window,
        double intervalSeconds,
        Reconciliation reconciliation,
        Diagnosis diagnosis,
        Baseline baseline,
        List<String> notes) {
    Examination {
        notes = List.copyOf(notes);
    }
}
