package dev.switchboard.desk;

import java.util.Set;

/**
 * What an operator or supervisor says of an agent. Immutable.
 *
 * @param capacity how many conversations at most, 0 to 1000
 * @param skills what the agent can do
 * @param queues the queues it serves
 */
public record Profile(int capacity, Set<String> skills, Set<String> queues) {
    public Profile {
        if (capacity < 0 || capacity > 1000) {
            throw new IllegalArgumentException("capacity must be 0 to 1000, not " + capacity);
        }
        skills = Set.copyOf(skills);
        queues = Set.copyOf(queues);
    }
}
