package dev.switchboard.routing;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * In which order a waiting line tries the agents that have room. Implementations keep no state and are thread-safe.
 *
 * <p>The line keeps its free desks sorted by this order and asks the first one whose skills suffice. So the order may
 * depend on the two desks alone, and must tell any two apart only by what {@link FreeDesk} shows; the line breaks ties
 * by the agents' ids and sorts a desk anew whenever something about it changes.
 */
public interface RoutingStrategy extends Comparator<FreeDesk> {
    /** The strategies that a queue can name. */
    List<RoutingStrategy> ALL = List.of(new LongestIdle(), new LeastLoaded(), new RoundRobin());

    /** The name in a queue's settings. */
    String name();

    /** Why the chosen one came first, as the rest of a sentence that begins with the agent's name. */
    String reason(FreeDesk chosen);

    /** The strategy of that name, or empty. */
    static Optional<RoutingStrategy> ofName(String name) {
        return ALL.stream().filter(s -> s.name().equals(name)).findAny();
    }
}
