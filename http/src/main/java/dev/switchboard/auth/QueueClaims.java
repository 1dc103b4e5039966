package dev.switchboard.auth;

import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.Directory.AgentRow;
import java.util.Optional;
import java.util.Set;

/** Resolves the queues of a principal, once its desk is known. Stateless. */
public final class QueueClaims {
    /** What an agent without a profile and without a claim serves, and a supervisor without a claim supervises. */
    public static final Set<String> DEFAULT = Set.of("default");

    private QueueClaims() {}

    /** An agent's queues are its profile's, else its token's, else {@code default}; others keep their claims. */
    public static Principal resolve(Principal principal, Optional<AgentRow> row) {
        if (principal.role() == Role.SUPERVISOR) {
            return principal.queues().isEmpty() ? principal.withQueues(DEFAULT) : principal;
        }
        if (principal.role() != Role.AGENT) {
            return principal;
        }
        if (row.isPresent() && row.get().profiled()) {
            return principal.withQueues(row.get().queues());
        }
        return principal.queues().isEmpty() ? principal.withQueues(DEFAULT) : principal;
    }
}
