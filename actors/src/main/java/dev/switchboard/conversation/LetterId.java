package dev.switchboard.conversation;

import java.util.Optional;

/**
 * A dead letter's id names its conversation, so that it is found without a table: {@code conv!epoch!role!person!seq}. The
 * epoch makes the letters of one receiver distinct when it gets the same conversation twice. To clients it is opaque.
 */
public record LetterId(String conv, long epoch, Person receiver, long seq) {
    @Override
    public String toString() {
        return conv + "!" + epoch + "!" + receiver.role().wireName() + "!" + receiver.id() + "!" + seq;
    }

    /** Reads an id, or empty when it can't be one. */
    public static Optional<LetterId> parse(String text) {
        String[] parts = text.split("!", -1);
        if (parts.length != 5 || !ConversationIds.isWellFormed(parts[0]) || parts[3].isEmpty()) {
            return Optional.empty();
        }
        Optional<Role> role = Role.ofWireName(parts[2]);
        if (role.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LetterId(
                    parts[0], Long.parseLong(parts[1]), new Person(role.get(), parts[3]), Long.parseLong(parts[4])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
