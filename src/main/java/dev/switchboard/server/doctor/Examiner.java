package dev.switchboard.server.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes an examination of a window: judges it, and takes stacks when the verdict needs them. Stateless but for the source of
 * stacks; it may block as long as that takes.
 */
final class Examiner {
    private final StackSource stacks;

    Examiner(StackSource stacks) {
        this.stacks = stacks;
    }

    /**
     * @param baseline null for rules of thumb
     */
    Examination examine(Window window, Duration interval, Baseline baseline) throws InterruptedException {
        Yardstick yardstick = baseline == null ? new Yardstick.RulesOfThumb() : baseline;
        List<String> notes = new ArrayList<>();
        Diagnosis diagnosis = Classifier.diagnose(window, Map.of(), yardstick);
        if (window.target().java() && !window.ended() && Classifier.wantsStacks(diagnosis)) {
            Optional<String> print = stacks.print();
            if (print.isPresent()) {
                diagnosis = Classifier.diagnose(window, JavaStacks.parse(print.get()), yardstick);
                notes.add("Java stacks were taken once, after the window.");
            } else {
                notes.add(
                        "Java stacks would make this surer, but none could be taken: that takes the jcmd of a JDK, run as"
                                + " the process's owner.");
            }
        }
        addNotes(window, notes);
        return new Examination(window, interval.toNanos() / 1e9, Reconciliation.of(window), diagnosis, baseline, notes);
    }

    private static void addNotes(Window window, List<String> notes) {
        if (window.ended()) {
            notes.add("The process ended before the window was over: all figures are of the part before.");
        }
        long ended = window.threads().stream().filter(ThreadFigures::ended).count() + window.missedThreads();
        if (ended > 0) {
            notes.add(ended
                    + " threads ended within the window: what they did after the last look at them isn't counted.");
        }
        if (!window.waitsKnown()) {
            notes.add("This kernel keeps no schedstat: how long threads waited for a core is unknown.");
        }
        if (!window.others().complete()) {
            notes.add("The machine has too many threads to look at all of them: the others' part is incomplete.");
        }
    }
}
