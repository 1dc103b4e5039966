package dev.switchboard.routing;

import dev.switchboard.conversation.Ticket;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A waiting conversation as its line keeps it. Mutable; used by one {@link LineBook} alone. */
final class Waiter {
    /** Which of the book's indexes holds it. */
    enum Place {
        /** It has all the offers it may have: in no index. */
        SUPPLIED,
        /** It is left to the agent it prefers. */
        KEPT,
        /** It is matched with any desk that has the skills. */
        READY
    }

    /** A desk was asked for a slot, or has reserved one. {@code until}: when the line acts if nothing came. */
    record Pair(boolean reserved, int tries, Instant until) {}

    /** Those already served first; then by priority with ageing; then who waits longest. */
    static final Comparator<Waiter> ORDER = Comparator.comparing((Waiter w) -> !w.ticket.front())
            .thenComparingLong(w -> w.rank)
            .thenComparing(w -> w.ticket.since())
            .thenComparing(w -> w.conv);

    private static final long PRIORITY_WITHOUT_AGEING = 100_000_000_000_000_000L;

    final String conv;
    final Ticket ticket;
    final Map<String, Pair> pairs = new HashMap<>(2);
    /** Agents it is left apart from for a moment, and until when. */
    final Map<String, Instant> apart = new HashMap<>(2);

    /**
     * Micros from which it counts as waiting, moved back by {@code priority × ageing}. Two conversations age alike, so
     * the order between them never changes while they wait, and a sorted set can hold it.
     */
    private final long rank;

    private final List<String> skillsByName;

    Set<String> declinedBy = Set.of();
    /** From when declines no longer count; null while nobody needs that. */
    Instant declinesEndAt;

    int offered;
    Instant offeredUntil = Instant.MIN;
    Place place = Place.SUPPLIED;
    /** The bucket it is in while it is READY. */
    Set<String> needed = Set.of();

    Instant reviewAt = Instant.MAX;
    Instant enqueuedAt;

    int toldPosition;
    long toldLow;
    long toldHigh;

    Waiter(String conv, Ticket ticket, Duration ageing, Instant now) {
        this.conv = conv;
        this.ticket = ticket;
        this.enqueuedAt = now;
        long since = ChronoUnit.MICROS.between(Instant.EPOCH, ticket.since());
        this.rank = ageing.isZero()
                ? since - ticket.priority() * PRIORITY_WITHOUT_AGEING
                : since - ticket.priority() * (ageing.toNanos() / 1_000);
        this.skillsByName = List.copyOf(new TreeSet<>(ticket.skills()));
    }

    /** The skills that still count after that much waiting: one fewer for each period, the last by name first. */
    Set<String> skillsNeededAt(Instant now, Duration relaxAfter) {
        int left = skillsByName.size() - relaxed(now, relaxAfter);
        return left >= skillsByName.size()
                ? ticket.skills()
                : left <= 0 ? Set.of() : new HashSet<>(skillsByName.subList(0, left));
    }

    /** When the next skill is left out; {@link Instant#MAX} when none is left or they never are. */
    Instant nextRelaxation(Instant now, Duration relaxAfter) {
        int relaxed = relaxed(now, relaxAfter);
        return relaxAfter.isZero() || relaxed >= skillsByName.size()
                ? Instant.MAX
                : ticket.since().plus(relaxAfter.multipliedBy(relaxed + 1L));
    }

    private int relaxed(Instant now, Duration relaxAfter) {
        if (relaxAfter.isZero() || !now.isAfter(ticket.since())) {
            return 0;
        }
        long periods = Duration.between(ticket.since(), now).dividedBy(relaxAfter);
        return (int) Math.min(skillsByName.size(), periods);
    }

    /** False while it must not be offered to that agent. */
    boolean mayGoTo(String agent) {
        return !declinedBy.contains(agent) && !pairs.containsKey(agent) && !apart.containsKey(agent);
    }
}
