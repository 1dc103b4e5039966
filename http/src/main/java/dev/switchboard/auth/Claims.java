package dev.switchboard.auth;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import java.text.ParseException;
import java.util.List;
import java.util.Set;

/** Reads a signed token's claims. Stateless. */
final class Claims {
    static final String ROLE = "role";
    static final String QUEUES = "queues";
    static final String PRIORITY = "priority";
    static final String SKILLS = "skills";
    static final String CUSTOMERS = "customers";

    private static final int MAX_ITEMS = 100;
    private static final int MAX_ITEM_CHARS = 128;

    private Claims() {}

    /**
     * The principal of a token whose signature and dates are good. A wrong claim ends in an exception that names it.
     */
    static Principal principal(JWTClaimsSet claims) throws ParseException {
        String id = claims.getSubject();
        if (id == null || !ConversationIds.PERSON_ID.matcher(id).matches()) {
            throw new IllegalArgumentException("the token's sub must match " + ConversationIds.PERSON_ID.pattern());
        }
        Role role = Role.ofWireName(claims.getStringClaim(ROLE))
                .orElseThrow(() -> new IllegalArgumentException("the token's role is not a role"));
        Set<String> queues = texts(claims, QUEUES);
        if (role == Role.SUPERVISOR && queues.isEmpty()) {
            queues = Set.of("default");
        }
        return new Principal(
                role,
                id,
                queues,
                priority(claims),
                texts(claims, SKILLS),
                texts(claims, CUSTOMERS),
                claims.getExpirationTime().toInstant());
    }

    private static int priority(JWTClaimsSet claims) {
        Object value = claims.getClaim(PRIORITY);
        if (value == null) {
            return 0;
        }
        if ((value instanceof Long || value instanceof Integer)
                && ((Number) value).longValue() >= 0
                && ((Number) value).longValue() <= 9) {
            return ((Number) value).intValue();
        }
        throw new IllegalArgumentException("the token's priority must be a whole number from 0 to 9");
    }

    private static Set<String> texts(JWTClaimsSet claims, String name) {
        Object value = claims.getClaim(name);
        if (value == null) {
            return Set.of();
        }
        if (!(value instanceof List<?> list) || list.size() > MAX_ITEMS) {
            throw new IllegalArgumentException(
                    "the token's " + name + " must be a list of at most " + MAX_ITEMS + " texts");
        }
        Set<String> texts = new java.util.HashSet<>();
        for (Object item : list) {
            if (!(item instanceof String text) || text.isEmpty() || text.length() > MAX_ITEM_CHARS) {
                throw new IllegalArgumentException(
                        "the token's " + name + " must be a list of texts of 1 to " + MAX_ITEM_CHARS + " characters");
            }
            texts.add(text);
        }
        return texts;
    }
}
