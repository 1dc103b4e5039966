package dev.switchboard.conversation;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** What never changes about a conversation. Immutable; the hash key's array is never written after construction. */
@SuppressWarnings("ArrayRecordComponent") // Never written after construction, and never compared: bytes are least.
public record Identity(
        String customer,
        Person openedBy,
        Instant openedAt,
        int priority,
        Set<String> skills,
        Map<String, String> attributes,
        byte[] hashKey) {
    public Identity {
        skills = Set.copyOf(skills);
        attributes = Map.copyOf(attributes);
    }

    public Person customerPerson() {
        return new Person(Role.CUSTOMER, customer);
    }
}
