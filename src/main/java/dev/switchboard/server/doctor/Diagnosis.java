package dev.switchboard.server.doctor;

import java.util.List;

/**
 * What a window says; immutable. The first finding is the verdict.
 *
 * @param baseline the name of the baseline that it was held against; empty when rules of thumb were
 */
record Diagnosis(List<Finding> findings, String baseline) {
    Diagnosis {
        findings = List.copyOf(findings);
    }

    Finding verdict() {
        return findings.get(0);
    }

    boolean has(Kind kind) {
        return findings.stream().anyMatch(finding -> finding.kind() == kind);
    }

    /**
     * One thing that was found.
     *
     * @param saw a sentence or two
     * @param evidence the figures it stands on
     * @param next what to look at next, the first first
     */
    record Finding(Kind kind, Cause cause, Sureness sure, String saw, List<String> evidence, List<String> next) {
        Finding {
            evidence = List.copyOf(evidence);
            next = List.copyOf(next);
        }
    }

    /** What may be found, the gravest first; those from MANY_THREADS on are remarks, and the process is well with them. */
    enum Kind {
        OVERLOAD("overload"),
        MOSTLY_INVOLUNTARY("mostly-involuntary"),
        ONE_THREAD_APART("one-thread-apart"),
        MOSTLY_VOLUNTARY("mostly-voluntary"),
        SWITCHES_WITHOUT_WORK("switches-without-work"),
        HEALTHY("healthy"),
        MANY_THREADS("many-threads"),
        OTHERS_TAKE_THE_CORES("others-take-the-cores");

        private final String wireName;

        Kind(String wireName) {
            this.wireName = wireName;
        }

        String wireName() {
            return wireName;
        }
    }

    /** What is behind it, as far as it can be seen. */
    enum Cause {
        ONE_LOCK("one-lock"),
        LOCKS("locks"),
        WAKE_UP_STORM("wake-up-storm"),
        SHORT_SLEEPS("short-sleeps"),
        INPUT_OUTPUT("input-output"),
        SIGNALS("signals"),
        BUSY_LOOP("busy-loop"),
        TOO_MANY_RUNNABLE("too-many-runnable"),
        NONE("none"),
        UNKNOWN("unknown");

        private final String wireName;

        Cause(String wireName) {
            this.wireName = wireName;
        }

        String wireName() {
            return wireName;
        }
    }

    /** How sure the doctor is. */
    enum Sureness {
        HIGH,
        MEDIUM,
        LOW
    }
}
