package dev.switchboard.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.Directory.AgentRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DevAuthenticatorTest {
    private static Verdict look(String token) {
        return new DevAuthenticator().verify(token).toCompletableFuture().join();
    }

    private static Principal principal(String token) {
        return assertInstanceOf(Verdict.Verified.class, look(token)).principal();
    }

    @Test
    void shouldBelieveRoleAndId() {
        assertEquals(Principal.of(Role.AGENT, "alice"), principal("dev:agent:alice"));
        assertEquals(Principal.of(Role.CUSTOMER, "a:b"), principal("dev:customer:a:b"));
        assertEquals(Set.of("*"), principal("dev:supervisor:sue").queues());
        assertTrue(principal("dev:service:shop").actsFor("anybody"));
    }

    @Test
    void shouldRefuseTheRest() {
        for (String token : new String[] {
            null,
            "",
            "dev",
            "dev:",
            "dev:agent",
            "dev:agent:",
            "dev:king:x",
            "dev:agent:a b",
            "agent:alice",
            "DEV:agent:x"
        }) {
            Verdict.Denied denied = assertInstanceOf(Verdict.Denied.class, look(token));
            assertEquals(ErrorCode.UNAUTHORIZED, denied.refusal().code());
        }
    }

    @Test
    void shouldStartOnlyOnLoopback() {
        AuthSettings none = settings(AuthSettings.Mode.NONE);
        assertTrue(none.startProblem(List.of("127.0.0.1", "::1", "localhost")).isEmpty());
        assertTrue(none.startProblem(List.of("127.0.0.1", "0.0.0.0")).isPresent());
        assertTrue(none.startProblem(List.of("::")).isPresent());
        assertTrue(none.startProblem(List.of("192.0.2.1")).isPresent());
        assertTrue(none.startProblem(List.of("")).isPresent());
        assertTrue(
                settings(AuthSettings.Mode.JWT).startProblem(List.of("0.0.0.0")).isPresent());
    }

    private static AuthSettings settings(AuthSettings.Mode mode) {
        return new AuthSettings(
                mode, "i", "a", Duration.ZERO, List.of(), Duration.ofMinutes(1), Duration.ofSeconds(1), List.of());
    }

    @Test
    void shouldResolveQueuesFromProfileThenClaimThenDefault() {
        Principal agent = Principal.of(Role.AGENT, "alice");
        AgentRow profiled = new AgentRow("alice", "away", 3, 0, Set.of("vip"), Set.of(), true, Instant.EPOCH);
        AgentRow plain = new AgentRow("alice", "away", 3, 0, Set.of("old"), Set.of(), false, Instant.EPOCH);
        assertEquals(
                Set.of("vip"),
                QueueClaims.resolve(agent.withQueues(Set.of("x")), Optional.of(profiled))
                        .queues());
        assertEquals(
                Set.of("x"),
                QueueClaims.resolve(agent.withQueues(Set.of("x")), Optional.of(plain))
                        .queues());
        assertEquals(
                Set.of("default"), QueueClaims.resolve(agent, Optional.empty()).queues());
        Principal customer = Principal.of(Role.CUSTOMER, "carol");
        assertEquals(Set.of(), QueueClaims.resolve(customer, Optional.empty()).queues());
    }
}
