package dev.switchboard.conformance;

import dev.switchboard.auth.AuthSettings.KeySettings;
import dev.switchboard.auth.TokenMinter;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;

/**
 * Makes the tokens that the server under test takes: signed ones, or development tokens, which can't make claims.
 * Immutable.
 */
final class Tokens {
    /** The properties of an external server's key, issuer and audience. Without a key development tokens are used. */
    static final String KEY_FILE = "switchboard.conformance.hs256-key";

    static final String KEY_ID = "switchboard.conformance.key-id";
    static final String ISSUER = "switchboard.conformance.issuer";
    static final String AUDIENCE = "switchboard.conformance.audience";

    private final TokenMinter minter;

    private Tokens(TokenMinter minter) {
        this.minter = minter;
    }

    static Tokens signed(Path keyFile, String keyId, String issuer, String audience) {
        return new Tokens(
                new TokenMinter(new KeySettings(keyId, KeySettings.Algorithm.HS256, keyFile, null), issuer, audience));
    }

    static Tokens development() {
        return new Tokens(null);
    }

    static Tokens external() {
        String key = System.getProperty(KEY_FILE);
        return key == null
                ? development()
                : signed(
                        Path.of(key),
                        System.getProperty(KEY_ID, "main"),
                        System.getProperty(ISSUER, "switchboard"),
                        System.getProperty(AUDIENCE, "switchboard"));
    }

    /** True when tokens can say which queues and customers somebody is for, and when they end. */
    boolean canClaim() {
        return minter != null;
    }

    String customer(String id) {
        return of(Role.CUSTOMER, id, Set.of(), Set.of());
    }

    String agent(String id) {
        return of(Role.AGENT, id, Set.of(), Set.of());
    }

    /** A supervisor of these queues; with development tokens of all. */
    String supervisor(String id, String... queues) {
        return of(Role.SUPERVISOR, id, Set.of(queues), Set.of());
    }

    /** A service that may act for these customers, exact or ending in an asterisk; with development tokens for all. */
    String service(String id, String... customers) {
        return of(Role.SERVICE, id, Set.of(), Set.of(customers));
    }

    String operator(String id) {
        return of(Role.OPERATOR, id, Set.of(), Set.of());
    }

    /** A customer's token that has ended. */
    String expired(String customer) {
        return mint(new Principal(
                Role.CUSTOMER,
                customer,
                Set.of(),
                0,
                Set.of(),
                Set.of(),
                Instant.now().minus(1, ChronoUnit.HOURS)));
    }

    /** A customer's token that ends then. */
    String until(String customer, Instant end) {
        return mint(new Principal(Role.CUSTOMER, customer, Set.of(), 0, Set.of(), Set.of(), end));
    }

    private String of(Role role, String id, Set<String> queues, Set<String> customers) {
        if (minter == null) {
            return "dev:" + role.wireName() + ":" + id;
        }
        return mint(new Principal(
                role, id, queues, 0, Set.of(), customers, Instant.now().plus(12, ChronoUnit.HOURS)));
    }

    private String mint(Principal principal) {
        return minter.mint(principal);
    }
}
