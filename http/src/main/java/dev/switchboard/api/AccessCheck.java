package dev.switchboard.api;

import dev.switchboard.auth.QueueClaims;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Relation;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.ports.Directory;
import dev.switchboard.ports.Directory.AgentRow;
import dev.switchboard.ports.Directory.ConversationRow;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Who may read what, decided from the directory's rows without waking a conversation. Thread-safe; never blocks. A role
 * alone allows nothing with a conversation: the relation to it does. What changes something is decided by the
 * conversation
 * itself. Principals are given with their queues resolved: see {@link #resolve}.
 */
public final class AccessCheck {
    /** How much of a conversation a reader may see. */
    public enum Sight {
        /** Every entry, notes and labels too. */
        ALL,
        /** What the customer may see. */
        VISIBLE,
        /** A preview: who, where, since when, and the customer's last words, cut. */
        PREVIEW,
        /** The directory's facts; no content. */
        FACTS,
        /** Nothing: it doesn't exist for this reader. */
        NONE
    }

    private final Directory directory;

    public AccessCheck(Directory directory) {
        this.directory = directory;
    }

    /** The principal with the queues that count (see {@link QueueClaims}); looks an agent's profile up. */
    public CompletionStage<Principal> resolve(Principal who) {
        return who.role() == Role.AGENT
                ? directory.agent(who.id()).thenApply(row -> QueueClaims.resolve(who, row))
                : CompletableFuture.completedFuture(QueueClaims.resolve(who, Optional.empty()));
    }

    /** What a resolved principal is to a conversation, as far as its row tells. */
    public static Relation relation(Principal who, ConversationRow row) {
        boolean owns = row.status() == Status.ASSIGNED && who.id().equals(row.owner());
        return switch (who.role()) {
            case CUSTOMER -> who.id().equals(row.customer()) ? Relation.CUSTOMER : Relation.STRANGER;
            case AGENT -> owns ? Relation.OWNER : who.claimsQueue(row.queue()) ? Relation.COLLEAGUE : Relation.STRANGER;
            case SUPERVISOR ->
                owns ? Relation.OWNER : who.claimsQueue(row.queue()) ? Relation.SUPERVISOR : Relation.STRANGER;
            case SERVICE ->
                who.person().key().equals(row.openedBy()) || who.actsFor(row.customer())
                        ? Relation.SERVICE
                        : Relation.STRANGER;
            case OPERATOR -> Relation.OPERATOR;
        };
    }

    /** What one of that relation may read of a conversation in that status. */
    public static Sight sight(Relation relation, Status status) {
        return switch (relation) {
            case OWNER, SUPERVISOR -> Sight.ALL;
            case CUSTOMER, SERVICE -> Sight.VISIBLE;
            case COLLEAGUE -> status == Status.WAITING || status == Status.OFFERED ? Sight.PREVIEW : Sight.NONE;
            case OPERATOR -> Sight.FACTS;
            case STRANGER -> Sight.NONE;
        };
    }

    /** True when a resolved supervisor supervises the agent, by one of its queues; operators direct everybody. */
    public static boolean directs(Principal who, AgentRow agent) {
        return who.role() == Role.OPERATOR
                || (who.role() == Role.SUPERVISOR && agent.queues().stream().anyMatch(who::claimsQueue));
    }
}
