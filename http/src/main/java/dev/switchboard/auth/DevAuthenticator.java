package dev.switchboard.auth;

import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * For development: believes {@code dev:ROLE:ID}. Thread-safe. Nothing expires; supervisors have all queues and services
 * act for every customer, since there is nobody who could have said otherwise.
 */
final class DevAuthenticator implements Authenticator {
    private static final String PREFIX = "dev:";

    @Override
    public CompletionStage<Verdict> verify(String token) {
        return CompletableFuture.completedFuture(look(token));
    }

    private static Verdict look(String token) {
        if (token == null || !token.startsWith(PREFIX)) {
            return denied("this node takes development tokens only: dev:ROLE:ID");
        }
        int colon = token.indexOf(':', PREFIX.length());
        Optional<Role> role = colon < 0 ? Optional.empty() : Role.ofWireName(token.substring(PREFIX.length(), colon));
        if (role.isEmpty()) {
            return denied("the token names no role: dev:ROLE:ID");
        }
        String id = token.substring(colon + 1);
        if (!ConversationIds.PERSON_ID.matcher(id).matches()) {
            return denied("the token's id must match " + ConversationIds.PERSON_ID.pattern());
        }
        Principal plain = Principal.of(role.get(), id);
        return new Verdict.Verified(
                switch (role.get()) {
                    case SUPERVISOR -> plain.withQueues(Set.of("*"));
                    case SERVICE ->
                        new Principal(
                                plain.role(),
                                plain.id(),
                                plain.queues(),
                                plain.priority(),
                                plain.skills(),
                                Set.of("*"),
                                plain.expires());
                    case CUSTOMER, AGENT, OPERATOR -> plain;
                });
    }

    private static Verdict denied(String message) {
        return new Verdict.Denied(Refusal.of(ErrorCode.UNAUTHORIZED, message));
    }
}
