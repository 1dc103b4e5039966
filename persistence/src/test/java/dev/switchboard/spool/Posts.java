package dev.switchboard.spool;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.SpooledPost;
import java.time.Instant;

/** Posts to keep in tests. */
final class Posts {
    private Posts() {}

    static SpooledPost of(String customer, String clientMsgId, String text) {
        return new SpooledPost(
                "c-" + customer,
                Principal.of(Role.CUSTOMER, customer),
                new Person(Role.CUSTOMER, customer),
                "default",
                clientMsgId,
                Body.text(text),
                null,
                false,
                true,
                Instant.parse("2026-01-01T10:00:00Z"));
    }
}
