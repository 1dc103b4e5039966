package dev.switchboard.conversation;

import java.util.Optional;

/**
 * An offer's id names its conversation, so that an answer finds it without a table: {@code conv!epoch!agent!n}. The
 * epoch and {@code n} make each offer of a conversation to the same agent distinct. To clients it is opaque.
 */
public record OfferId(String conv, long epoch, String agent, int n) {
    @Override
    public String toString() {
        return conv + "!" + epoch + "!" + agent + "!" + n;
    }

    /** Reads an id, or empty when it can't be one. */
    public static Optional<OfferId> parse(String text) {
        String[] parts = text.split("!", -1);
        if (parts.length != 4 || parts[0].isEmpty() || parts[2].isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new OfferId(parts[0], Long.parseLong(parts[1]), parts[2], Integer.parseInt(parts[3])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
