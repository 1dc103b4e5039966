package dev.switchboard.conversation;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/**
 * Who makes a call, as its verified token says. Immutable.
 *
 * @param role the token's role
 * @param id the token's {@code sub}
 * @param queues the queues it may supervise or serve, {@code *} for all. The edge resolves them before it asks an actor: an
 *     agent's are its profile's, else the token's, else {@code default}; a supervisor's are the token's, else
 *     {@code default}
 * @param priority a customer's priority, 0 (default) to 9 (most urgent)
 * @param skills skills that a customer's conversations need
 * @param customers for a service: the customers it may act for, each exact or ending in {@code *}
 * @param expires when the token ends
 */
public record Principal(
        Role role,
        String id,
        Set<String> queues,
        int priority,
        Set<String> skills,
        Set<String> customers,
        Instant expires) {
    public Principal {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(id, "id");
        queues = Set.copyOf(queues);
        skills = Set.copyOf(skills);
        customers = Set.copyOf(customers);
        Objects.requireNonNull(expires, "expires");
    }

    /** A principal with the defaults of a token that has no optional claims and never ends. */
    public static Principal of(Role role, String id) {
        return new Principal(role, id, Set.of(), 0, Set.of(), Set.of(), Instant.MAX);
    }

    /** The same principal with these queue claims. */
    public Principal withQueues(Set<String> claimed) {
        return new Principal(role, id, claimed, priority, skills, customers, expires);
    }

    public Person person() {
        return new Person(role, id);
    }

    /** True when the token's own claims name the queue. */
    public boolean claimsQueue(String queue) {
        return queues.contains("*") || queues.contains(queue);
    }

    /** True for an operator, and for a supervisor of every queue. */
    public boolean directsAllQueues() {
        return role == Role.OPERATOR || queues.contains("*");
    }

    /** For a service: true when its token lets it act for that customer. */
    public boolean actsFor(String customer) {
        for (String pattern : customers) {
            if (pattern.endsWith("*")
                    ? customer.startsWith(pattern.substring(0, pattern.length() - 1))
                    : customer.equals(pattern)) {
                return true;
            }
        }
        return false;
    }
}
