package dev.switchboard.conversation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The deliveries of a conversation that failed and are not settled, in the order in which they failed first. Immutable. */
public record Letters(List<Letter> open) {
    public static final Letters NONE = new Letters(List.of());

    public Letters {
        open = List.copyOf(open);
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    public Optional<Letter> byId(String id) {
        return open.stream().filter(letter -> letter.id().equals(id)).findAny();
    }

    public Optional<Letter> find(Person receiver, long seq) {
        return open.stream()
                .filter(letter -> letter.seq() == seq && letter.receiver().equals(receiver))
                .findAny();
    }

    /** The first entry that holds up a receiver's later ones. */
    public Optional<Letter> head(Person receiver) {
        Letter head = null;
        for (Letter letter : open) {
            if (letter.blocks() && letter.receiver().equals(receiver) && (head == null || letter.seq() < head.seq())) {
                head = letter;
            }
        }
        return Optional.ofNullable(head);
    }

    /** From which seq on nothing may go to each receiver now; those without a bound are not among them. */
    Map<Person, Long> holds(Instant now) {
        if (open.isEmpty()) {
            return Map.of();
        }
        Map<Person, Long> holds = new HashMap<>(2);
        for (Letter letter : open) {
            if (letter.blocks()) {
                holds.merge(letter.receiver(), letter.isOpen(now) ? letter.seq() + 1 : letter.seq(), Math::min);
            }
        }
        return holds;
    }

    /** When something becomes due; {@link Instant#MAX} for never. What was due before counts no more. */
    Instant nextDue(Instant now) {
        Instant next = Instant.MAX;
        for (Letter letter : open) {
            boolean comes = letter.dueAt() != null && (now.isBefore(letter.dueAt()) || isUnanswered(letter));
            if (comes && letter.dueAt().isBefore(next)) {
                next = letter.dueAt();
            }
        }
        return next;
    }

    /** A retry that nobody answered in time. */
    Optional<Letter> unanswered(Instant now) {
        return open.stream()
                .filter(letter -> isUnanswered(letter) && !now.isBefore(letter.dueAt()))
                .findFirst();
    }

    private static boolean isUnanswered(Letter letter) {
        return letter.state() == Letter.State.RETRIED;
    }

    Letters withoutReasons() {
        return isEmpty()
                ? this
                : new Letters(open.stream().map(Letter::withoutReasons).toList());
    }

    /** These with the letter as it is now; a settled one is forgotten. */
    Letters with(Letter changed) {
        List<Letter> all = new ArrayList<>(open.size() + 1);
        boolean known = false;
        for (Letter letter : open) {
            if (letter.id().equals(changed.id())) {
                known = true;
                if (!changed.state().isFinal()) {
                    all.add(changed);
                }
            } else {
                all.add(letter);
            }
        }
        if (!known && !changed.state().isFinal()) {
            all.add(changed);
        }
        return all.isEmpty() ? NONE : new Letters(all);
    }
}
